/// A line of `GET /v1/events`. Fields and types may be added, but are never renamed.
public struct EventReply: Codable, Equatable, Sendable {
  /// Number of the event: one more than the previous one; starts again when the service starts.
  public var seq: Int64
  /// RFC 3339, UTC.
  public var time: String
  /// `touch`: `touched` and `contacts` of all screens. `screen`: `state` and `contacts` of one screen. `update`: `state`
  /// of one update. `gap`: the number of events that the reader has missed (`missed`), because it was too slow or the
  /// service was restarted.
  public var type: String
  public var touched: Bool?
  public var contacts: Int?
  public var screen: String?
  public var state: String?
  public var id: String?
  public var handler: String?
  public var missed: Int64?

  public init(seq: Int64, time: String, type: String) {
    self.seq = seq
    self.time = time
    self.type = type
  }
}
