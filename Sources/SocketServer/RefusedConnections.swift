import CLinux
import Glibc
import HTTPTypes
import Linux
import Timeline
import TouchgateAPI

/// Connections that are refused, until their clients have read why.
///
/// A client sends its request before it reads, and one that gets EPIPE meanwhile seldom reads at all. So the head of the
/// request is read first, then the refusal is sent and this direction closed, and what else the client sends is
/// discarded until it closes the connection. All of that is bounded, in bytes and in time.
final class RefusedConnections {
  /// Connections at once, of one user and in all; beyond that they are answered and closed at once.
  static let most = UserLimits(all: 64, perUser: 8)
  /// How long a client has to send the head, and then again to close the connection.
  static let patience: Duration = .seconds(1)
  /// Bytes that are read of one client.
  static let byteLimit = Limits.header + Limits.body

  private struct Refused {
    let uid: UInt32
    let answer: [UInt8]
    /// The last bytes of the head; nil: the refusal has been sent.
    var headEnd: [UInt8]? = []
    var count = 0
    var until: Instant
  }

  private var all: [CInt: Refused] = [:]
  private let readiness: Readiness

  init(_ readiness: Readiness) { self.readiness = readiness }

  deinit { closeAll() }

  var nextDeadline: Instant? { all.values.map(\.until).min() }

  /// Owns the descriptor from now on.
  func add(_ descriptor: CInt, of uid: UInt32, _ refusal: ServerRefusal, now: Instant) {
    all[descriptor] = Refused(uid: uid, answer: refusal.bytes, until: now + Self.patience)
    let others = all.values.count { $0.uid == uid }
    if all.count > Self.most.all || others > Self.most.perUser { return finish(descriptor) }
    do throws(SocketError) {
      try readiness.add(descriptor)
    } catch {
      finish(descriptor)
    }
  }

  /// Reads what has arrived, without waiting.
  func run(now: Instant) {
    for descriptor in Array(all.keys) { advance(descriptor, now) }
  }

  /// Ends what takes too long.
  func timePassed(now: Instant) {
    for (descriptor, refused) in all where refused.until <= now {
      if refused.headEnd == nil { end(descriptor) } else { finish(descriptor) }
    }
  }

  func closeAll() {
    for descriptor in Array(all.keys) { finish(descriptor) }
  }

  private func advance(_ descriptor: CInt, _ now: Instant) {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    let count = retry { recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT)) }
    if count < 0 && Errno().isWouldBlock { return }
    guard count > 0, var refused = all[descriptor] else { return finish(descriptor) }
    refused.count += count
    if refused.count > Self.byteLimit { return finish(descriptor) }
    if let before = refused.headEnd {
      let bytes = before + buffer[..<count]
      refused.headEnd = Array(bytes.suffix(3))
      if refused.count > Limits.header || bytes.firstRange(of: Array("\r\n\r\n".utf8)) != nil {
        send(refused.answer, to: descriptor)
        _ = shutdown(descriptor, CInt(SHUT_WR))
        refused.headEnd = nil
        refused.until = now + Self.patience
      }
    }
    all[descriptor] = refused
  }

  /// Sends the refusal, if that is not done, and closes the connection.
  private func finish(_ descriptor: CInt) {
    if let refused = all[descriptor], refused.headEnd != nil { send(refused.answer, to: descriptor) }
    end(descriptor)
  }

  private func end(_ descriptor: CInt) {
    all[descriptor] = nil
    close(descriptor)
  }

  /// It fits into the buffer of a socket that nothing was sent to, so this does not block.
  private func send(_ bytes: [UInt8], to descriptor: CInt) {
    _ = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
  }
}
