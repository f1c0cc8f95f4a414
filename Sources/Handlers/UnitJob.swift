import Linux
public import Scheduling
public import ServiceLog
import SystemBus
public import Timeline

/// A running `Unit=` handler: systemd starts the unit and reports the end of its job. The unit belongs to systemd: it
/// continues if the service stops or dies, and its record tells the next run how it ended.
///
/// A state machine: systemd's answers, the bus and time are its inputs, each with `now`, and `nextDeadline` is when
/// it must be woken. It arms no timer.
public final class UnitJob: RunningHandler {
  enum Phase: Equatable {
    /// Systemd has not answered yet.
    case asked
    case running(job: String)
    /// The job has ended as `job` says, or the bus was away for a while: systemd's record decides.
    case recalling(job: String?)
    /// The timeout has passed and systemd was asked to stop the unit; `job` of that, once it is known.
    case stopping(job: String?)
    case ended
  }

  /// After the timeout. Systemd has its own limit for stopping (TimeoutStopSec=, 90 s by default) and kills after that.
  static let stopGrace: Duration = .seconds(120)
  /// While a unit runs whose job is unknown, systemd's record is read this often.
  static let recallInterval: Duration = .seconds(1)

  public let started: Instant
  public let unit: String
  private let start: HandlerStart
  private let manager: any UnitManager
  private let log: Log
  private let path: String
  private let spare: String?
  private var marker: UnitMarker
  private(set) var phase = Phase.asked
  private var phaseEnds: Instant
  /// Pending calls and subscriptions; dropping one cancels it.
  private var call: AnyObject?
  private var jobs: AnyObject?
  private var inquiry: AnyObject?
  private var recallDue: Instant?
  private let ended: (HandlerEnd, Instant) -> Void

  /// Asks systemd to start the unit. `markerPath`: the file that records the request; `spare`: see `UnitMarker.write`.
  /// `ended` is called once, later.
  /// Throws `HandlersError` without a bus, or if the marker cannot be written.
  public init(
    _ unit: String, _ start: HandlerStart, manager: any UnitManager, markerPath: String, spare: String? = nil,
    boot: String, log: Log, now: Instant, ended: @escaping (HandlerEnd, Instant) -> Void
  ) throws(HandlersError) {
    self.unit = unit
    self.start = start
    self.manager = manager
    self.log = log
    self.ended = ended
    path = markerPath
    self.spare = spare
    started = now
    phaseEnds = now + start.timeout
    marker = UnitMarker(unit: unit, asked: UInt64(max(0, now.nanoseconds / 1000)), boot: boot)
    manager.connect(now)
    guard manager.isConnected else {
      throw HandlersError("cannot start unit \(unit): D-Bus is not available; systemctl status dbus")
    }
    do throws(Errno) {
      try marker.write(path, spare: spare)
    } catch {
      throw HandlersError("cannot start unit \(unit): \(path): \(error)")
    }
    followJobs()
    call = manager.start(unit) { [unowned self] reply, now in answered(reply, now) }
    if call == nil { throw HandlersError("cannot start unit \(unit): D-Bus refused the call") }
  }

  public var update: Update { start.update }

  public var nextDeadline: Instant? {
    switch phase {
    case .asked, .running, .recalling, .stopping: min(phaseEnds, recallDue ?? phaseEnds)
    case .ended: nil
    }
  }

  public var survivesService: Bool {
    switch phase {
    case .asked: false
    case .running, .recalling, .stopping, .ended: true
    }
  }

  public func timePassed(_ now: Instant) {
    if let due = recallDue, due <= now { recall(now) }
    guard phaseEnds <= now else { return }
    switch phase {
    case .asked, .running, .recalling:
      log.warning(
        "handler '\(update.handler)' for \(update.id) exceeded its timeout of \(TimeSpan.describe(start.timeout)); "
          + "stopping \(unit)")
      phase = .stopping(job: nil)
      phaseEnds = now + Self.stopGrace
      (recallDue, inquiry) = (nil, nil)
      call = manager.stop(unit) { [unowned self] reply, now in
        switch reply {
        case .success(let job): phase = .stopping(job: job)
        case .failure(let failure): timedOut("and could not be stopped (\(failure))", now)
        }
      }
      if call == nil { timedOut("and could not be stopped (D-Bus is not available)", now) }
    case .stopping:
      timedOut("and could not be stopped", now)
    case .ended:
      break
    }
  }

  // MARK: Answers of systemd

  private func followJobs() {
    jobs = manager.jobsRemoved { [unowned self] job, result, now in jobRemoved(job, result, now) }
  }

