import Linux
import Scheduling
public import ServiceLog
public import Timeline

/// Finds out how a unit that a former run of the service started has ended: systemd's record is read at each `ask`
/// until the unit has ended or its timeout has passed.
public final class UnitProbe {
  /// The outcome of the unit.
  public enum Finding: Equatable, Sendable {
    case ended(HandlerEnd)
    /// There is no trace of it: the update was interrupted.
    case noTrace
  }

  private let marker: UnitMarker
  private let start: HandlerStart
  private let since: Instant
  private let manager: any UnitManager
  private let log: Log
  private var inquiry: AnyObject?
  private var stopping: AnyObject?
  private var isOver = false
  private let found: (Finding, Instant) -> Void

  /// `start`: the update and its handler's timeout, counted from now on. `found` is called once.
  public init(
    _ marker: UnitMarker, _ start: HandlerStart, manager: any UnitManager, log: Log, now: Instant,
    found: @escaping (Finding, Instant) -> Void
  ) {
    self.marker = marker
    self.start = start
    self.manager = manager
    self.log = log
    self.found = found
    since = now
    log.warning(
      "unit \(marker.unit) for \(start.update.id) was started before the restart; asking systemd for its result",
      .interrupted, [.update(start.update.id)])
  }

  /// Reads the record, unless an answer is outstanding. To be called at each recheck.
  public func ask(_ now: Instant) {
    if isOver || inquiry != nil { return }
    if now - since >= start.timeout { return expire(now) }
    manager.connect(now)
    inquiry = manager.record(of: marker.unit) { [unowned self] answer, now in
      inquiry = nil
      if case .success(let record) = answer { judge(record, now) }
    }
  }

  /// The answer that is outstanding will not come.
  public func busLost() { inquiry = nil }

  private func expire(_ now: Instant) {
    let timeout = TimeSpan.describe(start.timeout)
    log.warning("unit \(marker.unit) for \(start.update.id) has not ended within \(timeout); stopping it")
    stopping = manager.stop(marker.unit) { _, _ in }
    let message = "unit \(marker.unit) did not end within \(timeout) after the service was restarted"
    finish(.ended(HandlerEnd(result: start.result(.failed, message, started: since, at: SystemClock.wall))), now)
  }

  private func judge(_ record: UnitRecord?, _ now: Instant) {
    let verdict = UnitRecord.verdict(record, asked: marker.asked, accepted: marker.isAccepted)
    switch verdict {
    case .running:
      break  // Asked again at the next recheck.
    case .unknown:
      finish(.noTrace, now)
    case .succeeded, .failed, .wasActive:
      finish(
        .ended(
          UnitRecord.end(verdict, record, unit: marker.unit, at: SystemClock.wall, releaseToStart: nil)), now)
    }
  }

  private func finish(_ finding: Finding, _ now: Instant) {
    isOver = true
    found(finding, now)
  }
}
