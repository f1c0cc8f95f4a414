/// Identifies one request until it is answered; never reused.
public struct RequestToken: Hashable, Sendable, CustomStringConvertible {
  /// Counts up from 1.
  public let number: UInt64

  public init(number: UInt64) { self.number = number }

  public var description: String { "request \(number)" }
}

/// A request that waits for its response.
public struct IncomingRequest: Equatable, Sendable {
  public let token: RequestToken
  public let request: HTTPRequest

  public init(token: RequestToken, request: HTTPRequest) {
    self.token = token
    self.request = request
  }
}
