/// The sections and keys that a kind of file may have, taken from its table, and messages about all others.
struct KnownKeys: Sendable {
  private struct Section {
    let name: String
    var keys: [String]
  }

  private let sections: [Section]
  /// `Section Key` of keys that a file may have several times.
  private let repeatable: Set<[String]>

  static let settings = KnownKeys(SettingsTable.rows)
  static let handler = KnownKeys(HandlerTable.rows)

  init<Target>(_ rows: [Setting<Target>]) {
    var sections: [Section] = []
    for row in rows {
      if let index = sections.firstIndex(where: { $0.name == row.section }) {
        sections[index].keys.append(row.key)
      } else {
        sections.append(Section(name: row.section, keys: [row.key]))
      }
    }
    self.sections = sections
    repeatable = Set(rows.filter(\.isRepeatable).map { [$0.section, $0.key] })
  }

  /// The section's name in the table: `[Screen lobby]` is `Screen NAME`.
  func kind(of section: String) -> String {
    let words = section.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let first = words.first else { return section }
    return keys(of: "\(first) NAME") == nil ? section : "\(first) NAME"
  }

  /// Unknown sections, unknown keys in known sections, and keys that are there twice.
  func problems(in file: ConfigurationFile) -> [ConfigurationProblem] {
    var found = file.sections.compactMap { problem(section: $0.name, file.path, $0.line) }
    var lines: [[String]: Int] = [:]
    for entry in file.entries {
      let kind = kind(of: entry.section)
      guard let keys = keys(of: kind) else { continue }
      if !keys.contains(entry.key) {
        found.append(problem(unknown: entry, keys, file.path))
      } else if !repeatable.contains([kind, entry.key]) {
        if let first = lines[[entry.section, entry.key]] {
          found.append(ConfigurationProblem(file: file.path, entry, Refused(.duplicate, "\(first)")))
        } else {
          lines[[entry.section, entry.key]] = entry.line
        }
      }
    }
    return found
  }

  private func keys(of section: String) -> [String]? { sections.first { $0.name == section }?.keys }

  private func problem(section: String, _ file: String, _ line: Int) -> ConfigurationProblem? {
    if keys(of: kind(of: section)) != nil { return nil }
    let known = sections.map(\.name).sorted()
    let list = known.map { "[\($0)]" }.joined(separator: ", ")
    guard let near = Spelling.nearest(to: section, in: known) else {
      return ConfigurationProblem(file: file, line: line, .unknownSection, section.quotedForMessage, list)
    }
    return ConfigurationProblem(file: file, line: line, .misspelledSection, section.quotedForMessage, near, list)
  }

  private func problem(
    unknown entry: ConfigurationFile.Entry, _ known: [String], _ file: String
  ) -> ConfigurationProblem {
    let (line, key, section) = (entry.line, entry.key.quotedForMessage, entry.section)
    if let home = sections.first(where: { $0.keys.contains(entry.key) })?.name {
      return ConfigurationProblem(file: file, line: line, .keyOfOtherSection, key, section, home)
    }
    let list = known.map { "\($0)=" }.joined(separator: ", ")
    guard let near = Spelling.nearest(to: entry.key, in: known) else {
      return ConfigurationProblem(file: file, line: line, .unknownKey, key, section, list)
    }
    return ConfigurationProblem(file: file, line: line, .misspelledKey, key, section, near, list)
  }
}

/// Suggestions for misspelled words.
enum Spelling {
  /// The known word with the fewest changed letters, if these are at most two or a third of it. Case does not count.
  static func nearest(to word: String, in known: [String]) -> String? {
    let candidates = known.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
    guard let nearest = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
    return nearest.distance <= max(2, nearest.word.count / 3) ? nearest.word : nil
  }

  /// Levenshtein's: letters inserted, omitted or replaced.
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
