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
  /// logind reports within milliseconds of a resume that the machine is awake.
  static let logindDelay: Duration = .seconds(10)

  private let log: Log
  private let screens: ScreensInUse
  private let logind: any SleepAnnouncer
  private var watch = SleepWatch()
  private var isBusMissing = false
  private var isLogindMissing = false
  /// If logind has not reported by then that the machine is awake, it counts as awake.
  private var awakeAt: Instant?
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
    if screens.input.sleepsSince != nil { awaken(now) }
  }

  /// At the beginning of each wake-up: what was known before a suspend is not trusted after it.
  ///
  /// If logind announced the sleep, it must also report that the machine is awake: it may be about to sleep again, and
  /// that announcement may already be queued.
  /// - Parameter asleep: how long the machine has slept since it booted (`SystemClock.timeAsleep`).
  func noticeSuspend(_ now: Instant, asleep: Duration) {
    guard let time = watch.slept(asleep) else { return }
    log.info("the machine slept for \(TimeSpan.describe(time)); every screen is read again")
    if screens.input.sleepsSince == nil {
      screens.input.resumed(now)
    } else {
      awakeAt = awakeAt ?? now + Self.logindDelay
      screens.input.distrust(now)
    }
  }

  /// When the machine counts as awake although logind has not reported it.
  var nextDeadline: Instant? { awakeAt }

  func timePassed(_ now: Instant) {
    guard let at = awakeAt, at <= now else { return }
    log.warning("logind has not reported that the machine is awake; it counts as awake")
    awaken(now)
  }

  /// Nothing is being applied: the machine may sleep.
  func allow() {
    if screens.input.sleepsSince != nil { logind.release() }
  }

  private func goesToSleep(_ now: Instant) {
    awakeAt = nil  // It goes to sleep again.
    screens.input.goesToSleep(now)
    let after = handler().map { " when handler '\($0)' has ended" } ?? ""
    log.info("the machine is going to sleep\(after); nothing is applied until it is awake", .goesToSleep)
  }

  private func wokeUp(_ now: Instant) {
    if screens.input.sleepsSince == nil { return }
    log.info("the machine is awake; every screen is read again")
    awaken(now)
  }

  private func awaken(_ now: Instant) {
    awakeAt = nil
    screens.input.resumed(now)
  }
}
