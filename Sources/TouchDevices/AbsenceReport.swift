import Gating
import ServiceLog
import Timeline

/// Logs which screens are missing, once per change.
struct AbsenceReport {
  private var reported: [String: Screens.Absence] = [:]

  mutating func update(_ screens: Screens, _ log: Log) {
    let absences = screens.absences
    if absences == reported { return }
    for (name, absence) in absences where reported[name] != absence {
      switch absence.reach {
      case .grace(let until):
        log.warning(
          "screen '\(name)' is missing; updates wait for it, \(TimeSpan.describe(until - absence.since)) at most")
      case .all:
        log.error("screen '\(name)' is missing; nothing is applied without it")
      case .own:
        log.warning("screen '\(name)' is still missing; going on without it (OnNoScreen=apply)")
      }
    }
    for name in reported.keys where absences[name] == nil {
      log.warning(
        screens.gates[name] == nil
          ? "screen '\(name)' is still missing; going on without it (OnNoScreen=apply)" : "screen '\(name)' is back")
    }
    reported = absences
  }
}
