import Glibc

/// Why the socket cannot be served.
public enum SocketError: Error, Equatable, CustomStringConvertible {
  /// Longer than the kernel takes (107 bytes), or empty.
  case unusablePath(String)
  /// Something else than a socket is at the path.
  case notASocket(path: String)
  /// Somebody answers at the path.
  case alreadyRunning(path: String)
  /// A system call failed: what was tried, on which path, and errno.
  case system(call: String, path: String, errno: CInt)
  /// libmicrohttpd refused to start; it does not say why.
  case notStarted

  public var description: String {
    switch self {
    case .unusablePath(let path):
      "socket path '\(path)' is empty or longer than 107 bytes; choose a shorter one"
    case .notASocket(let path):
      "\(path) exists and is not a socket; move it away or choose another path"
    case .alreadyRunning(let path):
      "another touchgated is running: it answers on \(path); stop it first (systemctl stop touchgated)"
    case .system(let call, let path, let errno):
      "\(call) on \(path) failed: \(text(errno)); \(advice(errno))"
    case .notStarted:
      "libmicrohttpd did not start; is there memory, and are there file descriptors left (LimitNOFILE=)?"
    }
  }

  private func text(_ errno: CInt) -> String { String(cString: strerror(errno)) }

  private func advice(_ errno: CInt) -> String {
    switch errno {
    case EACCES, EPERM, EROFS: "the folder must be writable for the service's user (RuntimeDirectory=touchgate)"
    case ENOENT: "the folder must exist (RuntimeDirectory=touchgate)"
    case EMFILE, ENFILE: "too many files are open (LimitNOFILE=)"
    default: "see errno \(errno) in errno(3)"
    }
  }
}
