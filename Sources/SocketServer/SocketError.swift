import Glibc
import Linux

/// Errors of the server and its socket.
public enum SocketError: Error, Equatable, CustomStringConvertible {
  /// Empty, or longer than the kernel accepts (107 bytes).
  case unusablePath(String)
  /// The path exists and is not a socket.
  case notASocket(path: String)
  /// Another process accepts connections at the path.
  case alreadyRunning(path: String)
  /// A system call failed.
  case system(call: String, path: String, errno: CInt)
  /// libmicrohttpd did not start; it reports no reason.
  case notStarted

  public var description: String {
    switch self {
    case .unusablePath(let path):
      "socket path '\(path)' is empty or longer than 107 bytes; choose a shorter one"
    case .notASocket(let path):
      "\(path) exists and is not a socket; remove it or choose another path"
    case .alreadyRunning(let path):
      "another touchgated is running on \(path); stop it first (systemctl stop touchgated)"
    case .system(let call, let path, let errno):
      "\(call) on \(path) failed: \(Errno(errno)); \(advice(errno))"
    case .notStarted:
      "libmicrohttpd did not start; check free memory and file descriptors (LimitNOFILE=)"
    }
  }

  private func advice(_ errno: CInt) -> String {
    switch errno {
    case EACCES, EPERM, EROFS: "the folder must be writable for the service's user (RuntimeDirectory=touchgate)"
    case ENOENT: "the folder must exist (RuntimeDirectory=touchgate)"
    case EMFILE, ENFILE: "too many files are open (LimitNOFILE=)"
    default: "see errno \(errno) in errno(3)"
    }
  }
}
