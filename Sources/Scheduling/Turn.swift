public import Timeline

/// The caller's exclusive moment: it waits for quiet as an update does, and while it lasts nothing is applied. It ends with
/// `Scheduler.leave`.
public struct Turn: Equatable, Sendable {
  /// Unique among turns.
  public let id: TurnID
  /// The process that asked for it.
  public let owner: Submitter
  /// The systemd unit of the owner; nil if it is unknown.
  public let unit: String?
  /// Shown to everybody who asks what blocks; at most 200 bytes, may be empty.
  public let reason: String
  /// When it was asked for.
  public let since: WallTime
  /// How long it lasts at most; nil: as long as its owner wants.
  public let longest: Duration?
  /// The only screen that it waits for; nil: all screens.
  public let screen: String?
  /// How long no screen may have been touched; nil: the setting of the service.
  public let quietPeriod: Duration?
  /// Place in the order of arrival, among updates and turns.
  public let sequence: Int64

  public init(
    id: TurnID, owner: Submitter, unit: String? = nil, reason: String = "", since: WallTime, longest: Duration? = nil,
    screen: String?, quietPeriod: Duration?, sequence: Int64
  ) {
    self.id = id
    self.owner = owner
    self.unit = unit
    self.reason = reason
    self.since = since
    self.longest = longest
    self.screen = screen
    self.quietPeriod = quietPeriod
    self.sequence = sequence
  }
}

/// A turn that waits or lasts, for those who ask.
public struct TurnState: Equatable, Sendable {
  public let turn: Turn
  /// Since when it lasts; nil: it waits.
  public let begun: Instant?

  /// When it ends at the latest; nil: it waits, or lasts as long as its owner wants.
  public var ends: Instant? {
    guard let begun, let longest = turn.longest else { return nil }
    return begun + longest
  }
}

/// What waits for a quiet moment: an update, or a turn.
public enum Work: Equatable, Sendable {
  case update(Update)
  case turn(Turn)

  /// The id of the update or the turn.
  public var id: WorkID {
    switch self {
    case .update(let update): .update(update.id)
    case .turn(let turn): .turn(turn.id)
    }
  }

  /// Nil: it waits for all screens.
  public var screen: String? {
    switch self {
    case .update(let update): update.screen
    case .turn(let turn): turn.screen
    }
  }

  /// The update; nil for a turn.
  public var update: Update? {
    switch self {
    case .update(let update): update
    case .turn: nil
    }
  }

  var place: Int64 {
    switch self {
    case .update(let update): update.place
    case .turn(let turn): turn.sequence
    }
  }

  /// Of a turn: 0.
  var priority: Int { update?.priority ?? 0 }
}
