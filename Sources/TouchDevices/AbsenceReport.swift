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
          "screen '\(name)' is missing; updates wait for it at most \(TimeSpan.describe(until - absence.since))")
      case .all:
        log.error("screen '\(name)' is missing; nothing is applied until it is connected")
      case .own:
        log.warning("screen '\(name)' is still missing; updates are applied without it (OnNoScreen=apply)")
      }
    }
    for name in reported.keys where absences[name] == nil {
      log.warning(
        screens.gates[name] == nil
          ? "screen '\(name)' is still missing; updates are applied without it (OnNoScreen=apply)"
          : "screen '\(name)' is connected again")
    }
    reported = absences
  }
}
