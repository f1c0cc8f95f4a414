/// `POST /v1/turns`: answered when the caller's turn begins. The turn lasts while the answer stays open.
public struct TurnRequest: Codable, Equatable, Sendable {
  /// How long nobody may have touched, such as `30s`; nil: as configured.
  public var quietPeriod: String?
  /// Only this screen counts; nil: all screens.
  public var screen: String?
  /// `grab`, `verify` (default) or `none`, as for handlers.
  public var `guard`: String?
  /// Purpose of the turn; at most 200 bytes.
  public var reason: String?

  public init(quietPeriod: String? = nil, screen: String? = nil, guard: String? = nil, reason: String? = nil) {
    self.quietPeriod = quietPeriod
    self.screen = screen
    self.guard = `guard`
    self.reason = reason
  }

  public static let fields: Set<String> = ["quietPeriod", "screen", "guard", "reason"]
}

/// The first line of the answer: the turn has begun, and no update is applied while the connection stays open.
public struct TurnReply: Codable, Equatable, Sendable {
  public var id: String
  /// RFC 3339, UTC.
  public var startedAt: String
  /// Milliseconds from the end of the last contact; nil if the caller did not have to wait for one.
  public var releaseToStartMs: Int64?

  public init(id: String, startedAt: String, releaseToStartMs: Int64?) {
    self.id = id
    self.startedAt = startedAt
    self.releaseToStartMs = releaseToStartMs
  }
}

/// `GET /v1/quiet`: nobody has touched for the requested time.
public struct QuietReply: Codable, Equatable, Sendable {
  public var quiet = true

  public init() {}
}
