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

  init(_ handle: OpaquePointer, now: Instant) {
    self.handle = handle
    descriptor = tg_http_socket(handle)
    var (pid, uid, gid): (CInt, CUnsignedInt, CUnsignedInt) = (0, .max, .max)
    // This cannot fail on a connected Unix socket; if it did, uid 4294967295 has no rights.
    _ = tg_peer_credentials(descriptor, &pid, &uid, &gid)
    peer = Peer(pid: pid, uid: uid, gid: gid, groups: Self.groups(descriptor))
    phase = .idle(since: now)
  }

  private static func groups(_ descriptor: CInt) -> [UInt32] {
    var groups = [CUnsignedInt](repeating: 0, count: 64)
    var count = tg_peer_groups(descriptor, &groups, CUnsignedInt(groups.count))
    if count < 0 && errno == ERANGE {
      groups = [CUnsignedInt](repeating: 0, count: 65536)  // NGROUPS_MAX
      count = tg_peer_groups(descriptor, &groups, CUnsignedInt(groups.count))
    }
    return Array(groups.prefix(Int(max(0, count))))
  }

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
