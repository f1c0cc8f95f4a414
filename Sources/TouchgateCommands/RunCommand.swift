import Glibc
import TouchgateAPI
import TouchgateClient

/// `run -- COMMAND…`: waits for the caller's turn, runs the command in it, and returns its exit status. The turn ends with
/// the command, or with this process.
func runInTurn(
  _ command: [String], _ request: TurnRequest, timeout: String?, _ session: Session
) throws(Failure) -> ExitCode {
  let stream = try ours { () throws(ClientError) in try session.patient.turn(request, timeout: timeout) }
  guard try ours({ () throws(ClientError) in try stream.nextLine() }) != nil else {
    throw Failure(message: "the service was stopped before it was our turn", code: .ownFailure)
  }
  return try withExtendedLifetime(stream) { () throws(Failure) in try runToEnd(command) }
}

/// `hold --why TEXT -- COMMAND…`: nothing is applied while the command runs.
func runHolding(_ command: [String], _ request: HoldRequest, _ session: Session) throws(Failure) -> ExitCode {
  let stream = try ours { () throws(ClientError) in try session.patient.boundHold(request) }
  return try withExtendedLifetime(stream) { () throws(Failure) in try runToEnd(command) }
}

/// A time-out has its own code; whatever else fails before the command runs is told from the command's own codes by 125.
private func ours<Reply>(_ call: () throws(ClientError) -> Reply) throws(Failure) -> Reply {
  do throws(ClientError) {
    return try call()
  } catch {
    if case .refused(status: 408, _) = error { throw Failure(error) }
    throw Failure(message: error.description, code: .ownFailure)
  }
}

/// Exit status of the command; 128 + N where signal N ended it; 126 and 127 where it cannot be run, as shells have them.
private func runToEnd(_ command: [String]) throws(Failure) -> ExitCode {
  // What a terminal sends goes to the command, too; what is sent to us alone is passed on.
  var signals = sigset_t()
  sigemptyset(&signals)
  for number in [SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT] { sigaddset(&signals, number) }
  var before = sigset_t()
  sigprocmask(SIG_BLOCK, &signals, &before)
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  posix_spawnattr_setsigmask(&attributes, &before)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
  var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  var child: pid_t = 0
  let code = posix_spawnp(&child, command[0], nil, &attributes, &words, environ)
  guard code == 0 else {
    StandardStream.error.write("touchgate: \(command[0]): \(String(cString: strerror(code)))\n")
    return ExitCode(rawValue: code == ENOENT ? 127 : 126)
  }
  while true {
    var number: CInt = 0
    sigwait(&signals, &number)
    switch number {
    case SIGTERM, SIGHUP: kill(child, number)
    case SIGCHLD:
      var status: CInt = 0
      guard waitpid(child, &status, WNOHANG) == child else { continue }
      let signal = status & 0x7f
      if signal == 0 { return ExitCode(rawValue: (status >> 8) & 0xff) }
      if signal != 0x7f { return ExitCode(rawValue: 128 + signal) }
    default: break  // SIGINT, SIGQUIT: the command's affair.
    }
  }
}
