/// Splits `Exec=` into words as systemd does: at white space; `"…"` and `'…'` keep what is in them together, anywhere
/// in a word; inside double quotes `\\`, `\"`, `\n`, `\t` and `\s` (a space) are escapes. No shell, no variables.
enum CommandWords {
  enum Malformed: Error, Equatable, CustomStringConvertible {
    case openQuote(Character)
    case unknownEscape(Character)
    case backslashOutside

    var description: String {
      switch self {
      case .openQuote(let quote): "a quote \(quote) is not closed"
      case .unknownEscape(let character):
        "\\\(character) means nothing; inside double quotes there are \\\\, \\\", \\n, \\t and \\s"
      case .backslashOutside:
        "a backslash outside quotes; put the word in single quotes, or in double quotes and write \\\\"
      }
    }
  }

  static func split(_ text: String) throws(Malformed) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    // By scalars: a combining mark after a quote must not hide it.
    var rest = text.unicodeScalars.makeIterator()
    while let scalar = rest.next() {
      let character = Character(scalar)
      if let open = quote {
        if character == open {
          quote = nil
        } else if character == "\\", open == "\"" {
          guard let escaped = rest.next() else { throw .openQuote(open) }
          word?.unicodeScalars.append(try unescape(escaped))
        } else {
          word?.unicodeScalars.append(scalar)
        }
        continue
      }
      switch character {
      case " ", "\t":
        if let finished = word { words.append(finished) }
        word = nil
      case "\"", "'":
        quote = character
        word = word ?? ""
      case "\\":
        throw .backslashOutside
      default:
        word = word ?? ""
        word?.unicodeScalars.append(scalar)
      }
    }
    if let quote { throw .openQuote(quote) }
    if let word { words.append(word) }
    return words
  }

  private static func unescape(_ scalar: Unicode.Scalar) throws(Malformed) -> Unicode.Scalar {
    switch scalar {
    case "\\", "\"": return scalar
    case "n": return "\n"
    case "t": return "\t"
    case "s": return " "
    default: throw .unknownEscape(Character(scalar))
    }
  }
}
