/// `GET /v1/why`: what blocks all waiting updates.
public struct WhyReply: Codable, Equatable, Sendable {
  /// Oldest first; at most 1000.
  public var waiting: [UpdateReply]
  /// Updates of the last 24 hours that were not applied, newest first; at most 1000.
  public var unapplied: [UpdateReply]

  public init(waiting: [UpdateReply], unapplied: [UpdateReply]) {
    self.waiting = waiting
    self.unapplied = unapplied
  }
}

/// `GET /v1/screens`.
public struct ScreenListReply: Codable, Equatable, Sendable {
  public var screens: [ScreenReply]

  public init(screens: [ScreenReply]) { self.screens = screens }
}
