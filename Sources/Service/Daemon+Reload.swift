import CLibsystemd
import EventLoop
import Scheduling
import ServiceConfiguration
import ServiceLog
import Timeline

/// A new configuration without a restart (SIGHUP): all of it or nothing. What waits goes on waiting, a handler that runs
/// goes on as it was started.
extension Daemon {
  func reload(_ now: Instant) {
    // systemd 253 and later wait for READY= with this time (sd_notify(3)); earlier ones show the state.
    sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1000)")
    defer { sd_notify(0, "READY=1") }
    let new: Configuration
    do {
      new = try Configuration.read(folders: options.folders)
    } catch {
      for problem in error.problems { log.error("\(problem)") }
      return log.error(
        "the configuration was not reloaded, for \(count(error.problems.count, "reason")); the old one stays",
        .reloadRefused)
    }
    do {
      try adopt(new, now)
    } catch {
      return log.error("the configuration was not reloaded: \(error); the old one stays", .reloadRefused)
    }
    for missing in new.missingPrograms() { log.warning("\(missing)") }
    perform(
      scheduler.configure(
        policy: new.servicePolicy, policies: new.handlerPolicies, interval: new.retryInterval, at: now), now)
    tellReceivers(now)
    touchChanged(now)
    settle(now)
    metrics.reloads += 1
    log.notice("the configuration was reloaded: \(count(new.handlers.count, "handler"))", .reloaded)
  }
}
