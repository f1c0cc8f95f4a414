/// A line of a script cut into words and separators.
enum ScriptToken: Equatable {
  case word(String)
  /// `;`
  case separator
  case open
  case close

  /// Words are separated by blanks; `;`, `{` and `}` separate too; `#` at the start of a word begins a comment; parts
  /// of words in double quotes may hold all of these.
  static func tokens(of line: String) throws(UnclosedQuote) -> [ScriptToken] {
    var tokens: [ScriptToken] = []
    var word: String?
    var isQuoted = false
    func endWord() {
      if let word { tokens.append(.word(word)) }
      word = nil
    }
    scan: for character in line {
      if isQuoted {
        if character == "\"" { isQuoted = false } else { word?.append(character) }
        continue
      }
      switch character {
      case "\"":
        isQuoted = true
        word = word ?? ""
      case "#" where word == nil: break scan
      case ";", "{", "}":
        endWord()
        tokens.append(character == ";" ? .separator : character == "{" ? .open : .close)
      case _ where character.isWhitespace: endWord()
      default: word = (word ?? "") + String(character)
      }
    }
    if isQuoted { throw UnclosedQuote() }
    endWord()
    return tokens
  }

  struct UnclosedQuote: Error {}
}
