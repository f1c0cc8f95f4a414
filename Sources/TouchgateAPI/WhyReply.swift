/// `GET /v1/why`: what blocks all waiting updates.
public struct WhyReply: Codable, Equatable, Sendable {
  /// Oldest first; at most 1000.
  public var waiting: [UpdateReply]
  /// Updates of the last 24 hours that were not applied, newest first; at most 1000.
  public var unapplied: [UpdateReply]
  /// The turn that lasts, and those that wait.
  public var turns: [TurnStateReply]?
  /// As in `status`.
  public var warnings: [String]?

  public init(
    waiting: [UpdateReply], unapplied: [UpdateReply], turns: [TurnStateReply]? = nil, warnings: [String]? = nil
  ) {
    self.warnings = warnings
    self.turns = turns
    self.waiting = waiting
    self.unapplied = unapplied
  }
}

/// `GET /v1/screens`.
public struct ScreenListReply: Codable, Equatable, Sendable {
  public var screens: [ScreenReply]
  /// With `all=1`: all event nodes of the machine.
  public var nodes: [NodeReply]?

  public init(screens: [ScreenReply], nodes: [NodeReply]? = nil) {
    self.screens = screens
    self.nodes = nodes
  }
}

/// One event node: whether it is adopted as a touchscreen, and why.
public struct NodeReply: Codable, Equatable, Sendable {
  /// `/dev/input/event3`
  public var node: String
  public var name: String
  /// ID_PATH of udev, or the place in sysfs.
  public var path: String
  /// `vendor:product`
  public var id: String
  public var adopted: Bool
  /// The screen that it belongs to; nil: none.
  public var screen: String?
  public var why: String

  public init(node: String, name: String, path: String, id: String, adopted: Bool, screen: String?, why: String) {
    self.node = node
    self.name = name
    self.path = path
    self.id = id
    self.adopted = adopted
    self.screen = screen
    self.why = why
  }
}
