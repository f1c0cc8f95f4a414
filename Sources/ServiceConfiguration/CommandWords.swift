/// Splits text into words as systemd does: at white space; `"…"` and `'…'` keep their content together, anywhere in a
/// word; inside double quotes `\\`, `\"`, `\n`, `\t` and `\s` (a space) are escapes. No shell, no variables.
enum CommandWords {
  static func split(_ text: String) throws(Refused) -> [String] {
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
          guard let escaped = rest.next() else { throw Refused(.openQuote, String(open)) }
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
        throw Refused(.bareBackslash)
      default:
        word = word ?? ""
        word?.unicodeScalars.append(scalar)
      }
    }
    if let quote { throw Refused(.openQuote, String(quote)) }
    if let word { words.append(word) }
    return words
  }

  private static func unescape(_ scalar: Unicode.Scalar) throws(Refused) -> Unicode.Scalar {
    switch scalar {
    case "\\", "\"": return scalar
    case "n": return "\n"
    case "t": return "\t"
    case "s": return " "
    default: throw Refused(.unknownEscape, String(Character(scalar)))
    }
  }
}
