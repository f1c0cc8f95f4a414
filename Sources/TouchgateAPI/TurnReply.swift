/// `POST /v1/turns`: the answer comes when it is the caller's turn, and stays open as long as that lasts.
public struct TurnRequest: Codable, Equatable, Sendable {
  /// How long nobody may have touched, such as `30s`; else as the service says.
  public var quietPeriod: String?
  /// Only this screen counts; else all.
  public var screen: String?
  /// `grab`, `verify` (where nothing is said) or `none`, as for handlers.
  public var `guard`: String?
  /// What for; at most 200 bytes.
  public var reason: String?

  public init(quietPeriod: String? = nil, screen: String? = nil, guard: String? = nil, reason: String? = nil) {
    self.quietPeriod = quietPeriod
    self.screen = screen
    self.guard = `guard`
    self.reason = reason
  }

  public static let fields: Set<String> = ["quietPeriod", "screen", "guard", "reason"]
}

/// It is the caller's turn: nothing else is applied while the connection stays open.
public struct TurnReply: Codable, Equatable, Sendable {
  public var id: String
  /// RFC 3339, UTC.
  public var startedAt: String
  /// From the end of the last contact; nil where no touch was waited for.
  public var releaseToStartMs: Int64?

  public init(id: String, startedAt: String, releaseToStartMs: Int64?) {
    self.id = id
    self.startedAt = startedAt
    self.releaseToStartMs = releaseToStartMs
  }
}

/// `GET /v1/quiet`: nobody has touched for so long.
public struct QuietReply: Codable, Equatable, Sendable {
  public var quiet = true

  public init() {}
}
