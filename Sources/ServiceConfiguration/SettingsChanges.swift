/// What a reload must do so that a changed key applies.
public enum ReloadEffect: Hashable, Sendable, CaseIterable {
  /// Nothing: the new value is read from the configuration whenever it is used.
  case atOnce
  /// Touchscreens are discovered, opened and read again.
  case devicesReadAgain
  /// The new value applies after the next start of the service.
  case restart
}

/// What is different between two configurations (`SettingsTable.changes`).
public struct SettingsChanges: Equatable, Sendable {
  /// `[Section] Key=` of each changed key, in the order of the table. Keys of `touchgate.conf` only.
  public internal(set) var keys: [ReloadEffect: [String]] = [:]
  /// Handlers that are new, gone or different, by name; all of these apply at once.
  public internal(set) var handlers: [String] = []

  /// What a reload must do.
  public var effects: Set<ReloadEffect> { Set(keys.keys).union(handlers.isEmpty ? [] : [.atOnce]) }

  /// The log line about keys that need a restart; nil: none has changed.
  public var restartNotice: String? {
    keys[.restart].map { Sentence.needsRestart.text([$0.joined(separator: ", ")]) }
  }
}
