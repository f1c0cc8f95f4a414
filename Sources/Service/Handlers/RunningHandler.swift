import Scheduling
import Timeline

/// A handler that is at work on an update: a program of our own, or a unit that systemd runs.
protocol RunningHandler: AnyObject {
  var update: Update { get }
  var started: Instant { get }
  /// Its time-out, or what comes after that.
  var nextDeadline: Instant? { get }
  /// The service need not wait for it when it stops: it goes on without it, and the next start learns how it ended.
  var canBeLeft: Bool { get }
  func timePassed(_ now: Instant)
}

/// What came of it.
struct HandlerEnd: Equatable {
  let result: UpdateResult
  /// Exit status 75 (EX_TEMPFAIL of sysexits.h): not now, but nothing has failed.
  var triesLater = false
}
