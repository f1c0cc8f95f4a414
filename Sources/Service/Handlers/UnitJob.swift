import EventLoop
import Glibc
import Linux
import Scheduling
import ServiceLog
import SystemBus
import Timeline

/// A running `Unit=` handler: systemd starts the unit, and its job says when that is done. The unit is systemd's, not
/// ours: it goes on when the service stops or dies, and its record tells the next run how it ended.
final class UnitJob: RunningHandler {
  enum Phase: Equatable {
    /// Systemd has not answered yet.
    case asked
    case running(job: String)
    /// The job has ended as `job` says, or the bus was gone for a while: systemd's record decides.
    case recalling(job: String?)
    /// The time-out passed, and systemd was asked to stop the unit; the job of that, once it is known.
    case stopping(job: String?)
    case ended
  }

  /// After the time-out: systemd has its own for stopping (TimeoutStopSec=, 90 s by default) and kills after that.
  static let stopGrace: Duration = .seconds(120)

  let update: Update
  let started: Instant
  let unit: String
  private let releasedAt: Instant?
  private let timeout: Duration
  private let calls: UnitCalls
  private let log: Log
  private let path: String
  private var marker: UnitMarker
  private(set) var phase = Phase.asked
  private var phaseEnds: Instant
  private var call: Slot?
  private var jobs: Slot?
  private var inquiry: UnitCalls.Inquiry?
  /// It still runs, and its job is not known any more: systemd is asked again then.
  private var recallDue: Instant?
  private let ended: (HandlerEnd, Instant) -> Void
  /// Called when systemd has taken the job: from then on the service may stop without it.
  private let accepted: (Instant) -> Void

  struct CannotStart: Error, CustomStringConvertible {
    let description: String
  }

  /// Asks systemd to start the unit. `marker`: the path of the file that says so. `ended` is called once, later.
  init(
    _ unit: String, timeout: Duration, _ update: Update, bus: SystemBus, marker path: String, boot: String,
    releasedAt: Instant?, log: Log, now: Instant, accepted: @escaping (Instant) -> Void,
    ended: @escaping (HandlerEnd, Instant) -> Void
  ) throws {
    self.unit = unit
    self.update = update
    self.timeout = timeout
    self.releasedAt = releasedAt
    self.path = path
    self.log = log
    self.accepted = accepted
    self.ended = ended
    calls = UnitCalls(bus: bus)
    started = now
    phaseEnds = now + timeout
    marker = UnitMarker(unit: unit, asked: UInt64(now.nanoseconds / 1000), boot: boot)
    bus.connect(now)
    guard bus.isConnected else {
      throw CannotStart(description: "unit \(unit) cannot be started: there is no D-Bus to ask systemd by")
    }
    guard marker.write(path) else {
      throw CannotStart(description: "unit \(unit) cannot be started: \(path): \(Errno())")
    }
    followJobs()
    call = calls.start(unit) { [unowned self] reply, now in answered(reply, now) }
    if call == nil { throw CannotStart(description: "unit \(unit) cannot be started: D-Bus takes no call") }
  }

  var nextDeadline: Instant? {
    switch phase {
    case .asked, .running, .recalling, .stopping: min(phaseEnds, recallDue ?? phaseEnds)
    case .ended: nil
    }
  }

  var canBeLeft: Bool {
    switch phase {
    case .asked: false
    case .running, .recalling, .stopping, .ended: true
    }
  }

  func timePassed(_ now: Instant) {
    if let due = recallDue, due <= now { recall(now) }
    guard phaseEnds <= now else { return }
    switch phase {
    case .asked, .running, .recalling:
      log.warning(
        "handler '\(update.handler)' for \(update.id): no end in \(TimeSpan.describe(timeout)); \(unit) is stopped")
      phase = .stopping(job: nil)
      phaseEnds = now + Self.stopGrace
      (recallDue, inquiry) = (nil, nil)
      call = calls.stop(unit) { [unowned self] reply, now in
        switch reply {
        case .success(let job): phase = .stopping(job: job)
        case .failure(let failure): timedOut("and could not be stopped (\(failure))", now)
        }
      }
      if call == nil { timedOut("and could not be stopped (there is no D-Bus)", now) }
    case .stopping:
      timedOut("and could not be stopped", now)
    case .ended:
      break
    }
  }

  // MARK: What systemd says

  private func followJobs() {
    jobs = calls.jobsRemoved { [unowned self] job, result, now in jobRemoved(job, result, now) }
  }

