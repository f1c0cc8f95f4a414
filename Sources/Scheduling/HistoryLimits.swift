public import Timeline

/// How much is kept of updates that have ended; the oldest are forgotten first.
public struct HistoryLimits: Equatable, Sendable {
  /// Updates that ended longer ago are forgotten. `Duration.forever`: no limit.
  public var age: Duration
  /// At most this many updates.
  public var entries: Int
  /// Bytes of payload that ended updates keep, so that they can be retried; beyond it the oldest lose theirs.
  public var payloadBytes: Int

  /// Ends before this time are wrong: the clock was not set. Their age counts from nowhere.
  public var earliest = WallTime(millisecondsSinceEpoch: 0)

  public init(age: Duration = .seconds(30 * 86400), entries: Int = 10_000, payloadBytes: Int = 16 << 20) {
    self.age = age
    self.entries = entries
    self.payloadBytes = payloadBytes
  }

  /// Updates that ended before this time are too old; nil: none is.
  public func cutoff(_ now: WallTime) -> WallTime? {
    age == .forever ? nil : now + (.zero - age)
  }
}
