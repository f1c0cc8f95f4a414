import Glibc
import Linux

/// Runs a command to its end and returns its exit status: 128 + N if signal N ended it, as shells report it. `watch`: what
/// protects it.
func runToEnd(_ command: [String], watching watch: StreamWatch? = nil) throws(Failure) -> ExitCode {
  // A terminal sends its signals to the command, too. What is sent to this process alone is passed on.
  let signals: SignalDescriptor
  do throws(Errno) {
    signals = try SignalDescriptor([SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT])
  } catch {
    throw Failure(.cannotRun(command[0], error), code: .notStarted)
  }
  var before = signals.before
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
    var entries = [signals.raw, watch?.descriptor ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = retry { poll(&entries, 2, watch?.timeout ?? -1) }
    if count == 0 { watch?.reconnect() }
    if entries[1].revents != 0 { watch?.read() }
    guard let number = signals.next() else { continue }
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
