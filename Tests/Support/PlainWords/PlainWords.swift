/// Patterns that mark a sentence as hard to read: translated prose, and words that the project avoids.
public enum PlainWords {
  /// Pattern and what to write instead. A pattern is looked for in lower case, between word boundaries.
  public static let patterns: [(pattern: String, instead: String)] = [
    ("so long", "that long, at most N"), ("so many", "that many, at most N"), ("so much", "that much"),
    ("otherwise than", "not applied"), ("ended otherwise", "not applied"), ("where there is none", "if there is none"),
    ("where nothing", "if nothing"), ("stand", "be"), ("stands", "is"), ("standing", "being"),
    ("should stand", "expected"), ("tell of", "report"), ("tells of", "reports"), ("tell that", "report"),
    ("tells that", "reports"), ("is told", "is informed"), ("are told", "are informed"),
    ("in nobody's hands", "not held"), ("in the hands", "delivered to"), ("in its hands", "received"),
    ("besides", "also"), ("may what", "is allowed to"), ("may not use", "is not allowed to use"),
    ("it is so", "say what is so"), ("no word from", "unavailable"), ("let go", "release"), ("lets go", "releases"),
    ("letting go", "releasing"), ("in the way", "blocking"), ("in its way", "blocking it"), ("as wanted", "optional"),
    ("by rule", "the rule"), ("of one's own", "your own"), ("one's own", "your own"), ("speaks", "the field's verb"),
    ("hears", "receives"), ("believes", "assumes"), ("knows", "has"),
    ("known are", "known NAMES:"), ("is not json", "invalid JSON"), ("is one too many", "only one is allowed"),
    ("is nothing without", "has no effect without"), ("not any more", "no longer"), ("at this moment", "now"),
    ("are taken", "are accepted"), ("is taken", "is accepted"), ("not taken", "refused"), ("waits on", "still waits"),
    ("lies", "is"), ("of late", "recently"), ("ought", "should"), ("whoever", "anyone who"), ("touch point", "contact"),
    ("tongue", "protocol"), ("hurry", "expedite"), ("hasten", "expedite"),
  ]

  /// What is wrong with a sentence; empty if nothing is.
  public static func violations(_ text: String) -> [String] {
    // Words only, each with one space before and after.
    let words = text.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "'") }.joined(separator: " ")
    return patterns.filter { " \(words) ".contains(" \($0.pattern) ") }.map {
      "'\($0.pattern)' -> \($0.instead): \(text)"
    }
  }
}
