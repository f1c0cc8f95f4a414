import ControlAPI
import Timeline

/// The latest events, numbered, for readers that come and go; the newest replace the oldest. A value.
struct EventLog {
  /// What a reader gets next.
  enum Next: Equatable {
    case event(Event)
    /// `missed` events are gone; the next one has the number `next`.
    case gap(missed: Int64, next: Int64)
  }

  /// Most events that are kept.
  let capacity: Int
  private var events: [Event] = []
  private var first = 0
  /// The number of the first event of this run.
  private let begin: Int64
  /// The number of the next one.
  private(set) var next: Int64

  /// - Parameter run: tells this run of the service from others, 0 to 2^20 - 1. Numbers of different runs have nothing in common, and each
  ///   fits into a double without loss.
  init(capacity: Int = 1024, run: Int64 = 0) {
    self.capacity = capacity
    begin = run << 32 + 1
    next = begin
  }

  mutating func add(_ happening: Event.Happening, at time: WallTime) {
    let event = Event(sequence: next, time: time, happening: happening)
    next += 1
    if events.count < capacity {
      events.append(event)
    } else {
      events[first] = event
      first = (first + 1) % capacity
    }
  }

  /// For a reader that has everything before `sequence`; nil: nothing is new. To one with a number of a former run of the
  /// service everything of this run is new, and it is not known how much it has missed.
  func read(from sequence: Int64) -> Next? {
    if sequence == next { return nil }
    let oldest = next - Int64(events.count)
    if sequence > next || sequence < begin { return .gap(missed: 0, next: oldest) }
    if sequence < oldest { return .gap(missed: oldest - sequence, next: oldest) }
    return .event(events[(first + Int(sequence - oldest)) % events.count])
  }
}
