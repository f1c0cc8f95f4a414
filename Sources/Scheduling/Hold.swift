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
  public let until: WallTime?

  public init(
    id: HoldID, screen: String? = nil, owner: Submitter, unit: String? = nil, reason: String, since: WallTime,
    until: WallTime?
  ) {
    self.id = id
    self.screen = screen
    self.owner = owner
    self.unit = unit
    self.reason = reason
    self.since = since
    self.until = until
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
  /// Those since `HandlerPolicy.rebootWindow` before the oldest that waits for one was accepted.
  public var reboots: [Reboot]

  public init(updates: [StoredUpdate], pause: OperatorPause? = nil, holds: [Hold] = [], reboots: [Reboot] = []) {
    self.updates = updates
    self.pause = pause
    self.holds = holds
    self.reboots = reboots
  }
}
