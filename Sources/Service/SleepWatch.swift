import Timeline

/// Notices that the machine has slept: CLOCK_BOOTTIME goes on meanwhile, CLOCK_MONOTONIC stands still.
struct SleepWatch {
  /// A shorter difference is not a suspend: nobody could have touched and gone meanwhile, and the two clocks cannot be read
  /// at one moment.
  static let shortest: Duration = .seconds(1)

  /// The time asleep since boot that is known.
  private var known: Duration?

  /// For how long the machine slept since the last sleep that was noticed; nil: it did not.
  /// `asleep`: the time it has slept since it booted (`SystemClock.timeAsleep`).
  mutating func slept(_ asleep: Duration) -> Duration? {
    guard let known else {
      self.known = asleep
      return nil
    }
    guard asleep - known >= Self.shortest else { return nil }
    self.known = asleep
    return asleep - known
  }
}
