/// `GET /v1`.
public struct AboutReply: Codable, Equatable, Sendable {
  public var name: String
  public var version: String

  public init(name: String, version: String) {
    self.name = name
    self.version = version
  }
}
