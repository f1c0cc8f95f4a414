public import Timeline

/// The name of a hold: as that of an update.
public typealias HoldID = UpdateID

/// Somebody wants nothing to be applied for a while. Holds have names and owners and are not a counter, so that a
/// forgotten one can be found.
public struct Hold: Equatable, Sendable {
  public let id: HoldID
  /// Nil: no screen may be changed.
  public let screen: String?
  public let owner: Submitter
  /// The systemd unit of the owner, as far as it is known.
  public let unit: String?
  public let reason: String
  public let since: WallTime
  /// When it ends by itself; nil: with the connection of its owner.
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
  public let since: WallTime
  public let by: Submitter
  public let reason: String

  public init(since: WallTime, by: Submitter, reason: String) {
    self.since = since
    self.by = by
    self.reason = reason
  }
}

/// A reboot that an update has made.
public struct Reboot: Equatable, Sendable {
  public let handler: String
  public let key: String?
  public let at: WallTime

  public init(handler: String, key: String?, at: WallTime) {
    self.handler = handler
    self.key = key
    self.at = at
  }
}

/// What the store contains at start.
public struct Recovered: Equatable, Sendable {
  /// All that have not ended, in order of arrival.
  public var updates: [StoredUpdate]
  public var pause: OperatorPause?
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
