/// `GET /v1/status`. Fields may be added, but are never renamed.
public struct StatusReply: Codable, Equatable, Sendable {
  public var version: String
  /// Whether a screen has a contact, or is still in its grace time after one.
  public var touched: Bool
  public var contacts: Int
  public var gate: GateReply
  public var screens: [ScreenReply]
  /// Counts by state. Every state is present, even with 0.
  public var updates: [String: Int]
  public var holds: [HoldReply]?
  /// Those that wait and the one that lasts.
  public var turns: [TurnStateReply]?
  /// The operator's pause; nil: updates are not paused.
  public var paused: PauseReply?
  public var oldestWaiting: UpdateReply?
  public var lastResult: UpdateReply?
  /// Results of the last looks before handlers started.
  public var `guard`: GuardReply?
  /// Problems that do not stop the service: a damaged queue that was set aside, a full disk, …
  public var warnings: [String]
  public var haptics: HapticsReply?

  public init(
    version: String, touched: Bool, contacts: Int, gate: GateReply, screens: [ScreenReply],
    updates: [String: Int], oldestWaiting: UpdateReply?, lastResult: UpdateReply?, holds: [HoldReply]? = nil,
    turns: [TurnStateReply]? = nil, paused: PauseReply? = nil,
    guard guards: GuardReply? = nil, warnings: [String], haptics: HapticsReply? = nil
  ) {
    self.haptics = haptics
    self.holds = holds
    self.turns = turns
    self.guard = guards
    self.paused = paused
    self.version = version
    self.touched = touched
    self.contacts = contacts
    self.gate = gate
    self.screens = screens
    self.updates = updates
    self.oldestWaiting = oldestWaiting
    self.lastResult = lastResult
    self.warnings = warnings
  }
}

/// The gate state of all screens together.
public struct GateReply: Codable, Equatable, Sendable {
  /// `clear`, `touched` or `unknown`.
  public var state: String
  /// RFC 3339, UTC.
  public var since: String
  /// Why it is `unknown`.
  public var reason: String?

  public init(state: String, since: String, reason: String? = nil) {
    self.state = state
    self.since = since
    self.reason = reason
  }
}

/// One screen.
public struct ScreenReply: Codable, Equatable, Sendable {
  public var name: String
  public var state: String
  public var since: String
  public var contacts: Int
  public var devices: [DeviceReply]
  /// Why it is `unknown`.
  public var reason: String?

  public init(name: String, state: String, since: String, contacts: Int, devices: [DeviceReply], reason: String? = nil)
  {
    self.reason = reason
    self.name = name
    self.state = state
    self.since = since
    self.contacts = contacts
    self.devices = devices
  }
}

/// One device of a screen.
public struct DeviceReply: Codable, Equatable, Sendable {
  /// `/dev/input/event3`
  public var node: String
  public var name: String
  /// ID_PATH of udev, which does not change when the device is replugged; empty for a virtual device.
  public var path: String
  /// `ok`, or what is wrong and what to do.
  public var health: String

  public init(node: String, name: String, path: String, health: String) {
    self.node = node
    self.name = name
    self.path = path
    self.health = health
  }
}
