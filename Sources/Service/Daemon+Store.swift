import HTTPTypes
import Linux
import Scheduling
import ServiceConfiguration
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
    if !asked.isEmpty {
      let most = asked.count + 1
      let bytes = most * (Limits.payload + Limits.parameters)
      if scheduler.waitingCount + most > configuration.maxWaiting
        || scheduler.waitingCount(of: peer.uid) + most > configuration.maxWaitingPerUser
        || scheduler.waitingBytes + bytes > configuration.maxWaitingBytes
        || scheduler.waitingBytes(of: peer.uid) + bytes > configuration.maxWaitingBytesPerUser
      {
        perform([], now)
      }
    }
    var bounds = [
      Bound("MaxWaiting=", "updates", scheduler.waitingCount, 1, configuration.maxWaiting),
      Bound("MaxWaitingBytes=", "bytes", scheduler.waitingBytes, size, configuration.maxWaitingBytes),
    ]
    var ofUser = [
      Bound(
        "MaxWaitingPerUser=", "updates", scheduler.waitingCount(of: peer.uid), 1, configuration.maxWaitingPerUser),
      Bound(
        "MaxWaitingBytesPerUser=", "bytes", scheduler.waitingBytes(of: peer.uid), size,
        configuration.maxWaitingBytesPerUser),
    ]
    if let key, let id = scheduler.waiting(handler: handler, key: key),
      let old = scheduler.update(id)
    {
      switch scheduler.policy(of: handler).coalescing {
      case .first: return
      case .all: break
      case .latest:
        bounds[0].waiting -= 1
        bounds[1].waiting -= old.size
        if old.submitter.uid == peer.uid {
          ofUser[0].waiting -= 1
          ofUser[1].waiting -= old.size
        }
      }
    }
    for (bound, owner) in bounds.map({ ($0, "") }) + ofUser.map({ ($0, " of user \(peer.uid)") })
    where bound.waiting + bound.more > bound.limit {
      let message = "\(bound.waiting) \(bound.unit)\(owner) wait already; \(bound.name) allows \(bound.limit)"
      throw Refusal(429, Problem(code: "queueFull", message: message), headers: [HTTPHeader("Retry-After", "10")])
    }
  }

  private struct Bound {
    let name: String
    let unit: String
    var waiting: Int
    let more: Int
    let limit: Int

    init(_ name: String, _ unit: String, _ waiting: Int, _ more: Int, _ limit: Int) {
      self.name = name
      self.unit = unit
      self.waiting = waiting
      self.more = more
      self.limit = limit
    }
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
