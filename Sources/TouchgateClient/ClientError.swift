import Glibc
import Timeline
public import TouchgateAPI

/// Why a call to the service did not succeed.
public enum ClientError: Error, Equatable, CustomStringConvertible {
  /// Nobody listens at the socket (ENOENT, ECONNREFUSED).
  case notRunning(path: String)
  /// The socket may not be opened (EACCES).
  case noPermission(path: String)
  /// The service answered with an error: HTTP status and what it says.
  case refused(status: Int, Problem)
  /// The connection ended without an answer: the service was stopped meanwhile.
  case noReply(path: String)
  /// What came back is not an answer of touchgated; says what is wrong with it.
  case malformedReply(String)
  case timedOut(after: Duration)
  /// `isTouched` only: the service cannot tell, and why.
  case unknownWhetherTouched(reason: String)
  /// Another failure of a system call.
  case system(call: String, path: String, errno: CInt)

  public var description: String {
    switch self {
    case .notRunning(let path):
      "nobody answers on \(path); is touchgated running? systemctl status touchgated"
    case .noPermission(let path):
      "no permission for \(path); join the group touchgate (sudo usermod -aG touchgate USER, then log in again)"
    case .refused(_, let problem):
      problem.field.map { "\($0): \(problem.message)" } ?? problem.message
    case .noReply(let path):
      "\(path) was closed before the answer came; was touchgated stopped? systemctl status touchgated"
    case .malformedReply(let what):
      "the answer is not one of touchgated: \(what)"
    case .timedOut(let span):
      "no answer within \(TimeSpan.describe(span))"
    case .unknownWhetherTouched(let reason):
      "the service cannot tell whether the screen is touched: \(reason)"
    case .system(let call, let path, let errno):
      "\(call) on \(path) failed: \(String(cString: strerror(errno)))"
    }
  }
}
