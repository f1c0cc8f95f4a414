import Linux
import TouchgateAPI
import TouchgateClient

/// Why a verb failed.
struct Failure: Error, Equatable {
  /// For standard error; nil if there is nothing to report.
  let message: String?
  let code: ExitCode

  init(message: String?, code: ExitCode) {
    self.message = message
    self.code = code
  }

  init(_ reason: Reason, code: ExitCode) {
    self.init(message: reason.description, code: code)
  }

  /// An error of the service, with the exit status of its kind.
  init(_ error: ClientError) {
    self.init(message: error.description, code: error.exitCode)
  }

  /// What fails in the command itself. Errors of the service are `ClientError`.
  enum Reason: CustomStringConvertible {
    case notApplied(state: String, message: String)
    case noParameter(String)
    case eventsEnded
    case holdEnded(String)
    case noTurn
    case cannotRun(String, Errno)
    case payloadTooLarge(String)
    case payloadUnreadable(String, Errno)
    case outputFailed(Errno)
    case replyNotEncodable

    var description: String {
      switch self {
      case .notApplied(let state, let message):
        "the update was not applied: \(printable(state))" + (message.isEmpty ? "" : ", \(oneLine(message))")
      case .noParameter(let name): "the update has no parameter '\(printable(name))'"
      case .eventsEnded: "no more events: touchgated was stopped"
      case .holdEnded(let reason): "the hold has ended: \(reason)"
      case .noTurn: "the command was not started: touchgated was stopped"
      case .cannotRun(let command, let reason): "cannot run \(command): \(reason)"
      case .payloadTooLarge(let source):
        "payload: \(source) is larger than \(Limits.payload) bytes; pass a path or a URL as a parameter instead"
      case .payloadUnreadable(let source, let reason): "payload: cannot read \(source): \(reason)"
      case .outputFailed(let reason): "cannot write to standard output: \(reason)"
      case .replyNotEncodable: "the reply cannot be encoded as JSON"
      }
    }
  }
}

extension ClientError {
  fileprivate var exitCode: ExitCode {
    switch self {
    case .notRunning, .noReply: .unavailable
    case .noPermission: .notPermitted
    case .timedOut: .tryAgain
    case .refused(let status, _):
      switch status {
      case 403: .notPermitted
      case 408, 423, 429, 503: .tryAgain
      case 400..<500: .badRequest
      default: .failure
      }
    case .malformedReply, .unknownWhetherTouched, .system: .failure
    }
  }
}

/// Calls the service. An error has the exit status of its kind.
func asking<Reply>(_ call: () throws(ClientError) -> Reply) throws(Failure) -> Reply {
  do throws(ClientError) { return try call() } catch { throw Failure(error) }
}

/// Calls the service about one update or hold: status 404 means that there is none with this ID.
func askingAboutOne<Reply>(_ call: () throws(ClientError) -> Reply) throws(Failure) -> Reply {
  do throws(ClientError) {
    return try call()
  } catch {
    if case .refused(status: 404, _) = error { throw Failure(message: error.description, code: .noSuchID) }
    throw Failure(error)
  }
}

/// Calls the service before a command is run. All errors but a time-out have a status that the command itself is not
/// expected to have.
func askingToStart<Reply>(_ call: () throws(ClientError) -> Reply) throws(Failure) -> Reply {
  do throws(ClientError) {
    return try call()
  } catch {
    if case .refused(status: 408, _) = error { throw Failure(error) }
    throw Failure(message: error.description, code: .notStarted)
  }
}