  private func answered(_ reply: UnitManager.JobAnswer, _ now: Instant) {
    guard case .asked = phase else { return }
    switch reply {
    case .success(let job):
      phase = .running(job: job)
      marker.isAccepted = true
      // If it cannot be written, a later run decides by the record alone.
      try? marker.write(path)
    case .failure(let failure) where failure.isDisconnect:
      // Whether it was accepted is not known. If the bus is away, `busReturned` continues.
      phase = .recalling(job: nil)
      recallDue = now + Self.recallInterval
    case .failure(let failure):
      fail(Self.explain(failure, unit), now)
    }
  }

  private func jobRemoved(_ job: String, _ result: String, _ now: Instant) {
    switch phase {
    case .running(job):
      phase = .recalling(job: result)
      if result == "canceled" { askWhetherShuttingDown(now) } else { recall(now) }
    case .stopping(job):
      timedOut("stopped by systemd", now)
    case .asked, .running, .recalling, .stopping, .ended:
      break
    }
  }

  /// A machine that shuts down cancels its jobs. That is no failure of the unit: after the next boot the update counts
  /// as rebooted or interrupted.
  private func askWhetherShuttingDown(_ now: Instant) {
    call = manager.isShuttingDown { [unowned self] isShuttingDown, now in
      if !isShuttingDown { return recall(now) }
      log.info("unit \(unit) for \(update.id) was cancelled because the machine is shutting down")
    }
  }

  /// The bus was lost and is available again: the record shows what was missed. No effect if it was not lost.
  public func busReturned(_ now: Instant) {
    if jobs != nil { return }
    switch phase {
    case .asked, .running, .recalling:
      followJobs()
      recall(now)
    case .stopping: timedOut("and systemd was asked to stop it", now)
    case .ended: break
    }
  }

  public func busLost(_ now: Instant) {
    switch phase {
    case .asked, .running: phase = .recalling(job: nil)
    case .recalling, .stopping, .ended: break
    }
    (call, jobs, inquiry, recallDue) = (nil, nil, nil, nil)
  }

  private func recall(_ now: Instant) {
    recallDue = nil
    inquiry = manager.record(of: unit) { [unowned self] answer, now in
      guard case .recalling(let job) = phase else { return }
      switch answer {
      case .failure(let failure) where failure.isDisconnect: break  // `busReturned` continues.
      case .failure(let failure): fail("systemd does not report how unit \(unit) ended: \(failure)", now)
      case .success(let record): judge(record, job, now)
      }
    }
  }

  private func judge(_ record: UnitRecord?, _ job: String?, _ now: Instant) {
    var verdict = UnitRecord.verdict(record, asked: marker.asked, accepted: marker.isAccepted)
    if let job {
      // The job is over: the unit has done its work, or failed to.
      if job != "done" { verdict = .failed } else if verdict != .wasActive { verdict = .succeeded }
    } else if verdict == .running {
      recallDue = now + Self.recallInterval
      return
    } else if verdict == .unknown {
      return fail("D-Bus was lost while unit \(unit) was being started, and systemd has no record of a start", now)
    }
    end(
      UnitRecord.end(
        verdict, record, unit: unit, job: job, at: SystemClock.wall,
        releaseToStart: start.releasedAt.map { (started - $0).wholeMilliseconds }), now)
  }

  // MARK: Ends

  private func timedOut(_ how: String, _ now: Instant) {
    fail("unit \(unit) exceeded its timeout of \(TimeSpan.describe(start.timeout)), \(how)", now)
  }

  private func fail(_ message: String, _ now: Instant) {
    end(HandlerEnd(result: start.result(.failed, message, started: started, at: SystemClock.wall)), now)
  }

  private func end(_ end: HandlerEnd, _ now: Instant) {
    phase = .ended
    // No answer comes after the end.
    (call, jobs, inquiry, recallDue) = (nil, nil, nil, nil)
    ended(end, now)
  }

  /// The error for a refusal, with what an administrator can do.
  static func explain(_ failure: SystemBus.Failure, _ unit: String) -> String {
    switch failure.name {
    case "org.freedesktop.systemd1.NoSuchUnit":
      "unit \(unit) does not exist (\(failure.message))"
    case "org.freedesktop.systemd1.UnitMasked":
      "unit \(unit) is masked (systemctl unmask \(unit))"
    case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired":
      "the service is not allowed to start unit \(unit) (\(failure.message)); root must own the unit's file and the "
        + "handler's, nobody else may write to them, and after a change: systemctl reload touchgated"
    default:
      "cannot start unit \(unit): \(failure)"
    }
  }
}
