/// Phrases that mark a sentence as hard to read: translated prose, and words that the project avoids. The one list of
/// them, for all tests that read message templates, help, man pages or sources.
public enum PlainWords {
  /// A phrase and what to write instead. A phrase is a sequence of whole words in lower case; `a|b` is either word, and
  /// `*` is any word.
  public static let patterns: [(phrase: String, instead: String)] = [
    ("so long|many|much|large|small", "that long, at most N"), ("otherwise than", "not applied"),
    ("end|ends|ended otherwise", "not applied"), ("stand|stands|standing|stood", "be"), ("should stand", "expected"),
    ("where there|it|nothing|nobody|somebody|none|no|that|this|they|one", "if there is none"),
    ("tell|tells|told", "report"), ("nobody's|somebody's hands", "not held"), ("in the|its hands", "received"),
    ("beside|besides", "also, next to"), ("may what", "is allowed to"), ("may not use", "is not allowed to use"),
    ("you may not", "you are not allowed to"), ("it is so", "say what is so"), ("no word", "unavailable"),
    ("the word of", "what it says"), ("let|lets|letting go", "release"), ("in the|its|their way", "blocking"),
    ("as wanted", "optional"), ("by rule", "the rule"), ("of one's own", "your own"),
    ("one's own", "your own"), ("speak|speaks", "the field's verb"), ("hear|hears", "receive"),
    ("believe|believes", "assume"), ("knows", "has"), ("known are", "known NAMES:"), ("is not json", "invalid JSON"),
    ("not known here", "unknown NAME"), ("who is not known", "unknown NAME"), ("is none of", "is not"),
    ("one too many", "only one is allowed"), ("argument too many", "unexpected argument"),
    ("a line|field|blocker|screen|event|reason a|an *", "one line per update"), ("means nothing", "has no effect"),
    ("is nothing without", "has no effect without"), ("is given twice", "duplicate"), ("a second time", "again"),
    ("not any more", "no longer"), ("at this moment", "now"), ("is|are taken", "is accepted"), ("not taken", "refused"),
    ("waits on", "still waits"), ("wait|waits for so", "at most N"), ("goes on waiting", "still waits"),
    ("which counts from", "applies after"), ("whatever becomes", "however it ends"), ("lies", "is"),
    ("of late", "recently"), ("ought", "should"), ("whoever", "anyone who"), ("touch point", "contact"),
    ("tongue", "protocol"), ("hurry", "expedite"), ("hasten", "expedite"),
  ]

  private static let compiled = patterns.map { pattern in
    pattern.phrase.split(separator: " ").map { Set($0.split(separator: "|").map(String.init)) }
  }

  /// The phrases of the list that a text contains, as the text has them, in the order of the list.
  public static func found(in text: String) -> [String] { matches(text).map(\.words) }

  /// A message for each phrase that a text contains; empty if there is none.
  public static func violations(_ text: String) -> [String] {
    matches(text).map { "'\($0.words)' -> \(patterns[$0.pattern].instead): \(text)" }
  }

  private static func matches(_ text: String) -> [(pattern: Int, words: String)] {
    let words = text.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "'") }.map(String.init)
    var starts: [String: [Int]] = [:]
    for (index, word) in words.enumerated() { starts[word, default: []].append(index) }
    return compiled.enumerated().flatMap { number, phrase in
      phrase[0].flatMap { starts[$0] ?? [] }.sorted().compactMap { start in
        guard start + phrase.count <= words.count else { return nil }
        let candidate = words[start..<start + phrase.count]
        let isMatch = zip(candidate, phrase).allSatisfy { word, choices in choices == ["*"] || choices.contains(word) }
        return isMatch ? (number, candidate.joined(separator: " ")) : nil
      }
    }
  }
}
