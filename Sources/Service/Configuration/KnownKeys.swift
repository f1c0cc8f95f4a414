/// Which sections and keys a kind of file may have, and what was probably meant by another word.
struct KnownKeys {
  let sections: [String: [String]]
  /// Keys that may stand more than once.
  let repeatable: Set<String>

  static let settings = KnownKeys(
    sections: [
      "Gate": [
        "QuietPeriod", "FirstScreenTimeout", "OnNoScreen", "MissingScreenGrace", "RequireScreens", "StuckAfter",
        "OnStuck", "GuardMax", "MaxHold",
      ],
      "Queue": [
        "RetryInterval", "MaxWaiting", "MaxWaitingPerUser", "MaxWaitingBytes", "MaxWaitingBytesPerUser", "KeepHistory",
        "KeepHistoryEntries", "KeepPayloads",
      ],
      "Screen NAME": ["Match"],
      "Devices": ["Use", "Ignore"],
      "Rights": ["Force", "Hold", "Admin"],
      "Haptics": HapticsSettings.keys,
    ], repeatable: ["Use", "Ignore", "Match"])
  static let handler = KnownKeys(
    sections: [
      "Handler": [
        "Exec", "Unit", "Deliver", "Param", "Timeout", "QuietPeriod", "Attempts", "Backoff", "Coalesce",
        "OnInterrupted", "Reboots", "RebootTimeout", "SatisfiedByReboot", "AllowUsers", "AllowGroups", "Guard",
        "FeedbackOnApply",
        "FeedbackOnFail",
      ]
    ],
    repeatable: ["Param"])

  /// A section as it stands here: one that has a name of its own, `[Screen lobby]`, as `Screen NAME`.
  func kind(of section: String) -> String {
    let words = section.split(separator: " ", maxSplits: 1)
    return words.count == 2 && sections["\(words[0]) NAME"] != nil ? "\(words[0]) NAME" : section
  }

  /// What to say of a section; nil: it is known.
  func problem(section: String) -> String? {
    if sections[kind(of: section)] != nil { return nil }
    let known = sections.keys.sorted()
    return "unknown section \(section.quotedForMessage); known here: \(known.map { "[\($0)]" }.joined(separator: ", "))"
      + (Self.nearest(to: section, in: known).map { "; did you mean [\($0)]?" } ?? "")
  }

  /// What to say of a key in a known section; nil: it is known.
  func problem(key: String, section: String) -> String? {
    guard let known = sections[kind(of: section)], !known.contains(key) else { return nil }
    let message =
      "unknown key \(key.quotedForMessage) in [\(section)]; known here: \(known.map { "\($0)=" }.joined(separator: ", "))"
    if let home = sections.first(where: { $0.value.contains(key) })?.key {
      return message + "; \(key)= belongs to [\(home)]"
    }
    return message + (Self.nearest(to: key, in: known).map { "; did you mean \($0)=?" } ?? "")
  }

  /// The word with the fewest changed letters, where they are at most two or a third of it; the case of letters is free.
  static func nearest(to word: String, in known: [String]) -> String? {
    let candidates = known.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
    guard let nearest = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
    return nearest.distance <= max(2, nearest.word.count / 3) ? nearest.word : nil
  }

  /// Levenshtein's: letters put in, left out or replaced.
  private static func distance(_ a: String, _ b: String) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.prefix(64).enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(above + 1, row[j] + 1, diagonal + (x == y ? 0 : 1))
        diagonal = above
      }
    }
    return row[b.count]
  }
}
