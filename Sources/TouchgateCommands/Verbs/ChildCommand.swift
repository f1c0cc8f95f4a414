import Glibc
import Linux

/// Runs a command to its end and returns its exit status: 128 + N if signal N ended it, as shells report it.
func runToEnd(_ command: [String]) throws(Failure) -> ExitCode {
  // A terminal sends its signals to the command, too. What is sent to this process alone is passed on.
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
    throw Failure(.cannotRun(command[0], Errno(code)), code: code == ENOENT ? .commandNotFound : .cannotExecute)
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
    default: break  // SIGINT and SIGQUIT: the terminal has sent them to the command.
    }
  }
}
