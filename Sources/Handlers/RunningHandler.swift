public import Scheduling
public import Timeline

/// A handler that is applying an update: a child process, a unit of systemd, or a connected application.
public protocol RunningHandler: AnyObject {
  var update: Update { get }
  var started: Instant { get }
  /// Its timeout, or what follows that.
  var nextDeadline: Instant? { get }
  /// The service need not wait for it when it stops: it continues without the service, and the next run of the service
  /// finds out how it ended.
  var survivesService: Bool { get }
  func timePassed(_ now: Instant)
}

/// How a handler ended.
public struct HandlerEnd: Equatable, Sendable {
  public let result: UpdateResult
  /// Exit status 75 (EX_TEMPFAIL of sysexits.h): to be tried later, not failed.
  public let triesLater: Bool

  public init(result: UpdateResult, triesLater: Bool = false) {
    self.result = result
    self.triesLater = triesLater
  }
}

/// Why a handler cannot be started, worded for the update's result.
public struct HandlersError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// The arguments of every kind of handler.
public struct HandlerStart: Sendable {
  public let update: Update
  /// 1 at the first attempt.
  public let attempt: Int
  /// The handler's limit of time.
  public let timeout: Duration
  /// When the touch ended that the update waited for; nil: it did not wait for one.
  public let releasedAt: Instant?

  public init(_ update: Update, attempt: Int, timeout: Duration, releasedAt: Instant?) {
    self.update = update
    self.attempt = attempt
    self.timeout = timeout
    self.releasedAt = releasedAt
  }

  /// The result of a handler that started at `started` and ended as `state` says.
  func result(
    _ state: FinalState, _ message: String, exitCode: Int? = nil, started: Instant, at wall: WallTime
  ) -> UpdateResult {
    UpdateResult(
      state: state, exitCode: exitCode, message: message, finishedAt: wall,
      releaseToStartMilliseconds: releasedAt.map { (started - $0).wholeMilliseconds })
  }
}
