import Glibc
import Handlers
import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline

/// The stop of the service: requested by a signal, due when no handler needs the service any more, and done after the
/// loop.
struct Stop {
  /// After the loop: long enough for a client that has just connected to say what it wants.
  private static let lastAnswers: Duration = .milliseconds(500)

  private enum State {
    case no
    case now
    /// The handler that runs is waited for, and its result must be stored.
    case afterHandler
  }
  private var state = State.no

  /// Nothing new starts. A handler that runs is waited for, if it would not survive the service.
  mutating func request(_ owners: Owners, _ now: Instant) {
    owners.engine.feed {
      $0.stop(at: now)
      return []
    }
    owners.calls.stop(now)
    owners.haptics.stop()
    let (runner, log) = (owners.runner, owners.log)
    state = runner.mayStop ? .now : .afterHandler
    if let update = runner.update, !runner.mayStop {
      log.info(
        "stopping when handler '\(update.handler)' for \(update.id) has ended", .stopping,
        [.update(update.id), .handler(update.handler)])
    } else {
      log.info("stopping", .stopping)
    }
  }

  /// The service may leave the loop.
  func isDue(_ owners: Owners) -> Bool {
    switch state {
    case .no: false
    case .now: true
    case .afterHandler: owners.runner.isIdle ? !owners.engine.scheduler.isRunning : owners.runner.mayStop
    }
  }

  /// After the loop: whoever was let in gets an answer. Whoever comes now waits in systemd's socket for the next start.
  func close(_ owners: Owners) {
    let (server, engine) = (owners.server, owners.engine)
    let end = SystemClock.monotonic + Self.lastAnswers
    var now = SystemClock.monotonic
    while now < end && server.owes(since: Self.lastAnswers, now: now) {
      _ = try? waitUntilReady(server.eventDescriptor, for: POLLIN, until: now + .milliseconds(20))
      now = SystemClock.monotonic
      server.run(now: now)
      owners.calls.takeRequests(now)
      engine.drain(at: now)
      server.run(now: now)
    }
    server.stop()
    do { try engine.close(SystemClock.monotonic) } catch { owners.log.error("\(error)") }
    owners.haptics.end()
  }
}
