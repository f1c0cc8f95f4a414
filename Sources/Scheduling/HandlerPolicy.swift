/// What the administrator decided for a handler's updates.
public struct HandlerPolicy: Equatable, Sendable {
  /// What becomes of a waiting update when another of the same key comes.
  public enum Coalescing: String, Equatable, Sendable, CaseIterable {
    /// The newest takes the place of the one that waits.
    case latest
    /// The one that waits stays; the newest ends as superseded.
    case first
    case all
  }

  /// What becomes of an update whose handler ran when the service or the machine died.
  public enum OnInterrupted: String, Equatable, Sendable, CaseIterable {
    /// Applied again: at least once.
    case retry
    /// Failed: at most once.
    case fail
  }

  public var quietPeriod: Duration
  /// How often the handler is started at most before the update has failed; at least 1.
  public var attempts: Int
  /// Wait after the first failure; doubles with each further one, up to `longestBackoff`.
  public var backoff: Duration
  public var coalescing: Coalescing
  public var onInterrupted: OnInterrupted
  /// The handler reboots the machine: its update is applied once that has happened, and has failed so long after the
  /// handler's success. Nil: it does not.
  public var rebootTimeout: Duration?
  /// A reboot does what the handler would do.
  public var isSatisfiedByReboot: Bool

  public static let longestBackoff: Duration = .seconds(600)
  /// So often an update is started again because the service or the machine died under its handler; then it has failed.
  /// A handler that itself restarts the one or the other would never end.
  public static let mostInterruptions = 3
  /// So many reboots for one key within `rebootWindow`, and the next is not started.
  public static let mostReboots = 3
  public static let rebootWindow: Duration = .seconds(3600)

  public init(
    quietPeriod: Duration = .zero, attempts: Int = 1, backoff: Duration = .seconds(10),
    coalescing: Coalescing = .latest, onInterrupted: OnInterrupted = .retry, rebootTimeout: Duration? = nil,
    isSatisfiedByReboot: Bool = false
  ) {
    self.quietPeriod = quietPeriod
    self.attempts = attempts
    self.backoff = backoff
    self.coalescing = coalescing
    self.onInterrupted = onInterrupted
    self.rebootTimeout = rebootTimeout
    self.isSatisfiedByReboot = isSatisfiedByReboot
  }
}
