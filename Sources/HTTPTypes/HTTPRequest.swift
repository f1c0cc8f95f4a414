/// A complete request.
public struct HTTPRequest: Equatable, Sendable {
  /// As sent: `GET`, `POST`, also an unknown one.
  public var method: String
  /// Percent-decoded, without the query: `/v1/updates`.
  public var path: String
  /// Percent-decoded, in the order of the request; a name without `=` has the value "".
  public var query: [QueryItem]
  /// Content-Type; nil if the request has none.
  public var contentType: String?
  /// Origin, which browsers send; nil if the request has none.
  public var origin: String?
  /// The body in bytes; empty if the request has none.
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

  /// Whether the body is JSON according to `contentType`. A missing type means JSON, and so does
  /// `application/x-www-form-urlencoded`, which `curl -d` sends by default.
  public var declaresJSON: Bool {
    guard let contentType else { return true }
    let type = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    return type == "application/json" || type == "application/x-www-form-urlencoded"
  }
}

/// One `name=value` of a query, percent-decoded.
public struct QueryItem: Equatable, Sendable {
  public var name: String
  public var value: String

  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
