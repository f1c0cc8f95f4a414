import Glibc
import Linux
import Scheduling
public import ServiceLog
public import Timeline

/// An `Exec=` handler that a former run of the service started and that still runs. (Under systemd there is none: a
/// service that ends takes its handlers with it.) It may run for as long as a handler of this run.
public final class OrphanProcess {
  /// What `ask` has found.
  public enum Finding: Equatable, Sendable {
    case running
    /// How it ended is not known.
    case ended
    /// It was stopped after its timeout.
    case timedOut(HandlerEnd)
  }

  private enum Phase {
    case running
    case terminating(until: Instant)
    case killed
  }

  private let path: String
  private let boot: String
  private let start: HandlerStart
  private let log: Log
  /// Of the former run; for an unknown process, of this one.
  private let started: Instant
  private var phase = Phase.running

  /// Nil: nothing is left of the handler. `path`: the file of its lock. `start`: the update, and the timeout.
  public init?(_ path: String, boot: String, _ start: HandlerStart, log: Log, now: Instant) {
    switch HandlerLock.holder(path, boot: boot) {
    case .nobody: return nil
    case .handler(let identity): started = min(identity.started, now)
    case .unknown: started = now
    }
    self.path = path
    self.boot = boot
    self.start = start
    self.log = log
    log.warning(
      "\(start.update.id): its handler, started before touchgated restarted, is still running; waiting for it",
      .interrupted, [.update(start.update.id)])
  }

  /// To be called at each recheck until it is no longer running.
  public func ask(_ now: Instant) -> Finding {
    let holder = HandlerLock.holder(path, boot: boot)
    let (id, timeout) = (start.update.id, TimeSpan.describe(start.timeout))
    switch (holder, phase) {
    case (.nobody, .running):
      return .ended
    case (.nobody, .terminating), (.nobody, .killed):
      return .timedOut(failed("stopped after its timeout of \(timeout)", now))
    case (_, .running) where now - started < start.timeout:
      return .running
    case (.handler(let identity), .running):
      log.warning(
        "\(id): its handler, started before touchgated restarted, exceeded its timeout of \(timeout); sending SIGTERM")
      phase = .terminating(until: now + HandlerProcess.killGrace)
      identity.signalGroup(SIGTERM)
      return .running
    case (.handler(let identity), .terminating(let until)):
      guard until <= now else { return .running }
      log.warning("\(id): its handler ignores SIGTERM; sending SIGKILL")
      phase = .killed
      identity.signalGroup(SIGKILL)
      return .running
    case (.handler, .killed):
      return .running
    case (.unknown, _):
      unlink(path)
      return .timedOut(
        failed("a process that holds its lock did not end within its timeout of \(timeout), and may still run", now))
    }
  }

  private func failed(_ message: String, _ now: Instant) -> HandlerEnd {
    HandlerEnd(result: start.result(.failed, message, started: started, at: SystemClock.wall))
  }
}
