/// `[Clock]`: when the time of day is known to be right, so that times such as 04:00 count.
public struct ClockSettings: Equatable, Sendable {
  public enum Trust: String, Equatable, Sendable, CaseIterable {
    /// Once it is synchronized, or plausible after `wait`.
    case verified
    case always
  }

  public var trust = Trust.verified
  /// How long after the boot a synchronization is waited for.
  public var wait: Duration = .seconds(600)

  public init() {}
}
