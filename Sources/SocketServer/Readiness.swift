import CMicrohttpd
import Glibc
import HTTPTypes

/// One epoll descriptor for the loop to watch. It contains:
/// * libmicrohttpd's epoll descriptor, and the connections above the limits;
/// * the connections whose request waits, because libmicrohttpd does not watch suspended ones, and their clients may die
///   (only EPOLLHUP counts: EPOLLRDHUP also means a client that has closed its sending half and waits for the answer);
/// * an eventfd for work that no descriptor shows: a resumed connection (tested with 0.9.75: nothing becomes readable),
///   and what one `run` left over.
final class Readiness {
  let descriptor: CInt
  private let wakeUp: CInt

  private static let plain: UInt64 = 0

  init() throws(SocketError) {
    descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
    wakeUp = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
    let reason = errno
    if descriptor < 0 || wakeUp < 0 {
      throw .system(call: "epoll_create1 or eventfd", path: "the socket's events", errno: reason)
    }
    try add(wakeUp)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if wakeUp >= 0 { close(wakeUp) }
  }

  /// Makes `descriptor` readable when `other` is.
  func add(_ other: CInt) throws(SocketError) {
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.plain))
    if epoll_ctl(descriptor, EPOLL_CTL_ADD, other, &event) != 0 {
      throw .system(call: "epoll_ctl", path: "the socket's events", errno: errno)
    }
  }

  /// Makes `descriptor` readable until `takeHungUp`.
  func wake() { eventfd_write(wakeUp, 1) }

  func watch(_ connection: CInt, _ token: RequestToken) {
    // EPOLLHUP is always reported. Without memory for the watch, a dead client is noticed when it is answered.
    var event = epoll_event(events: 0, data: epoll_data_t(u64: token.number))
    _ = epoll_ctl(descriptor, EPOLL_CTL_ADD, connection, &event)
  }

  /// Makes `descriptor` readable when the client of a connection is gone. Returns false if there is no memory for that.
  func watchHangUp(_ connection: CInt) -> Bool {
    var event = epoll_event(events: 0, data: epoll_data_t(u64: Self.plain))
    return epoll_ctl(descriptor, EPOLL_CTL_ADD, connection, &event) == 0
  }

  /// From then on also when its client sends something.
  func watchInput(_ connection: CInt) {
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.plain))
    _ = epoll_ctl(descriptor, EPOLL_CTL_MOD, connection, &event)
  }

  func unwatch(_ connection: CInt) {
    _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, connection, nil)
  }

  /// The requests whose clients are gone. Does not wait.
  func takeHungUp() -> [RequestToken] {
    var value: eventfd_t = 0
    eventfd_read(wakeUp, &value)
    var events = [epoll_event](repeating: epoll_event(), count: 128)
    let count = epoll_wait(descriptor, &events, CInt(events.count), 0)
    if count <= 0 { return [] }
    return events[..<Int(count)].compactMap { $0.data.u64 == Self.plain ? nil : RequestToken(number: $0.data.u64) }
  }
}
