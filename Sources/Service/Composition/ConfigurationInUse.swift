import Haptics
import Scheduling
import ServiceConfiguration
import ServiceLog
import Timeline

/// The configuration in use, which a reload (SIGHUP) replaces: all of it or nothing. What waits still waits; a handler
/// that runs continues as it was started.
final class ConfigurationInUse {
  private var configuration: Configuration
  private let folders: [String]
  private let owners: Owners

  /// `folders`: where a reload reads, later ones win.
  init(_ configuration: Configuration, folders: [String], owners: Owners) {
    self.configuration = configuration
    self.folders = folders
    self.owners = owners
  }

  /// The receivers and rights of the start.
  func begin(_ now: Instant) {
    warn(configuration)
    owners.calls.configure(configuration, now)
  }

  /// The pulses of handlers that start.
  var startPulses: Set<FeedbackKind> { Set(configuration.handlers.values.compactMap(\.feedbackOnApply)) }

  /// Reads the files again. What is wrong with them is logged, and the old configuration stays in use.
  func reload(_ now: Instant) {
    let log = owners.log
    do {
      let new = try Configuration.read(folders: folders)
      try adopt(new, now)
      owners.metrics.reloads += 1
      log.notice("the configuration was reloaded: \(count(new.handlers.count, "handler"))", .reloaded)
    } catch {
      let problems = (error as? ConfigurationError)?.problems.map(\.description) ?? ["\(error)"]
      for problem in problems { log.error(problem) }
      log.error(
        "the configuration was not reloaded because of \(count(problems.count, "problem")); the old one stays in use",
        .reloadRefused)
    }
  }

  /// Of programs that cannot be executed: updates for them fail, and all others are applied.
  private func warn(_ configuration: Configuration) {
    for missing in configuration.missingPrograms() { owners.log.warning("\(missing)") }
  }

  /// Whatever can fail comes first.
  private func adopt(_ new: Configuration, _ now: Instant) throws {
    let changes = SettingsTable.changes(from: configuration, to: new)
    if changes.effects.contains(.devicesReadAgain) { try owners.screens.adopt(new.touchSettings, now) }
    if let notice = changes.restartNotice { owners.log.notice(notice) }
    warn(new)
    configuration = new
    owners.runner.configure(new.handlers, admin: new.rights.admin)
    owners.engine.limitHistory(new.history, now)
    owners.engine.clock.settings = new.clock
    owners.engine.feed {
      $0.configure(
        policy: new.servicePolicy, policies: new.handlerPolicies, interval: new.retryInterval, at: now)
    }
    owners.calls.configure(new, now)
  }
}
