/// `POST /v1/holds`.
public struct HoldRequest: Codable, Equatable, Sendable {
  /// Shown to everybody who asks what an update is waiting for; 1 to 200 bytes.
  public var reason: String
  /// Hold this screen only; nil: all screens.
  public var screen: String?
  /// Time span of a hold that outlives its caller, such as `10min`; at most `MaxHold=`. Nil: the answer stays open, and
  /// the hold ends with the connection.
  public var ttl: String?
  /// The id of the hold or turn whose connection was lost: it ends, and this hold, without a `ttl`, takes its place. One that has
  /// ended meanwhile is ignored. Nil: none.
  public var resumes: String?

  public init(reason: String, screen: String? = nil, ttl: String? = nil, resumes: String? = nil) {
    self.resumes = resumes
    self.reason = reason
    self.screen = screen
    self.ttl = ttl
  }

  public static let fields: Set<String> = ["reason", "screen", "ttl", "resumes"]
}

/// One hold. Fields may be added, but are never renamed.
public struct HoldReply: Codable, Equatable, Sendable {
  public var id: String
  public var screen: String?
  public var uid: UInt32
  public var pid: Int32
  /// The systemd unit of the owner; nil if it has none.
  public var unit: String?
  public var reason: String
  /// RFC 3339, UTC.
  public var since: String
  /// When it ends (RFC 3339, UTC); nil: with the connection of its owner.
  public var until: String?

  public init(
    id: String, screen: String?, uid: UInt32, pid: Int32, unit: String?, reason: String, since: String, until: String?
  ) {
    self.id = id
    self.screen = screen
    self.uid = uid
    self.pid = pid
    self.unit = unit
    self.reason = reason
    self.since = since
    self.until = until
  }
}

/// `GET /v1/holds`.
public struct HoldListReply: Codable, Equatable, Sendable {
  public var holds: [HoldReply]
  /// Turns block as holds do: those that wait and the one that lasts.
  public var turns: [TurnStateReply]?

  public init(holds: [HoldReply], turns: [TurnStateReply]? = nil) {
    self.holds = holds
    self.turns = turns
  }
}
