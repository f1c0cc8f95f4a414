import Timeline
import UpdateStore

/// When old history is removed, a few entries at a time. A value.
struct Pruning {
  /// Between two calls while there is more to remove.
  static let interval: Duration = .milliseconds(100)
  /// At least this long between two rounds: not for each entry on its own.
  static let leastPause: Duration = .seconds(60)

  /// When to run next; nil: not known, or nothing will become old.
  private(set) var due: Instant?

  /// Removes what is too old or too much. Throws `StoreError`; the next attempt is due then.
  mutating func run(_ store: QueueStore, wall: WallTime, _ now: Instant) throws {
    due = now + Self.leastPause
    if try store.prune(wall) {
      due = now + Self.interval
    } else {
      due = try store.historyDue().map { now + max($0 - wall, Self.leastPause) }
    }
  }
}
