import EventLoop
import Scheduling
import ServiceLog
import SystemBus
import Timeline
import TouchDevices

/// The machine goes to sleep: nothing is applied from then on, a handler that runs may end, and after the sleep every
/// screen is read anew.
extension Daemon {
  func watchSleep() -> SleepGuard {
    SleepGuard(
      bus,
      told: { [unowned self] sleeps, now in
        if sleeps { goesToSleep(now) } else { wokeUp(now) }
        settle(now)
      },
      failed: { [unowned self] failure, _ in
        if saidNoLogind || failure.isDisconnect { return }
        saidNoLogind = true
        log.info("no word from logind before a sleep (\(failure)); a sleep is noticed after it")
      })
  }

  private func goesToSleep(_ now: Instant) {
    touch.goesToSleep(now)
    touchChanged(now)
    if let handler {
      log.info(
        "the machine is going to sleep when handler '\(handler.update.handler)' has ended; screens are shut",
        .goesToSleep)
    } else {
      log.info("the machine is going to sleep; screens are shut", .goesToSleep)
    }
  }

  /// Asked after every wake-up: what runs now may be a handler, or somebody's turn.
  func sleepIfReady() {
    if touch.sleepsSince != nil && handler == nil && !scheduler.isRunning { sleepGuard?.release() }
  }

  /// Where the clocks have told it already, it is done.
  private func wokeUp(_ now: Instant) {
    noticeSleep(now)
    if touch.sleepsSince == nil { return }
    log.info("the machine is awake; every screen is read anew")
    touch.resumed(now)
    touchChanged(now)
  }
}
