/// A request as it arrived, whole.
public struct HTTPRequest: Equatable, Sendable {
  /// As sent: `GET`, `POST`, also one nobody knows.
  public var method: String
  /// Percent-decoded, without the query: `/v1/updates`.
  public var path: String
  /// Percent-decoded, in the order of the request; a name without `=` has the value "".
  public var query: [QueryItem]
  /// Content-Type; nil where the request has none.
  public var contentType: String?
  /// Origin, which browsers send; nil where the request has none.
  public var origin: String?
  /// At most `Limits.body` bytes.
  public var body: [UInt8]
  public var peer: Peer

  public init(
    method: String, path: String, query: [QueryItem] = [], contentType: String? = nil, origin: String? = nil,
    body: [UInt8] = [], peer: Peer
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.contentType = contentType
    self.origin = origin
    self.body = body
    self.peer = peer
  }
}

public struct QueryItem: Equatable, Sendable {
  public var name: String
  public var value: String

  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// The process at the other end, from the kernel (SO_PEERCRED, SO_PEERGROUPS): as it was when it connected.
public struct Peer: Equatable, Sendable {
  public var pid: Int32
  public var uid: UInt32
  public var gid: UInt32
  /// Supplementary ones.
  public var groups: [UInt32]

  public init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
    self.groups = groups
    self.pid = pid
    self.uid = uid
    self.gid = gid
  }
}

/// An answer. Content-Length, Date and Connection are added by libmicrohttpd.
public struct HTTPResponse: Equatable, Sendable {
  /// 200 to 599.
  public var status: Int
  public var body: [UInt8]
  public var contentType: String
  /// Further headers, such as Retry-After.
  public var headers: [HTTPHeader]

  public init(
    status: Int, body: [UInt8] = [], contentType: String = "application/json", headers: [HTTPHeader] = []
  ) {
    self.status = status
    self.body = body
    self.contentType = contentType
    self.headers = headers
  }
}

public struct HTTPHeader: Equatable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// Names one request until it is answered; never used again.
public struct RequestToken: Hashable, Sendable, CustomStringConvertible {
  let number: UInt64

  public var description: String { "request \(number)" }
}

/// A request that waits for `HTTPServer.respond`.
public struct IncomingRequest: Equatable, Sendable {
  public let token: RequestToken
  public let request: HTTPRequest
}
