/// The exit status of the command: one of its own, or that of a command it has run. 65, 69, 75 and 77 are those of
/// sysexits.h.
struct ExitCode: RawRepresentable, Equatable, Sendable {
  let rawValue: CInt

  static let success = ExitCode(rawValue: 0)
  /// No other status fits; or the update that was waited for was not applied.
  static let failure = ExitCode(rawValue: 1)
  static let usage = ExitCode(rawValue: 2)
  /// Of `status` only.
  static let notRunning = ExitCode(rawValue: 3)
  static let noSuchID = ExitCode(rawValue: 4)
  /// The service refused the request (EX_DATAERR).
  static let badRequest = ExitCode(rawValue: 65)
  /// The service is not running (EX_UNAVAILABLE).
  static let unavailable = ExitCode(rawValue: 69)
  /// The same request may succeed later (EX_TEMPFAIL).
  static let tryAgain = ExitCode(rawValue: 75)
  /// Permission denied (EX_NOPERM).
  static let notPermitted = ExitCode(rawValue: 77)
  /// A verb that runs a command failed before it started the command. As flock(1) and env(1).
  static let notStarted = ExitCode(rawValue: 125)
  /// The command cannot be executed, or was not found. As shells report it.
  static let cannotExecute = ExitCode(rawValue: 126)
  static let commandNotFound = ExitCode(rawValue: 127)
}
