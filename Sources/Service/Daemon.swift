import EventLoop
import Glibc
import Linux
import Scheduling
public import ServiceConfiguration
import ServiceLog
import SystemBus
import Timeline
import TouchDevices
import UpdateStore

/// The service: builds its owners, connects them, runs them, stops them.
///
/// Every wake-up has one beginning (`beforeEach`) and one end (`afterEach`): the latter executes what was decided, arms
/// the one timer with the earliest deadline of all, and pings the watchdog.
public final class Daemon {
  private let owners: Owners
  private let configuration: ConfigurationInUse
  private let kept: KeptOwners
  private let clockInquiry: ClockInquiry
  private var manager = ServiceManager()
  private var stop = Stop()
  private var timer: TimerSource?
  private var sources: [Source] = []

  /// Opens everything; nothing is followed or applied before `run`. Throws what prevents a start, worded for the log.
  public init(_ configuration: Configuration, _ options: DaemonOptions) throws {
    owners = try Owners(configuration, options)
    clockInquiry = ClockInquiry(owners.bus, owners.engine.clock)
    kept = KeptOwners(loop: owners.loop, engine: owners.engine, log: owners.log)
    self.configuration = ConfigurationInUse(configuration, folders: options.folders, owners: owners)
  }

  /// Runs until SIGTERM or SIGINT; a handler that runs then is waited for. Returns the exit status.
  public func run() throws -> CInt {
    let (engine, loop) = (owners.engine, owners.loop)
    for notice in engine.store.notices { owners.log.error(notice) }
    owners.connect()
    let now = SystemClock.monotonic
    try owners.screens.start(now)
    owners.haptics.start()
    try engine.recover(now)
    kept.begin(try engine.store.boundHolds(), now)
    owners.runner.sweep(keeping: engine.scheduler.applying.map { [$0] } ?? [])
    configuration.begin(now)
    try watch()
    owners.bus.connect(now)
    manager.ready(now)
    owners.log.info(
      "ready: \(count(owners.screens.count, "screen")), \(count(engine.scheduler.waitingCount, "update")) waiting",
      .ready)
    afterEach(now)
    loop.beforeEach = { [unowned self] now in beforeEach(now) }
    loop.afterEach = { [unowned self] now in afterEach(now) }
    let code = try loop.run()
    stop.close(owners)
    return code
  }

  private func watch() throws {
    let loop = owners.loop
    timer = try loop.timer(.timers) { [owners] now in owners.timePassed(now) }
    for number in [SIGTERM, SIGINT] {
      sources.append(
        try loop.signal(number) { [unowned self] now in
          stop.request(owners, now)
          manager.stopping()
        })
    }
    sources.append(
      try loop.signal(SIGHUP) { [unowned self] now in
        manager.reloading(now)
        configuration.reload(now)
        manager.reloaded()
      })
    sources += try owners.watchRequests()
  }

  // MARK: Every wake-up

  private func beforeEach(_ now: Instant) {
    assert(timer?.due == nextDeadline, "a deadline was set outside a callback, or not armed at the end of one")
    owners.engine.wakesUp(now)
    owners.sleep.noticeSuspend(now, asleep: SystemClock.timeAsleep)
  }

  private func afterEach(_ now: Instant) {
    let (engine, calls, screens) = (owners.engine, owners.calls, owners.screens)
    engine.feedGateStates(now)
    if engine.actions.isEmpty { calls.noteScreens() }
    if !engine.actions.isEmpty {
      engine.drain(at: now)
      // A recheck or a last look may have changed what the screens say.
      calls.noteScreens()
    }
    engine.followSpans(now)
    calls.pumpEvents(now)
    screens.rememberNew()
    let isAnythingWaiting = engine.scheduler.isAnythingWaiting
    screens.input.somethingWaits = isAnythingWaiting
    clockInquiry.afterEach(now, isNeeded: engine.scheduler.isCountingSpans)
    if isAnythingWaiting { owners.haptics.prepare(configuration.startPulses) }
    manager.show(status: status)
    if owners.runner.isIdle && !engine.scheduler.isRunning { owners.sleep.allow() }
    if stop.isDue(owners) { owners.loop.stop(0) }
    if let problem = manager.afterEach(now, problem: { owners.overdue(now) }) {
      owners.log.error("\(problem); withholding the watchdog ping")
    }
    timer?.arm(nextDeadline)
  }

  /// `systemctl status` shows it.
  private var status: String {
    let scheduler = owners.engine.scheduler
    return "\(count(scheduler.waitingCount, "update")) waiting"
      + (scheduler.inProgress.map { ", applying \($0)" } ?? "")
  }

  private var nextDeadline: Instant? {
    [owners.nextDeadline, manager.nextDeadline].compactMap(\.self).min()
  }
}
