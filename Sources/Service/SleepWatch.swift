import Timeline

/// Notices that the machine has slept: CLOCK_BOOTTIME goes on meanwhile, CLOCK_MONOTONIC stands still.
struct SleepWatch {
  /// Two clocks read one after the other differ by less.
  static let tolerance: Duration = .milliseconds(50)

  private var difference: Duration?

  /// For how long it slept since it was last asked; nil: it did not.
  mutating func slept(boot: Instant, now: Instant) -> Duration? {
    let difference = boot - now
    defer { self.difference = difference }
    guard let before = self.difference, difference - before > Self.tolerance else { return nil }
    return difference - before
  }
}
