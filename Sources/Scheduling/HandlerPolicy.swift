/// What the administrator decided for a handler's updates.
public struct HandlerPolicy: Equatable, Sendable {
  /// What happens to a waiting update when another with the same key arrives.
  public enum Coalescing: String, Equatable, Sendable, CaseIterable {
    /// The new one replaces the one that waits.
    case latest
    /// The one that waits stays; the new one ends as superseded.
    case first
    case all
  }

  /// What happens to an update whose handler ran when the service or the machine died.
  public enum OnInterrupted: String, Equatable, Sendable, CaseIterable {
    /// Applied again: at least once.
    case retry
    /// Failed: at most once.
    case fail
  }

  /// How long no screen may have been touched before the handler starts.
  public var quietPeriod: Duration
  /// Starts of the handler before the update has failed; at least 1.
  public var attempts: Int
  /// Wait after the first failure; doubles with each further one, up to `longestBackoff`.
  public var backoff: Duration
  /// What happens to updates with the same key.
  public var coalescing: Coalescing
  /// The administrator's key: what updates are about that have none of their own. It is everybody's.
  public var key: String?
  /// Updates of different users with the same key are about the same thing; otherwise each user has keys of its own.
  public var sharesKeys: Bool
  /// What happens after an interruption.
  public var onInterrupted: OnInterrupted
  /// The handler reboots the machine: its update is applied once that has happened, and has failed if it has not
  /// happened within this time after the handler's success. Nil: the handler does not reboot.
  public var rebootTimeout: Duration?
  /// A reboot does what the handler would do.
  public var isSatisfiedByReboot: Bool

  /// Upper limit of the backoff, before jitter.
  public static let longestBackoff: Duration = .seconds(600)
  /// An update has failed once the service or the machine has died this often while its handler ran. A handler that
  /// itself restarts either would never end.
  public static let mostInterruptions = 3
  /// After this many reboots for one handler within `rebootWindow` the next is not started.
  public static let mostReboots = 3
  /// Time in which reboots are counted against `mostReboots`.
  public static let rebootWindow: Duration = .seconds(3600)

  public init(
    quietPeriod: Duration = .zero, attempts: Int = 1, backoff: Duration = .seconds(10),
    coalescing: Coalescing = .latest, onInterrupted: OnInterrupted = .retry, rebootTimeout: Duration? = nil,
    isSatisfiedByReboot: Bool = false, sharesKeys: Bool = false, key: String? = nil
  ) {
    self.key = key
    self.quietPeriod = quietPeriod
    self.attempts = attempts
    self.backoff = backoff
    self.coalescing = coalescing
    self.sharesKeys = sharesKeys
    self.onInterrupted = onInterrupted
    self.rebootTimeout = rebootTimeout
    self.isSatisfiedByReboot = isSatisfiedByReboot
  }
}
