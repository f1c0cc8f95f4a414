/// `POST /v1/holds`.
public struct HoldRequest: Codable, Equatable, Sendable {
  /// For those who wonder why nothing is applied; 1 to 200 bytes.
  public var reason: String
  /// Hold this screen only; else all.
  public var screen: String?
  /// How long, such as `10min`, at most `MaxHold=`: the hold outlives its caller. Without it, the answer stays open, and
  /// the hold ends with it.
  public var ttl: String?

  public init(reason: String, screen: String? = nil, ttl: String? = nil) {
    self.reason = reason
    self.screen = screen
    self.ttl = ttl
  }

  public static let fields: Set<String> = ["reason", "screen", "ttl"]
}

/// One hold. Fields may be added, never renamed.
public struct HoldReply: Codable, Equatable, Sendable {
  public var id: String
  public var screen: String?
  public var uid: UInt32
  public var pid: Int32
  /// The systemd unit of the owner, where it has one.
  public var unit: String?
  public var reason: String
  /// RFC 3339, UTC.
  public var since: String
  /// When it ends by itself; nil: with its owner's connection.
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

  public init(holds: [HoldReply]) { self.holds = holds }
}
