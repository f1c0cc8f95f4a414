import Linux
import ServiceLog
import SystemBus
import Timeline
import TouchDevices

/// The machine goes to sleep: nothing is applied from then on, a handler that runs may end, and after the sleep every
/// screen is read again. Without logind, a suspend is detected on resume by the clocks.
final class SystemSleep {
  private let log: Log
  private let screens: ScreensInUse
  private let guardian: SleepGuard
  private var watch = SleepWatch()
  private var isBusMissing = false
  private var isLogindMissing = false
  /// The name of the handler that runs.
  var handler: () -> String? = { nil }

  init(bus: SystemBus, log: Log, screens: ScreensInUse) {
    self.log = log
    self.screens = screens
    guardian = SleepGuard(bus)
    guardian.announced = { [unowned self] sleeps, now in sleeps ? goesToSleep(now) : wokeUp(now) }
    guardian.failed = { [unowned self] failure in
      if isLogindMissing || failure.isDisconnect { return }
      isLogindMissing = true
      log.info("logind's sleep signal is unavailable (\(failure)); suspend is detected on resume only")
    }
  }

  func busReturned() {
    if isBusMissing { log.info("D-Bus is available") }
    isBusMissing = false
    guardian.begin()
  }

  func busLost(_ failure: SystemBus.Failure, _ now: Instant) {
    if !isBusMissing {
      log.info("\(failure); Unit= handlers cannot be started without it, and suspend is detected on resume only")
    }
    isBusMissing = true
    guardian.end()
    // Nobody would report that the machine is awake again.
    if screens.input.sleepsSince != nil { screens.input.resumed(now) }
  }

  /// At the beginning of each wake-up: what was known before a suspend is not trusted after it.
  func noticeSuspend(_ now: Instant) {
    guard let time = watch.slept(boot: SystemClock.boottime, now: now) else { return }
    log.info("the machine slept for \(TimeSpan.describe(time)); every screen is read again")
    screens.input.resumed(now)
  }

  /// Nothing is being applied: the machine may sleep.
  func allow() {
    if screens.input.sleepsSince != nil { guardian.release() }
  }

  private func goesToSleep(_ now: Instant) {
    screens.input.goesToSleep(now)
    let after = handler().map { " when handler '\($0)' has ended" } ?? ""
    log.info("the machine is going to sleep\(after); nothing is applied until it is awake", .goesToSleep)
  }

  private func wokeUp(_ now: Instant) {
    // The clocks may have told already.
    if screens.input.sleepsSince == nil { return }
    log.info("the machine is awake; every screen is read again")
    screens.input.resumed(now)
  }
}
