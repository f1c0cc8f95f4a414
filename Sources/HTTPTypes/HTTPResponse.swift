/// A response. The server adds Content-Length, Date and Connection.
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

/// One header field of a response.
public struct HTTPHeader: Equatable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
