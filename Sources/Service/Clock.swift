import Linux
import Timeline

/// The wall clock, and what a monotonic instant is on it, for replies.
struct Clock {
  /// Wall clock minus monotonic clock. Kept until it really changes, so that the same instant is told as the same time
  /// in every reply.
  private var offset: Duration

  init() { offset = Self.offset() }

  private static func offset() -> Duration {
    .milliseconds(SystemClock.wall.millisecondsSinceEpoch) - (SystemClock.monotonic - Instant(nanoseconds: 0))
  }

  /// Follows the wall clock where somebody has set it, or it has drifted away.
  mutating func follow() {
    let offset = Self.offset()
    if abs((offset - self.offset).wholeMilliseconds) > 20 { self.offset = offset }
  }

  func rfc3339(_ instant: Instant) -> String {
    WallTime(millisecondsSinceEpoch: ((instant - Instant(nanoseconds: 0)) + offset).wholeMilliseconds).rfc3339
  }
}
