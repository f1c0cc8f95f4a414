import ControlAPI
import HTTPTypes
import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline
import TouchgateAPI
import UpdateStore

/// What the queue on disk may hold, and what people are told of it.
extension Daemon {
  // MARK: Bounds

  /// Refuses what would make the queue longer or larger than allowed. What takes the place of one that waits, or ends
  /// because of it, makes it no longer.
  ///
  /// Those of the same wake-up that are still on their way into the store are counted when they are there; near a bound
  /// that is waited for.
  func checkBounds(_ handler: String, _ key: String?, _ size: Int, _ peer: Peer, _ now: Instant) throws {
    let bounds = QueueBounds(
      all: QueueBounds.Load(updates: configuration.maxWaiting, bytes: configuration.maxWaitingBytes),
      perUser: QueueBounds.Load(
        updates: configuration.maxWaitingPerUser, bytes: configuration.maxWaitingBytesPerUser))
    if !asked.isEmpty && bounds.couldBeExceeded(waiting(of: peer.uid), by: asked.count + 1) { perform([], now) }
    var waiting = waiting(of: peer.uid)
    if let key, let id = scheduler.waiting(handler: handler, key: key), let old = scheduler.update(id) {
      switch scheduler.policy(of: handler).coalescing {
      case .first: return
      case .all: break
      case .latest:
        waiting = waiting.superseding(bytes: old.size, ofSameUser: old.submitter.uid == peer.uid)
      }
    }
    try bounds.check(waiting, adding: size, uid: peer.uid)
  }

  private func waiting(of uid: UInt32) -> QueueBounds.Waiting {
    QueueBounds.Waiting(
      all: QueueBounds.Load(updates: scheduler.waitingCount, bytes: scheduler.waitingBytes),
      ofUser: QueueBounds.Load(updates: scheduler.waitingCount(of: uid), bytes: scheduler.waitingBytes(of: uid)))
  }

  // MARK: For status

  var storeWarnings: [String] {
    var warnings = store.notices
    if store.isFull {
      warnings.append(
        "storeFull: the disk of \(options.stateDirectory) is full: new updates are refused, what waits is still "
          + "applied; free some space")
    }
    return warnings
  }

  // MARK: History

  /// Lets old history go, a few entries a call; `historyDue` says when to call next.
  func pruneHistory(_ now: Instant) {
    if let due = historyDue, now < due { return }
    let wall = SystemClock.wall
    do {
      if try store.prune(wall) {
        historyDue = now + Self.pruneInterval
      } else {
        // Not for each entry by itself.
        historyDue = try store.historyDue().map { now + max($0 - wall, Self.leastPause) }
      }
    } catch {
      log.error("old history could not be removed: \(error)")
      historyDue = now + Self.leastPause
    }
  }

  private static let pruneInterval: Duration = .milliseconds(100)
  private static let leastPause: Duration = .seconds(60)
}
