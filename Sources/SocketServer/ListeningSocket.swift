import Glibc

extension HTTPServer {
  /// Binds a Unix stream socket and listens on it, non-blocking and close-on-exec; the caller owns the descriptor.
  ///
  /// A socket file left by a dead process is removed, but only if no process accepts connections on it. `mode`: the
  /// permissions of the file (such as 0o660), set after bind(2) and before listen(2), so no client can connect earlier.
  public static func listen(path: String, mode: UInt32) throws(SocketError) -> CInt {
    guard let address = UnixAddress(path: path) else { throw .unusablePath(path) }
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if descriptor < 0 { throw .system(call: "socket", path: path, errno: errno) }
    do throws(SocketError) {
      if address.bind(descriptor) != 0 {
        if errno != EADDRINUSE { throw SocketError.system(call: "bind", path: path, errno: errno) }
        try removeStale(path: path, address)
        if address.bind(descriptor) != 0 { throw SocketError.system(call: "bind", path: path, errno: errno) }
      }
      if chmod(path, mode) != 0 { throw SocketError.system(call: "chmod", path: path, errno: errno) }
      if Glibc.listen(descriptor, 128) != 0 { throw SocketError.system(call: "listen", path: path, errno: errno) }
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  private static func removeStale(path: String, _ address: UnixAddress) throws(SocketError) {
    var information = stat()
    if lstat(path, &information) != 0 { throw .system(call: "stat", path: path, errno: errno) }
    if information.st_mode & S_IFMT != S_IFSOCK { throw .notASocket(path: path) }
    let probe = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if probe < 0 { throw .system(call: "socket", path: path, errno: errno) }
    defer { close(probe) }
    // EAGAIN: a process listens, and its backlog is full.
    if address.connect(probe) == 0 || errno == EAGAIN { throw .alreadyRunning(path: path) }
    if errno != ECONNREFUSED { throw .system(call: "connect", path: path, errno: errno) }
    if unlink(path) != 0 && errno != ENOENT { throw .system(call: "unlink", path: path, errno: errno) }
  }
}

/// sockaddr_un of a path.
struct UnixAddress {
  private var address = sockaddr_un()

  /// Nil if the path is empty or too long.
  init?(path: String) {
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      if bytes.isEmpty || bytes.count >= room.count || bytes.contains(0) { return false }
      room.copyBytes(from: bytes)
      return true
    }
    if !fits { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
  }

  func bind(_ descriptor: CInt) -> CInt { with { Glibc.bind(descriptor, $0, $1) } }
  func connect(_ descriptor: CInt) -> CInt { with { Glibc.connect(descriptor, $0, $1) } }

  private func with(_ call: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    withUnsafeBytes(of: address) { bytes in
      guard let base = bytes.baseAddress else { return -1 }
      return call(base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}
