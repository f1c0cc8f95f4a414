import Glibc
import Linux
import Timeline

/// A connection to a Unix stream socket, with one deadline for everything it does.
struct UnixStream: ~Copyable {
  private let descriptor: FileDescriptor
  private let path: String
  /// To be watched for reading.
  var raw: CInt { descriptor.raw }
  private let timeout: Duration?
  private var deadline: Instant?

  /// Connects; `timeout` counts from here.
  init(path: String, timeout: Duration?) throws(ClientError) {
    let deadline = timeout.map { SystemClock.monotonic + $0 }
    descriptor = try Self.connected(path, timeout)
    self.path = path
    self.timeout = timeout
    self.deadline = deadline
  }

  private static func connected(_ path: String, _ timeout: Duration?) throws(ClientError) -> FileDescriptor {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      if bytes.isEmpty || bytes.count >= room.count || bytes.contains(0) { return false }
      room.copyBytes(from: bytes)
      return true
    }
    if !fits { throw .system(call: "connect", path: path, errno: ENAMETOOLONG) }
    let raw = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let descriptor: FileDescriptor
    do throws(Errno) {
      descriptor = try FileDescriptor(owning: raw)
    } catch {
      throw .system(call: "socket", path: path, errno: error.code)
    }
    if let timeout {
      // If the backlog is full, connect(2) waits for at most SO_SNDTIMEO; 0 would mean no limit.
      let microseconds = max(1, timeout.wholeNanoseconds / 1000)
      var span = timeval(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
      setsockopt(raw, SOL_SOCKET, SO_SNDTIMEO, &span, socklen_t(MemoryLayout<timeval>.size))
    }
    if retry({ connect(raw, address) }) == 0 { return descriptor }
    let reason = Errno()
    switch reason.code {
    case ENOENT, ECONNREFUSED: throw .notRunning(path: path)
    case EACCES, EPERM: throw .noPermission(path: path)
    case EAGAIN: throw .timedOut(after: timeout ?? .zero)
    default: throw .system(call: "connect", path: path, errno: reason.code)
    }
  }

  /// From now on waits without a limit.
  mutating func waitWithoutLimit() { deadline = nil }

  /// Sends all bytes. Stops if the service reads no further: its answer says why.
  func send(_ bytes: [UInt8]) throws(ClientError) {
    let raw = descriptor.raw
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = retry {
        rest.withUnsafeBytes { Glibc.send(raw, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)) }
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      let reason = Errno()
      if reason.code == EPIPE || reason.code == ECONNRESET { return }
      if !reason.isWouldBlock { throw .system(call: "send", path: path, errno: reason.code) }
      try wait(for: POLLOUT)
    }
  }

  /// Receives everything until the service closes the connection; at most `limit` bytes.
  func receiveAll(limit: Int) throws(ClientError) -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let piece = try receive()
      if piece.isEmpty { return all }
      all += piece
      if all.count > limit { throw .malformedReply("it is larger than \(limit) bytes") }
    }
  }

  /// Receives what has arrived, or waits for it; empty if the service has closed the connection.
  func receive() throws(ClientError) -> [UInt8] {
    let raw = descriptor.raw
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = retry { recv(raw, &buffer, buffer.count, CInt(MSG_DONTWAIT)) }
      if count >= 0 { return Array(buffer.prefix(count)) }
      let reason = Errno()
      // What was received before the reset has been read by now.
      if reason.code == ECONNRESET { return [] }
      if !reason.isWouldBlock { throw .system(call: "recv", path: path, errno: reason.code) }
      try wait(for: POLLIN)
    }
  }

  private func wait(for events: CInt) throws(ClientError) {
    let isReady: Bool
    do throws(Errno) {
      isReady = try waitUntilReady(descriptor.raw, for: events, until: deadline)
    } catch {
      throw .system(call: "poll", path: path, errno: error.code)
    }
    if !isReady { throw .timedOut(after: timeout ?? .zero) }
  }

  private static func connect(_ descriptor: CInt, _ address: sockaddr_un) -> CInt {
    withUnsafeBytes(of: address) { bytes in
      Glibc.connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}
