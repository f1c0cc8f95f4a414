import CLinux
import Glibc
import HTTPTypes
import Linux
import Timeline
import TouchgateAPI

/// Connections above the limits. Each waits for a place for a while, so that a burst of short requests is answered; then
/// it is refused.
///
/// A client sends its request before it reads, and one that gets EPIPE meanwhile seldom reads at all. So the head of the
/// request is read before the refusal is sent. Then this direction is closed, and what else the client sends is discarded
/// until it closes the connection. All of that is bounded, in bytes and in time.
final class SurplusConnections {
  /// Connections at once, of one user and in all; beyond that they are answered and closed at once.
  static let most = UserLimits(all: 64, perUser: 8)
  /// How long each step lasts at most: the wait for a place, for the head, and for the client to close the connection.
  static let patience: Duration = .seconds(1)
  /// Bytes that are read of one client.
  static let byteLimit = Limits.header + Limits.body

  private enum Step {
    case waitsForPlace
    /// The last bytes that were read.
    case readsHead([UInt8])
    /// The refusal has been sent.
    case drains
  }

  private struct Surplus {
    let descriptor: CInt
    let uid: UInt32
    let refusal: ServerRefusal
    var step = Step.waitsForPlace
    var bytes = 0
    var until: Instant
  }

  /// In the order of arrival.
  private var all: [Surplus] = []
  private let readiness: Readiness

  init(_ readiness: Readiness) { self.readiness = readiness }

  deinit { closeAll() }

  var nextDeadline: Instant? { all.map(\.until).min() }
  var isEmpty: Bool { all.isEmpty }

  /// Owns the descriptor from now on.
  func add(_ descriptor: CInt, of uid: UInt32, _ refusal: ServerRefusal, now: Instant) {
    let own = all.count { $0.uid == uid }
    let surplus = Surplus(descriptor: descriptor, uid: uid, refusal: refusal, until: now + Self.patience)
    guard all.count < Self.most.all, own < Self.most.perUser, readiness.watchHangUp(descriptor) else {
      answer(surplus)
      close(descriptor)
      return
    }
    all.append(surplus)
  }

  /// Continues with each, without waiting. `hasPlace`: whether a user may have one more connection. Returns those that have
  /// a place now, and are no longer owned.
  func run(now: Instant, hasPlace: (UInt32) -> Bool, admit: (CInt) -> Void) {
    if all.isEmpty { return }
    all = all.compactMap { surplus in
      var surplus = surplus
      if case .waitsForPlace = surplus.step, isGone(surplus) {
        close(surplus.descriptor)
        return nil
      }
      if case .waitsForPlace = surplus.step, hasPlace(surplus.uid) {
        readiness.unwatch(surplus.descriptor)
        admit(surplus.descriptor)
        return nil
      }
      return advance(&surplus, now) ? surplus : nil
    }
  }

  func closeAll() {
    for surplus in all {
      if case .drains = surplus.step {} else { answer(surplus) }
      close(surplus.descriptor)
    }
    all = []
  }

  /// Returns false if the connection is closed.
  private func advance(_ surplus: inout Surplus, _ now: Instant) -> Bool {
    let isOverdue = surplus.until <= now
    switch surplus.step {
    case .waitsForPlace:
      if !isOverdue { return true }
      surplus.step = .readsHead([])
      surplus.until = now + Self.patience
      readiness.watchInput(surplus.descriptor)
      return advance(&surplus, now)
    case .readsHead(let before):
      let (bytes, hasEnded) = read(&surplus)
      let last = before + bytes
      surplus.step = .readsHead(last.suffix(3))
      let isWhole = surplus.bytes > Limits.header || last.firstRange(of: Array("\r\n\r\n".utf8)) != nil
      if !isWhole && !hasEnded && !isOverdue { return true }
      answer(surplus)
      _ = shutdown(surplus.descriptor, CInt(SHUT_WR))
      surplus.step = .drains
      surplus.until = now + Self.patience
      if hasEnded || isOverdue { close(surplus.descriptor) }
      return !hasEnded && !isOverdue
    case .drains:
      let (_, hasEnded) = read(&surplus)
      let isDone = hasEnded || isOverdue || surplus.bytes > Self.byteLimit
      if isDone { close(surplus.descriptor) }
      return !isDone
    }
  }

  /// What has arrived, and whether the client has closed its side.
  private func read(_ surplus: inout Surplus) -> (bytes: ArraySlice<UInt8>, hasEnded: Bool) {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    let count = retry { recv(surplus.descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT)) }
    if count < 0 { return ([], !Errno().isWouldBlock) }
    surplus.bytes += count
    return (buffer[..<count], count == 0)
  }

  private func isGone(_ surplus: Surplus) -> Bool {
    var byte: UInt8 = 0
    return retry { recv(surplus.descriptor, &byte, 1, CInt(MSG_DONTWAIT) | CInt(MSG_PEEK)) } == 0
  }

  /// It fits into the buffer of a socket that nothing was sent to, so this does not block.
  private func answer(_ surplus: Surplus) {
    let bytes = surplus.refusal.bytes
    _ = send(surplus.descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
  }
}
