import Linux
import Timeline
public import TouchgateAPI

/// Why a call to the service failed.
public enum ClientError: Error, Equatable, CustomStringConvertible {
  /// Nothing listens on the socket (ENOENT, ECONNREFUSED).
  case notRunning(path: String)
  /// The user may not open the socket (EACCES, EPERM).
  case noPermission(path: String)
  /// The service answered with this HTTP status and this error.
  case refused(status: Int, Problem)
  /// The connection ended without an answer: the service was stopped.
  case noReply(path: String)
  /// The answer is not one of touchgated, and why.
  case malformedReply(String)
  case timedOut(after: Duration)
  /// Of `isTouched`: the service cannot determine it, and why.
  case unknownWhetherTouched(reason: String)
  /// A system call failed in another way (errno(3)).
  case system(call: String, path: String, errno: CInt)

  /// For the person who reads the error: what is wrong, where, and what to do.
  public var description: String {
    switch self {
    case .notRunning(let path):
      "cannot connect to \(path); is touchgated running? Check: systemctl status touchgated"
    case .noPermission(let path):
      "permission denied: \(path); join the group touchgate (sudo usermod -aG touchgate USER), then log in again"
    case .refused(_, let problem):
      problem.field.map { "\($0): \(problem.message)" } ?? problem.message
    case .noReply(let path):
      "no answer on \(path); was touchgated stopped? Check: systemctl status touchgated"
    case .malformedReply(let what):
      "invalid answer; is this the socket of touchgated? \(what)"
    case .timedOut(let span):
      "no answer within \(TimeSpan.describe(span))"
    case .unknownWhetherTouched(let reason):
      "unknown whether the screen is touched: \(reason)"
    case .system(let call, let path, let errno):
      "\(call) failed on \(path): \(Errno(errno))"
    }
  }
}
