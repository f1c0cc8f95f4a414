/// `POST /v1/turns`: answered when the caller's turn begins. The turn lasts while the answer stays open.
public struct TurnRequest: Codable, Equatable, Sendable {
  /// How long nobody may have touched, such as `30s`; nil: as configured.
  public var quietPeriod: String?
  /// Only this screen counts; nil: all screens.
  public var screen: String?
  /// `grab`, `verify` (default) or `none`, as for handlers.
  public var `guard`: String?
  /// Purpose of the turn, shown to everybody who asks what an update is waiting for; at most 200 bytes.
  public var reason: String?
  /// How long the turn lasts at most, such as `20min`, up to `MaxTurn=`; nil: `MaxTurn=`.
  public var max: String?

  public init(
    quietPeriod: String? = nil, screen: String? = nil, guard: String? = nil, reason: String? = nil, max: String? = nil
  ) {
    self.max = max
    self.quietPeriod = quietPeriod
    self.screen = screen
    self.guard = `guard`
    self.reason = reason
  }

  public static let fields: Set<String> = ["quietPeriod", "screen", "guard", "reason", "max"]
}

/// A turn that waits or lasts. Fields may be added, but are never renamed.
public struct TurnStateReply: Codable, Equatable, Sendable {
  public var id: String
  public var screen: String?
  public var uid: UInt32
  public var pid: Int32
  /// The systemd unit of the owner; nil if it has none.
  public var unit: String?
  /// May be empty.
  public var reason: String
  /// When it was asked for (RFC 3339, UTC).
  public var since: String
  /// When it began; nil: it waits.
  public var startedAt: String?
  /// When it ends at the latest; nil: it waits, or lasts as long as its owner wants.
  public var until: String?
  /// What it waits for; nil: it lasts.
  public var blockers: [BlockerReply]?

  public init(
    id: String, screen: String?, uid: UInt32, pid: Int32, unit: String?, reason: String, since: String,
    startedAt: String?, until: String?, blockers: [BlockerReply]? = nil
  ) {
    self.blockers = blockers
    self.id = id
    self.screen = screen
    self.uid = uid
    self.pid = pid
    self.unit = unit
    self.reason = reason
    self.since = since
    self.startedAt = startedAt
    self.until = until
  }
}

/// `GET /v1/turns`.
public struct TurnListReply: Codable, Equatable, Sendable {
  public var turns: [TurnStateReply]

  public init(turns: [TurnStateReply]) { self.turns = turns }
}

/// The last line of the answer: the turn has ended although the connection is open.
public struct TurnEndReply: Codable, Equatable, Sendable {
  /// Why: for people.
  public var ended: String

  public init(ended: String) { self.ended = ended }
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