  private func answered(_ reply: UnitCalls.Started, _ now: Instant) {
    guard case .asked = phase else { return }
    switch reply {
    case .success(let job):
      phase = .running(job: job)
      marker.isAccepted = true
      _ = marker.write(path)
      accepted(now)
    case .failure(let failure) where failure.isDisconnect:
      // Whether it was taken is not known. Where the bus is gone, `busIsBack` goes on.
      phase = .recalling(job: nil)
      recallDue = now + .seconds(1)
    case .failure(let failure):
      fail(Self.explain(failure, unit), now)
    }
  }

  private func jobRemoved(_ job: String, _ result: String, _ now: Instant) {
    switch phase {
    case .running(job):
      phase = .recalling(job: result)
      if result == "canceled" { isItTheEnd(now) } else { recall(now) }
    case .stopping(job):
      timedOut("stopped by systemd", now)
    case .asked, .running, .recalling, .stopping, .ended:
      break
    }
  }

  /// A machine that goes down cancels what it has begun. That is no failure of the unit: the next start of the machine
  /// sees whether it has rebooted, or deals with an interruption.
  private func isItTheEnd(_ now: Instant) {
    call = calls.isStopping { [unowned self] isStopping, now in
      if !isStopping { return recall(now) }
      log.info("unit \(unit) for \(update.id) was stopped, because the machine is going down")
    }
  }

  /// The bus went away and is back: what was missed is in the record. Nothing where it did not go away meanwhile.
  func busIsBack(_ now: Instant) {
    if jobs != nil { return }
    switch phase {
    case .asked, .running, .recalling:
      followJobs()
      recall(now)
    case .stopping: timedOut("and systemd was asked to stop it", now)
    case .ended: break
    }
  }

  func busIsGone(_ now: Instant) {
    switch phase {
    case .asked, .running: phase = .recalling(job: nil)
    case .recalling, .stopping, .ended: break
    }
    (call, jobs, inquiry, recallDue) = (nil, nil, nil, nil)
  }

  private func recall(_ now: Instant) {
    recallDue = nil
    inquiry = calls.record(of: unit) { [unowned self] answer, now in
      guard case .recalling(let job) = phase else { return }
      switch answer {
      case .failure(let failure) where failure.isDisconnect: break  // `busIsBack` goes on.
      case .failure(let failure): fail("systemd does not say how unit \(unit) ended: \(failure)", now)
      case .success(let record): judge(record, job, now)
      }
    }
  }

  private func judge(_ record: UnitRecord?, _ job: String?, _ now: Instant) {
    var verdict = UnitRecord.verdict(record, asked: marker.asked, accepted: marker.isAccepted)
    if let job {
      // The job is over, so the unit does what it is there for, or has failed to.
      if job != "done" { verdict = .failed } else if verdict != .wasActive { verdict = .succeeded }
    } else if verdict == .running {
      recallDue = now + .seconds(1)
      return
    } else if verdict == .unknown {
      return fail(
        "D-Bus went away when unit \(unit) was to be started, and systemd has no record of a start", now)
    }
    end(
      UnitRecord.end(
        verdict, record, unit: unit, job: job, at: SystemClock.wall,
        releaseToStart: releasedAt.map { (started - $0).wholeMilliseconds }), now)
  }

  // MARK: Ends

  private func timedOut(_ how: String, _ now: Instant) {
    fail("unit \(unit) had no end within its time-out of \(TimeSpan.describe(timeout)), \(how)", now)
  }

  private func fail(_ message: String, _ now: Instant) {
    end(
      HandlerEnd(
        result: UpdateResult(
          state: .failed, exitCode: nil, message: message, finishedAt: SystemClock.wall,
          releaseToStartMilliseconds: releasedAt.map { (started - $0).wholeMilliseconds })), now)
  }

  private func end(_ end: HandlerEnd, _ now: Instant) {
    if phase == .ended { return }
    phase = .ended
    (jobs, inquiry, recallDue) = (nil, nil, nil)
    ended(end, now)
  }

  /// What an administrator can do about it.
  static func explain(_ failure: SystemBus.Failure, _ unit: String) -> String {
    switch failure.name {
    case "org.freedesktop.systemd1.NoSuchUnit":
      "unit \(unit) is not there (\(failure.message))"
    case "org.freedesktop.systemd1.UnitMasked":
      "unit \(unit) is masked (systemctl unmask \(unit))"
    case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired":
      "the service may not start unit \(unit) (\(failure.message)); the polkit rule that comes with it allows units "
        + "whose names begin with touchgate-"
    default:
      "unit \(unit) cannot be started: \(failure)"
    }
  }
}
