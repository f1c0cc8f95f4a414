import Glibc
import Linux
import Testing

/// A program in the background. Not Foundation's `Process`, whose threads wait for each other in busy loops; in simulated
/// time no other thread would run then.
final class ChildProcess {
  let pid: pid_t
  private var end: Int32?

  /// Starts it with no signals blocked; `errors` is the file for its standard error.
  init(_ program: String, _ arguments: [String], errors: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, program, &actions, &attributes, &words, environ)
    try #require(code == 0, "\(program) cannot be started: \(Errno(code))")
    self.pid = pid
  }

  var isRunning: Bool {
    var status: Int32 = 0
    if end == nil && waitpid(pid, &status, WNOHANG) == pid {
      end = status & 0x7f == 0 ? status >> 8 & 0xff : status & 0x7f
    }
    return end == nil
  }

  /// The exit status, or the number of the signal that ended it.
  func waitUntilExit() -> Int32 {
    while isRunning { usleep(2000) }
    return end ?? -1
  }
}
