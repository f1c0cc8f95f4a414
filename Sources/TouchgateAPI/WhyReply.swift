/// `GET /v1/why`: what is in the way of everything.
public struct WhyReply: Codable, Equatable, Sendable {
  /// Oldest first; at most 1000.
  public var waiting: [UpdateReply]
  /// What ended otherwise than applied in the last 24 hours, the newest first; at most 1000.
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
