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
  /// The number of the next one.
  private(set) var next: Int64 = 1

  init(capacity: Int = 1024) { self.capacity = capacity }

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

  /// For a reader that has everything before `sequence`; nil: nothing is new. A number that is not reached yet is one
  /// of a former run of the service: everything of this run is new then.
  func read(from sequence: Int64) -> Next? {
    if sequence == next { return nil }
    let oldest = next - Int64(events.count)
    if sequence > next { return .gap(missed: 0, next: oldest) }
    if sequence < oldest { return .gap(missed: oldest - sequence, next: oldest) }
    return .event(events[(first + Int(sequence - oldest)) % events.count])
  }
}
