import ControlAPI
import Timeline

/// What has happened of late, numbered, for readers that come and go; the oldest make room for the newest. A value.
struct EventLog {
  typealias Event = ControlAPI.Event
  typealias Happening = Event.Happening

  /// What a reader gets next.
  enum Next: Equatable {
    case event(Event)
    /// So many are gone; the next one is to be read from there.
    case gap(missed: Int64, next: Int64)
  }

  /// So many are kept.
  let capacity: Int
  private var events: [Event] = []
  private var first = 0
  /// The number of the next one.
  private(set) var next: Int64 = 1

  init(capacity: Int = 1024) { self.capacity = capacity }

  mutating func add(_ happening: Happening, at time: WallTime) {
    let event = Event(sequence: next, time: time, happening: happening)
    next += 1
    if events.count < capacity {
      events.append(event)
    } else {
      events[first] = event
      first = (first + 1) % capacity
    }
  }

  /// For one that has read all before `sequence`; nil: there is nothing new. A number from before a restart of the
  /// service is one that is not there yet: all of this run is new then.
  func read(from sequence: Int64) -> Next? {
    if sequence == next { return nil }
    let oldest = next - Int64(events.count)
    if sequence > next { return .gap(missed: 0, next: oldest) }
    if sequence < oldest { return .gap(missed: oldest - sequence, next: oldest) }
    return .event(events[(first + Int(sequence - oldest)) % events.count])
  }
}
