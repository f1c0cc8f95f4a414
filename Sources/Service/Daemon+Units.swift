import EventLoop
import Glibc
import Linux
import Scheduling
import ServiceLog
import SocketServer
import SystemBus
import Timeline
import TouchDevices
import UpdateStore

/// `Unit=` handlers, and the bus by which systemd is asked for them.
extension Daemon {
  /// What is known of a unit that a former run of the service started.
  final class UnitProbe {
    let id: UpdateID
    let since: Instant
    var inquiry: UnitCalls.Inquiry?
    var stopping: Slot?

    init(_ id: UpdateID, since: Instant) {
      self.id = id
      self.since = since
    }
  }

  func watchBus(_ now: Instant) {
    bus.connected = { [unowned self] now in
      if saidNoBus { log.info("D-Bus is there") }
      saidNoBus = false
      sleepGuard?.begin()
      (handler as? UnitJob)?.busIsBack(now)
      settle(now)
    }
    bus.disconnected = { [unowned self] failure, now in
      if !saidNoBus {
        log.info("\(failure); Unit= handlers cannot be started without it, and no word comes before a sleep")
      }
      saidNoBus = true
      sleepGuard?.end()
      if touch.sleepsSince != nil {
        // Nobody would say that it is awake again.
        touch.resumed(now)
        touchChanged(now)
      }
      (handler as? UnitJob)?.busIsGone(now)
      unitProbe?.inquiry = nil
      settle(now)
    }
    bus.connect(now)
  }

  func startUnit(
    _ unit: String, _ definition: HandlerDefinition, _ update: Update, _ releasedAt: Instant?,
    _ ended: @escaping (HandlerEnd, Instant) -> Void
  ) throws -> UnitJob {
    try UnitJob(
      unit, timeout: definition.timeout, update, bus: bus, marker: markerPath(update.id), boot: scheduler.boot,
      releasedAt: releasedAt, log: log, now: SystemClock.monotonic, accepted: { [unowned self] _ in stopIfAsked() },
      ended: ended)
  }

  /// For the unit to read; not for everybody who can open the socket.
  func payload(_ text: String, _ peer: Peer) throws -> HTTPResponse {
    let id = try own(text, peer).update.id
    return HTTPResponse(status: 200, body: try store.payload(of: id) ?? [], contentType: "application/octet-stream")
  }

  // MARK: After a stop or a crash

  /// How the unit has ended, says systemd's record; asked again at each look while it runs.
  func probe(_ id: UpdateID, _ marker: UnitMarker, _ now: Instant) {
    guard marker.boot == scheduler.boot else { return forget(id, now) }
    if unitProbe?.id != id {
      log.warning(
        "unit \(marker.unit), which a former run started for \(id): systemd is asked how it ended",
        .interrupted, [.update(id)])
      unitProbe = UnitProbe(id, since: now)
    }
    guard let probe = unitProbe, probe.inquiry == nil else { return }
    let timeout = scheduler.update(id).flatMap { configuration.handlers[$0.handler]?.timeout } ?? .seconds(300)
    if now - probe.since >= timeout {
      log.warning("unit \(marker.unit) for \(id): no end in \(TimeSpan.describe(timeout)); it is stopped")
      probe.stopping = UnitCalls(bus: bus).stop(marker.unit) { _, _ in }
      let message = "unit \(marker.unit) had no end within \(TimeSpan.describe(timeout)) after the service's restart"
      let result = UpdateResult(
        state: .failed, exitCode: nil, message: message, finishedAt: SystemClock.wall, releaseToStartMilliseconds: nil)
      return finish(id, HandlerEnd(result: result), now)
    }
    bus.connect(now)
    probe.inquiry = UnitCalls(bus: bus).record(of: marker.unit) { [unowned self] answer, now in
      unitProbe?.inquiry = nil
      if case .success(let record) = answer { judge(id, marker, record, now) }
      settle(now)
    }
  }

  private func judge(_ id: UpdateID, _ marker: UnitMarker, _ record: UnitRecord?, _ now: Instant) {
    let verdict = UnitRecord.verdict(record, asked: marker.asked, accepted: marker.isAccepted)
    switch verdict {
    case .running:
      break  // Until the next look.
    case .unknown:
      forget(id, now)
    case .succeeded, .failed, .wasActive:
      finish(id, UnitRecord.end(verdict, record, unit: marker.unit, at: SystemClock.wall, releaseToStart: nil), now)
    }
  }

  private func finish(_ id: UpdateID, _ end: HandlerEnd, _ now: Instant) {
    perform(scheduler.orphanEnded(id, end.result, tryLater: end.triesLater, at: now), now)
    unlink(markerPath(id))
    unitProbe = nil
  }

  /// There is no trace of it: what was interrupted is dealt with as the handler says.
  private func forget(_ id: UpdateID, _ now: Instant) {
    unlink(markerPath(id))
    unitProbe = nil
    perform(scheduler.probed(id, stillRunning: false, at: now), now)
  }
}
