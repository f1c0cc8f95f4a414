import Scheduling
public import SystemBus
import Timeline

/// What systemd has recorded about a unit (org.freedesktop.systemd1(5)): enough to find out how an unobserved start
/// ended.
public struct UnitRecord: Equatable, Sendable {
  public enum Activity: String, Sendable {
    case active, reloading, inactive, failed, activating, deactivating
  }

  public var activity: Activity
  /// A job for it is queued or running.
  public var hasJob = false
  /// `success`, `exit-code`, `signal`, `timeout`, …; empty for a unit that is no service.
  public var result = ""
  /// Of the main process; nil if it did not exit by itself.
  public var exitStatus: Int?
  /// Microseconds of CLOCK_MONOTONIC: when it last left the state `inactive`; 0: never since systemd loaded it.
  public var leftRest: UInt64 = 0
  /// Microseconds of CLOCK_MONOTONIC: when its state last changed.
  public var changed: UInt64 = 0

  /// From `GetAll`; nil if the state is missing or unknown.
  public init?(_ properties: [String: BusValue]) {
    guard let activity = properties["ActiveState"]?.text.flatMap(Activity.init) else { return nil }
    self.activity = activity
    hasJob = (properties["Job"]?.list?.first?.number ?? 0) != 0
    result = properties["Result"]?.text ?? ""
    // CLD_EXITED of waitid(2) is 1.
    if properties["ExecMainCode"]?.number == 1 { exitStatus = properties["ExecMainStatus"]?.number.map(Int.init) }
    leftRest = UInt64(properties["InactiveExitTimestampMonotonic"]?.number ?? 0)
    changed = UInt64(properties["StateChangeTimestampMonotonic"]?.number ?? 0)
  }

  public init(_ activity: Activity) { self.activity = activity }

  public enum Verdict: Equatable, Sendable {
    case running
    case succeeded
    case failed
    /// It was active before, so nothing was started.
    case wasActive
    /// It has not run since, or left no trace.
    case unknown
  }

  /// How the start went that was requested at `asked`. `accepted`: systemd had accepted the job. A nil record means
  /// that systemd has none: it unloads inactive units, but keeps failed ones.
  public static func verdict(_ record: UnitRecord?, asked: UInt64, accepted: Bool) -> Verdict {
    guard let record else { return accepted ? .succeeded : .unknown }
    if record.hasJob { return .running }
    switch record.activity {
    case .activating, .reloading, .deactivating:
      return .running
    case .active:
      return record.leftRest >= asked ? .succeeded : .wasActive
    case .failed:
      return record.changed >= asked ? .failed : .unknown
    case .inactive:
      if record.leftRest >= asked { return record.result == "success" ? .succeeded : .failed }
      // Loaded anew, by this request.
      return record.leftRest == 0 && accepted ? .succeeded : .unknown
    }
  }
}

extension UnitRecord {
  /// The end of the handler. `job`: the result of systemd's job, if it is known.
  static func end(
    _ verdict: Verdict, _ record: UnitRecord?, unit: String, job: String? = nil, at wall: WallTime,
    releaseToStart: Int64?
  ) -> HandlerEnd {
    let state: FinalState
    let message: String
    var triesLater = false
    switch verdict {
    case .succeeded:
      (state, message) = (.applied, "unit \(unit) succeeded")
    case .wasActive:
      state = .failed
      message =
        "unit \(unit) was already active, so systemd started nothing; a handler's unit must end by itself "
        + "(Type=oneshot, no RemainAfterExit=)"
    case .failed, .running, .unknown:
      state = .failed
      triesLater = record?.exitStatus == 75
      var reasons: [String] = []
      if let record, !record.result.isEmpty, record.result != "success" { reasons.append(record.result) }
      if let status = record?.exitStatus, status != 0 { reasons.append("exit status \(status)") }
      if reasons.isEmpty, let job { reasons.append("its job ended as \(job)") }
      let why = reasons.isEmpty ? "" : ": \(reasons.joined(separator: ", "))"
      message = "unit \(unit) failed\(why) (journalctl -u \(unit))"
    }
    return HandlerEnd(
      result: UpdateResult(
        state: state, exitCode: state == .applied ? 0 : record?.exitStatus, message: message, finishedAt: wall,
        releaseToStartMilliseconds: releaseToStart),
      triesLater: triesLater)
  }
}
