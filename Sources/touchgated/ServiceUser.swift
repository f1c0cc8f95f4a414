import Glibc
import Linux

/// The user of the installed service (systemd/sysusers.d/touchgate.conf).
enum ServiceUser {
  private static let name = "touchgate"

  /// Root becomes this user for good, so that root and the service judge alike what can be read and executed. Has no effect
  /// for other users, or if there is no such user. Throws `Errno`.
  static func become() throws(Errno) {
    guard geteuid() == 0, let entry = getpwnam(name)?.pointee else { return }
    if initgroups(name, entry.pw_gid) != 0 || setgid(entry.pw_gid) != 0 || setuid(entry.pw_uid) != 0 { throw Errno() }
  }
}
