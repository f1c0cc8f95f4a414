public import Timeline

/// Something that `GET /v1/events` reports.
public struct Event: Equatable, Sendable {
  public enum Happening: Equatable, Sendable {
    /// All screens together.
    case touch(touched: Bool, contacts: Int)
    /// `state`: as in `Words.state`, or `gone`.
    case screen(String, state: String, contacts: Int)
    case update(id: String, handler: String, state: String)
  }

  /// Counts up from 1.
  public let sequence: Int64
  public let time: WallTime
  public let happening: Happening

  public init(sequence: Int64, time: WallTime, happening: Happening) {
    self.sequence = sequence
    self.time = time
    self.happening = happening
  }
}
