import TouchgateClient

/// What the command says to scripts: a code of its own, or that of a command it has run. 130 (interrupted) is the shell's word for an end by SIGINT.
struct ExitCode: RawRepresentable, Equatable {
  let rawValue: CInt

  static let done = ExitCode(rawValue: 0)
  /// Something else went wrong; with `wait`: the update ended otherwise than applied.
  static let otherwise = ExitCode(rawValue: 1)
  static let usage = ExitCode(rawValue: 2)
  /// `status` only.
  static let notRunning = ExitCode(rawValue: 3)
  static let noSuchID = ExitCode(rawValue: 4)
  /// The service refuses the request as it is (EX_DATAERR).
  static let badRequest = ExitCode(rawValue: 65)
  /// The service is not running (EX_UNAVAILABLE).
  static let unavailable = ExitCode(rawValue: 69)
  /// The same may succeed later (EX_TEMPFAIL).
  static let tryAgain = ExitCode(rawValue: 75)
  /// EX_NOPERM
  static let notPermitted = ExitCode(rawValue: 77)
  /// A verb that runs a command could not (as flock(1)).
  static let ownFailure = ExitCode(rawValue: 125)
}

/// Why a verb did not succeed.
struct Failure: Error, Equatable {
  /// For standard error; nil: nothing to say.
  let message: String?
  let code: ExitCode

  init(message: String?, code: ExitCode) {
    self.message = message
    self.code = code
  }

  init(_ error: ClientError) {
    message = error.description
    switch error {
    case .notRunning, .noReply: code = .unavailable
    case .noPermission: code = .notPermitted
    case .timedOut: code = .tryAgain
    case .refused(let status, _):
      switch status {
      case 403: code = .notPermitted
      case 408, 423, 429, 503: code = .tryAgain
      case 400..<500: code = .badRequest
      default: code = .otherwise
      }
    case .malformedReply, .unknownWhetherTouched, .system: code = .otherwise
    }
  }
}

/// A call to the service whose error is told with the exit code that belongs to it.
func asking<Reply>(_ call: () throws(ClientError) -> Reply) throws(Failure) -> Reply {
  do throws(ClientError) { return try call() } catch { throw Failure(error) }
}

/// The same for a call about one update, where 404 says that there is no such one.
func askingAboutOne<Reply>(_ call: () throws(ClientError) -> Reply) throws(Failure) -> Reply {
  do throws(ClientError) {
    return try call()
  } catch {
    if case .refused(status: 404, _) = error { throw Failure(message: error.description, code: .noSuchID) }
    throw Failure(error)
  }
}
