import ServiceLog
import SystemBus
import Timeline
import TouchDevices

/// Whoever says that the machine goes to sleep, and waits for us then: logind (`SleepGuard`).
protocol SleepAnnouncer: AnyObject {
  /// The machine is about to sleep (true), or has slept or given it up.
  var announced: (_ sleeps: Bool, Instant) -> Void { get set }
  /// There will be no announcements.
  var failed: (SystemBus.Failure) -> Void { get set }
  /// The bus is there.
  func begin()
  /// The bus is gone.
  func end()
  /// The machine may sleep.
  func release()
}

/// The machine goes to sleep: nothing is applied from then on, a handler that runs may end, and after the sleep every
/// screen is read again. Without logind, a suspend is detected on resume by the clocks.
final class SystemSleep {
  private let log: Log
  private let screens: ScreensInUse
  private let logind: any SleepAnnouncer
  private var watch = SleepWatch()
  private var isBusMissing = false
  private var isLogindMissing = false
  /// The name of the handler that runs.
  var handler: () -> String? = { nil }

  init(_ logind: any SleepAnnouncer, log: Log, screens: ScreensInUse) {
    self.log = log
    self.screens = screens
    self.logind = logind
    logind.announced = { [unowned self] sleeps, now in sleeps ? goesToSleep(now) : wokeUp(now) }
    logind.failed = { [unowned self] failure in
      if isLogindMissing || failure.isDisconnect { return }
      isLogindMissing = true
      log.info("logind's sleep signal is unavailable (\(failure)); suspend is detected on resume only")
    }
  }

  func busReturned() {
    if isBusMissing { log.info("D-Bus is available") }
    isBusMissing = false
    logind.begin()
  }

  func busLost(_ failure: SystemBus.Failure, _ now: Instant) {
    if !isBusMissing {
      log.info("\(failure); Unit= handlers cannot be started without it, and suspend is detected on resume only")
    }
    isBusMissing = true
    logind.end()
    // Nobody would report that the machine is awake again.
    if screens.input.sleepsSince != nil { screens.input.resumed(now) }
  }

  /// At the beginning of each wake-up: what was known before a suspend is not trusted after it.
  /// `boot`: the same moment on the clock that continues while the machine sleeps.
  func noticeSuspend(_ now: Instant, boot: Instant) {
    guard let time = watch.slept(boot: boot, now: now) else { return }
    log.info("the machine slept for \(TimeSpan.describe(time)); every screen is read again")
    screens.input.resumed(now)
  }

  /// Nothing is being applied: the machine may sleep.
  func allow() {
    if screens.input.sleepsSince != nil { logind.release() }
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
