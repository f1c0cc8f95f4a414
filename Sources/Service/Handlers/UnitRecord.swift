import SystemBus

/// What systemd has recorded of a unit (org.freedesktop.systemd1(5)): enough to say how a start of it went that nobody
/// was there to follow.
struct UnitRecord: Equatable {
  enum Activity: String {
    case active, reloading, inactive, failed, activating, deactivating
  }

  var activity: Activity
  /// A job is queued or being done for it.
  var hasJob = false
  /// `success`, `exit-code`, `signal`, `timeout`, …; empty for a unit that is no service.
  var result = ""
  /// Of the main process; nil where it did not exit by itself.
  var exitStatus: Int?
  /// Microseconds of CLOCK_MONOTONIC: when it was last left at rest, and when it last came to rest; 0: never since
  /// systemd loaded it.
  var leftRest: UInt64 = 0
  var changed: UInt64 = 0

  /// From `GetAll`; nil where the state is missing or unknown.
  init?(_ properties: [String: BusValue]) {
    guard let activity = properties["ActiveState"]?.text.flatMap(Activity.init) else { return nil }
    self.activity = activity
    hasJob = (properties["Job"]?.list?.first?.number ?? 0) != 0
    result = properties["Result"]?.text ?? ""
    // CLD_EXITED of waitid(2) is 1.
    if properties["ExecMainCode"]?.number == 1 { exitStatus = properties["ExecMainStatus"]?.number.map(Int.init) }
    leftRest = UInt64(properties["InactiveExitTimestampMonotonic"]?.number ?? 0)
    changed = UInt64(properties["StateChangeTimestampMonotonic"]?.number ?? 0)
  }

  init(_ activity: Activity) { self.activity = activity }

  enum Verdict: Equatable {
    case running
    case succeeded
    case failed
    /// It had been active before, so that nothing was started.
    case wasActive
    /// It has not run since, or there is no trace of that.
    case unknown
  }

  /// How the start went that was asked for at `asked`. `accepted`: systemd had taken the job. Nil for a record means
  /// that systemd has none: it forgets units at rest, but keeps those that have failed.
  static func verdict(_ record: UnitRecord?, asked: UInt64, accepted: Bool) -> Verdict {
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
      // Loaded afresh, for this question.
      return record.leftRest == 0 && accepted ? .succeeded : .unknown
    }
  }
}
