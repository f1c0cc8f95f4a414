/// The operator's pause: since when, by whom, and why. Also the answer to `POST /v1/pause`.
public struct PauseReply: Codable, Equatable, Sendable {
  /// RFC 3339, UTC.
  public var since: String
  public var uid: UInt32
  public var reason: String

  public init(since: String, uid: UInt32, reason: String) {
    self.since = since
    self.uid = uid
    self.reason = reason
  }
}

/// `POST /v1/pause`.
public struct PauseRequest: Codable, Equatable, Sendable {
  /// Shown to everybody who asks what an update is waiting for; at most 200 bytes.
  public var reason: String?

  public init(reason: String? = nil) { self.reason = reason }

  public static let fields: Set<String> = ["reason"]
}
