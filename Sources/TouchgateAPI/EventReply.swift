/// A line of `GET /v1/events`. Fields may be added, never renamed; further types may come.
public struct EventReply: Codable, Equatable, Sendable {
  /// Grows by one with each event; begins anew when the service is started.
  public var seq: Int64
  /// RFC 3339, UTC.
  public var time: String
  /// `touch`: `touched` and `contacts` of all screens. `screen`: `state` and `contacts` of one. `update`: `state` of
  /// one. `gap`: so many events (`missed`) came and went between two readings, or before a restart of the service.
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
