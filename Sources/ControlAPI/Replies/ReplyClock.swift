public import Timeline

/// Converts instants of the monotonic clock to times of the wall clock, for replies.
public struct ReplyClock: Equatable, Sendable {
  /// Wall clock minus monotonic clock. Kept until it really changes, so that every reply states the same time for the
  /// same instant.
  private var offset: Duration

  /// Both clocks, read back to back.
  public init(wall: WallTime, monotonic: Instant) { offset = Self.offset(wall, monotonic) }

  /// Adopts the wall clock if it was set, or has drifted by more than 20 ms.
  public mutating func follow(wall: WallTime, monotonic: Instant) {
    let offset = Self.offset(wall, monotonic)
    if abs((offset - self.offset).wholeMilliseconds) > 20 { self.offset = offset }
  }

  /// RFC 3339 in UTC.
  public func rfc3339(_ instant: Instant) -> String {
    WallTime(millisecondsSinceEpoch: ((instant - Instant(nanoseconds: 0)) + offset).wholeMilliseconds).rfc3339
  }

  private static func offset(_ wall: WallTime, _ monotonic: Instant) -> Duration {
    .milliseconds(wall.millisecondsSinceEpoch) - (monotonic - Instant(nanoseconds: 0))
  }
}
