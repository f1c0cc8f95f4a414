import Foundation

/// Phrases that mark translated prose, as regular expressions. Plain English has "at most N" for "so many", "if there is
/// none" for "where there is none", "unexpected argument" for "one argument too many".
enum BadPhrases {
  private static let patterns = [
    #"\bso (long|much|many|large|small)\b"#, #"\bstands?\b"#, #"\bbesides?\b"#, #"\bbeside\b"#,
    #"\bwhere (there|it|nothing|nobody|somebody|none|no|that|this|they|one)\b"#, #"\bmay what\b"#, #"\bby rule\b"#,
    #"\bone (?:argument )?too many\b"#, #"\bthe word of\b"#, #"\botherwise than\b"#,
    #"\b(nobody|somebody)'s hands\b"#, #"\ba (line|field|blocker|screen|event|reason) an? [a-z]+\b"#,
    #"\bit is so\b"#, #"\bno word from\b"#, #"\blets? go of\b"#, #"\bin (the|its|their) way\b"#, #"\bas wanted\b"#,
    #"\bof one's own\b"#, #"\btells? (of|that)\b"#, #"\bis nothing without\b"#, #"\bnot known here\b"#,
    #"\bwhich counts from\b"#, #"\bspeaks?\b"#, #"\bhears?\b"#, #"\bbelieves?\b"#, #"\byou may not\b"#,
    #"\bends? otherwise\b"#, #"\bended otherwise\b"#, #"\bis given twice\b"#,
    #"\bwaits? (no longer )?for so\b"#, #"\bwhatever becomes\b"#, #"\bgoes on waiting\b"#,
  ]

  private static let expression = try? NSRegularExpression(
    pattern: patterns.joined(separator: "|"), options: .caseInsensitive)

  /// The phrases that a text contains, in the order of the text.
  static func found(in text: String) -> [String] {
    let whole = NSRange(text.startIndex..., in: text)
    guard let expression else { return ["(the patterns are not regular expressions)"] }
    return expression.matches(in: text, range: whole).compactMap { match in
      Range(match.range, in: text).map { String(text[$0]) }
    }
  }
}
