import Glibc
import Timeline

/// A connection to a Unix stream socket with one deadline for all it does.
struct UnixStream: ~Copyable {
  private let descriptor: CInt
  private let path: String
  private let timeout: Duration?
  private let deadline: Instant?

  /// Connects; `timeout` counts from here.
  init(path: String, timeout: Duration?) throws(ClientError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      if bytes.isEmpty || bytes.count >= room.count || bytes.contains(0) { return false }
      room.copyBytes(from: bytes)
      return true
    }
    if !fits { throw .system(call: "connect", path: path, errno: ENAMETOOLONG) }
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if descriptor < 0 { throw .system(call: "socket", path: path, errno: errno) }
    if let timeout {
      // connect(2) waits where the backlog is full, for at most SO_SNDTIMEO; 0 would be for ever.
      let microseconds = max(1, timeout.wholeNanoseconds / 1000)
      var span = timeval(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
      setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &span, socklen_t(MemoryLayout<timeval>.size))
    }
    let deadline = timeout.map { monotonicNow() + $0 }
    while Self.connect(descriptor, address) != 0 {
      let reason = errno
      if reason == EINTR { continue }
      close(descriptor)
      switch reason {
      case ENOENT, ECONNREFUSED: throw .notRunning(path: path)
      case EACCES, EPERM: throw .noPermission(path: path)
      case EAGAIN: throw .timedOut(after: timeout ?? .zero)
      default: throw .system(call: "connect", path: path, errno: reason)
      }
    }
    self.descriptor = descriptor
    self.path = path
    self.timeout = timeout
    self.deadline = deadline
  }

  deinit { close(descriptor) }

  /// Sends all. Where the other side reads no further, it stops: its answer says why.
  func send(_ bytes: [UInt8]) throws(ClientError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: try wait(for: POLLOUT)
      case EPIPE, ECONNRESET: return
      default: throw .system(call: "send", path: path, errno: errno)
      }
    }
  }

  /// Everything until the other side closes.
  func receiveAll(limit: Int) throws(ClientError) -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let piece = try receive()
      if piece.isEmpty { return all }
      all += piece
      if all.count > limit { throw .malformedReply("it is longer than \(limit) bytes") }
    }
  }

  /// What is there, or what comes next; empty: the other side has closed.
  func receive() throws(ClientError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      if count >= 0 { return Array(buffer.prefix(count)) }
      switch errno {
      case EINTR: continue
      case EAGAIN: try wait(for: POLLIN)
      // What was received before the reset has been read by now.
      case ECONNRESET: return []
      default: throw .system(call: "recv", path: path, errno: errno)
      }
    }
  }

  private func wait(for events: CInt) throws(ClientError) {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    var milliseconds: CInt = -1
    if let deadline {
      let left = (deadline - monotonicNow()).wholeMilliseconds
      if left < 0 { throw .timedOut(after: timeout ?? .zero) }
      // Rounded up, so that the last wait is not a spin.
      milliseconds = CInt(clamping: left + 1)
    }
    if poll(&entry, 1, milliseconds) < 0 && errno != EINTR {
      throw .system(call: "poll", path: path, errno: errno)
    }
  }

  private static func connect(_ descriptor: CInt, _ address: sockaddr_un) -> CInt {
    withUnsafeBytes(of: address) { bytes in
      Glibc.connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}

func monotonicNow() -> Instant {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Instant(nanoseconds: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
}
