public import Timeline

/// Somebody wants nothing to be applied for a while. Holds have names and owners and are not a counter, so that a
/// forgotten one can be found.
public struct Hold: Equatable, Sendable {
  /// Unique among holds.
  public let id: HoldID
  /// The only screen that is held; nil: all screens.
  public let screen: String?
  /// The process that asked for it.
  public let owner: Submitter
  /// The systemd unit of the owner; nil if it is unknown.
  public let unit: String?
  /// Shown to everybody who asks what blocks; 1 to 200 bytes.
  public let reason: String
  /// When it began.
  public let since: WallTime
  /// When it expires; nil: it ends with the connection of its owner.
  public var until: SteadyTime?
  /// What the steady clock said when it began.
  public let spanBegan: SteadyTime
  /// Of one that ends with a connection: when it ends at the latest, because it continues a turn; nil: no such time.
  public var ends: SteadyTime?

  public init(
    id: HoldID, screen: String? = nil, owner: Submitter, unit: String? = nil, reason: String, since: WallTime,
    until: SteadyTime?, spanBegan: SteadyTime = SteadyTime(milliseconds: 0), ends: SteadyTime? = nil
  ) {
    self.spanBegan = spanBegan
    self.ends = ends
    self.id = id
    self.screen = screen
    self.owner = owner
    self.unit = unit
    self.reason = reason
    self.since = since
    self.until = until
  }
}

/// A hold, or a turn that has begun, which lasts as long as its owner's connection. It is stored because a restart of the service ends
/// the connection, but not what the owner does meanwhile: its command still runs.
public struct BoundHold: Equatable, Sendable {
  /// For how long it is kept after a restart of the service, while its owner lives, so that the owner can take it again.
  public static let keptFor: Duration = .seconds(30)

  /// Without an end. A turn is kept as a hold, under its own id.
  public let hold: Hold
  /// When the owner's process was started, in clock ticks since the boot; nil: its process is not visible here.
  public let startTicks: UInt64?
  /// The boot id of the machine.
  public let boot: String

  public init(hold: Hold, startTicks: UInt64?, boot: String) {
    self.hold = hold
    self.startTicks = startTicks
    self.boot = boot
  }
}

/// The operator's pause: nothing is applied until somebody resumes, across restarts too.
public struct OperatorPause: Equatable, Sendable {
  /// When it began.
  public let since: WallTime
  /// The process that paused.
  public let by: Submitter
  /// At most 200 bytes; may be empty.
  public let reason: String

  public init(since: WallTime, by: Submitter, reason: String) {
    self.since = since
    self.by = by
    self.reason = reason
  }
}

/// A reboot that an update has made.
public struct Reboot: Equatable, Sendable {
  /// The handler that rebooted the machine.
  public let handler: String
  /// When the update was applied.
  public let at: WallTime

  public init(handler: String, at: WallTime) {
    self.handler = handler
    self.at = at
  }
}

/// What the store contains at start.
public struct Recovered: Equatable, Sendable {
  /// All that have not ended, in order of arrival.
  public var updates: [StoredUpdate]
  /// The operator's pause; nil: not paused.
  public var pause: OperatorPause?
  /// Holds with an expiry, including expired ones.
  public var holds: [Hold]
  /// Those that were bound to a connection when the service ended.
  public var bound: [BoundHold]
  /// Those since `HandlerPolicy.rebootWindow` before the oldest that waits for one was accepted.
  public var reboots: [Reboot]

  public init(
    updates: [StoredUpdate], pause: OperatorPause? = nil, holds: [Hold] = [], bound: [BoundHold] = [],
    reboots: [Reboot] = []
  ) {
    self.bound = bound
    self.updates = updates
    self.pause = pause
    self.holds = holds
    self.reboots = reboots
  }
}
