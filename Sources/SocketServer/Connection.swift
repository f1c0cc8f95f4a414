import CLinux
import CMicrohttpd
import Glibc
import HTTPTypes
import Timeline
import TouchgateAPI

/// One client, from accept to close.
final class Connection {
  enum Phase {
    /// No request yet: after accept, and between two requests.
    case idle(since: Instant)
    case receiving(PartialRequest, since: Instant)
    /// The request is with the application; libmicrohttpd has it suspended.
    case waiting(RequestToken)
    /// The answer is ready; libmicrohttpd will ask for it.
    case answered(HTTPResponse)
    /// The answer is a stream; libmicrohttpd will ask for it.
    case opening(ResponseStream)
    case streaming(ResponseStream)
    case sending(since: Instant)
    /// To be closed: too slow, or the client is gone.
    case dropped
  }

  let handle: OpaquePointer
  /// Owned and closed by libmicrohttpd.
  let descriptor: CInt
  let peer: Peer
  var phase: Phase
  /// Its answer comes late or stays open: it counts against `Limits.openRequests`.
  var isKeptOpen = false
  /// Position in the order of arrival.
  let number: UInt64
  /// Closed for another user's connection; libmicrohttpd reports its end later.
  private(set) var givesWay = false

  init(_ handle: OpaquePointer, peer: (CInt) -> Peer, number: UInt64, now: Instant) {
    self.handle = handle
    self.number = number
    descriptor = tg_http_socket(handle)
    self.peer = peer(descriptor)
    phase = .idle(since: now)
  }

  /// Ends it for another user's connection. libmicrohttpd owns the descriptor; it reads the end and closes it.
  func giveWay() {
    givesWay = true
    switch phase {
    case .idle, .receiving, .sending: phase = .dropped
    case .waiting, .answered, .opening, .streaming, .dropped: break
    }
    _ = shutdown(descriptor, CInt(SHUT_RDWR))
  }

  /// No request is under way.
  var isIdle: Bool { if case .idle = phase { true } else { false } }

  /// When the connection is dropped; nil while it waits for the application, and for a stream whose client reads.
  var deadline: Instant? {
    switch phase {
    case .idle(let since), .receiving(_, let since), .sending(let since):
      since + .seconds(Limits.requestSeconds)
    case .streaming(let stream): stream.stalledSince.map { $0 + .seconds(Limits.requestSeconds) }
    case .waiting, .answered, .opening, .dropped: nil
    }
  }
}

/// A request whose body is still being received.
struct PartialRequest {
  var request: HTTPRequest
  /// The body is over the limit: the rest is read and discarded, then the request is refused.
  private(set) var tooLarge = false

  init(_ request: HTTPRequest) { self.request = request }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if tooLarge { return }
    if request.body.count + bytes.count > Limits.body {
      tooLarge = true
      request.body = []
    } else {
      request.body.append(contentsOf: bytes)
    }
  }
}
