import EventLoop
import Glibc
import Handlers
import Linux
import Scheduling
public import ServiceConfiguration
import ServiceLog
import SocketServer
import SystemBus
import Timeline
import TouchDevices
import UpdateStore

/// The service: builds its owners, wires them, runs them, stops them.
///
/// Every wake-up has one beginning (`beforeEach`) and one end (`afterEach`): the latter executes what was decided, arms
/// the one timer with the earliest deadline of all, and pings the watchdog.
public final class Daemon {
  private let options: DaemonOptions
  private let log = Log()
  private let loop: EventLoop
  private let bus: SystemBus
  private let server: HTTPServer
  private let screens: ScreensInUse
  private let haptics: FeedbackDesk
  private let metrics = Metrics()
  private let runner: HandlerRunner
  private let engine: Engine
  private let calls: Calls
  private let sleep: SystemSleep
  private var manager = ServiceManager()
  private var stop = Stop()
  private var configuration: Configuration
  private var timer: TimerSource?
  private var sources: [Source] = []

  /// Opens everything; nothing is followed or applied before `run`. Throws what prevents a start, worded for the log.
  public init(_ configuration: Configuration, _ options: DaemonOptions) throws {
    self.configuration = configuration
    self.options = options
    EventLoop.blockSignals([SIGCHLD, SIGTERM, SIGINT, SIGHUP])
    let (now, boot) = (SystemClock.monotonic, SystemClock.bootID)
    loop = try EventLoop()
    bus = SystemBus(loop: loop)
    try options.takeStateDirectory()
    let store = try QueueStore(path: options.queuePath, now: SystemClock.wall, keep: configuration.history)
    server = try HTTPServer(listening: options.listeningSocket())
    screens = try ScreensInUse(
      loop: loop, log: log, settings: configuration.touchSettings, memory: options.replay == nil ? store : nil,
      replay: options.replay, now: now)
    haptics = FeedbackDesk(loop: loop, log: log, settings: configuration.haptics)
    runner = HandlerRunner(
      loop: loop, manager: BusUnitManager(bus), log: log, folder: options.stateDirectory, boot: boot,
      definitions: configuration.handlers)
    let scheduler = Scheduler(
      policy: configuration.servicePolicy, policies: configuration.handlerPolicies,
      interval: configuration.retryInterval, boot: boot, seed: .random(in: 0 ... .max))
    engine = try Engine(
      scheduler, store: store, log: log, metrics: metrics, screens: screens, handlers: runner, now: now)
    calls = Calls(
      configuration, engine: engine, runner: runner, server: server, haptics: haptics, metrics: metrics, log: log,
      stateDirectory: options.stateDirectory, screens: screens)
    sleep = SystemSleep(bus: bus, log: log, screens: screens)
  }

  /// Runs until SIGTERM or SIGINT; a handler that runs then is waited for. Returns the exit status.
  public func run() throws -> CInt {
    for notice in engine.store.notices { log.error(notice) }
    wire()
    let now = SystemClock.monotonic
    try screens.start(now)
    haptics.start()
    try engine.recover(now)
    calls.configure(configuration, now)
    try watch()
    bus.connect(now)
    manager.ready(now)
    log.info(
      "ready: \(count(screens.count, "screen")), \(count(engine.scheduler.waitingCount, "update")) waiting", .ready)
    afterEach(now)
    loop.beforeEach = { [unowned self] now in beforeEach(now) }
    loop.afterEach = { [unowned self] now in afterEach(now) }
    let code = try loop.run()
    close()
    return code
  }

  // MARK: Every wake-up

  private func beforeEach(_ now: Instant) {
    assert(timer?.due == nextDeadline, "a deadline was set outside a callback, or not armed at the end of one")
    sleep.noticeSuspend(now)
  }

  private func afterEach(_ now: Instant) {
    engine.feedGateStates(now)
    calls.noteScreens()
    if !engine.actions.isEmpty {
      engine.drain(at: now)
      // A recheck or a last look may have changed what the screens say.
      calls.noteScreens()
    }
    calls.pumpEvents(now)
    screens.rememberNew()
    let isAnythingWaiting = engine.scheduler.isAnythingWaiting
    screens.input.somethingWaits = isAnythingWaiting
    if isAnythingWaiting { haptics.prepare(Set(configuration.handlers.values.compactMap(\.feedbackOnApply))) }
    manager.show(status: status)
    if runner.isIdle && !engine.scheduler.isRunning { sleep.allow() }
    if stop.isDue(runner: runner, scheduler: engine.scheduler) { loop.stop(0) }
    if let problem = manager.afterEach(now, problem: { overdue(now) }) {
      log.error("\(problem); withholding the watchdog ping")
    }
    timer?.arm(nextDeadline)
  }

  /// `systemctl status` shows it.
  private var status: String {
    "\(count(engine.scheduler.waitingCount, "update")) waiting"
      + (engine.scheduler.applying.map { ", applying \($0)" } ?? "")
  }

  /// The earliest of all. A new owner with a deadline is added here and in `timePassed`.
  private var nextDeadline: Instant? {
    [
      screens.input.nextDeadline, engine.nextDeadline, server.nextDeadline, runner.nextDeadline, calls.nextDeadline,
      haptics.nextDeadline, bus.nextDeadline, manager.nextDeadline,
    ].compactMap(\.self).min()
  }

  private func timePassed(_ now: Instant) {
    screens.input.timePassed(now)
    engine.feedGateStates(now)
    bus.timePassed(now)
    server.timePassed(now: now)
    runner.timePassed(now)
    haptics.timePassed(now)
    engine.timePassed(now)
    // What is due starts before anybody is told that it did not.
    engine.drain(at: now)
    calls.timePassed(now)
    calls.takeRequests(now)
  }

  /// What should have been done by now and was not.
  private func overdue(_ now: Instant) -> String? {
    if !engine.actions.isEmpty { return "\(count(engine.actions.count, "decision")) not executed" }
    guard let due = [screens.input.nextDeadline, engine.nextDeadline, runner.nextDeadline].compactMap(\.self).min(),
      now - due > .seconds(10)
    else { return nil }
    return "a deadline is \(TimeSpan.describe(now - due)) overdue"
  }

  // MARK: Wiring

  private func wire() {
    runner.connect(
      HandlerRunner.Inputs(
        progressed: { [engine] update, progress, now in engine.progressed(update, progress, now) },
        ended: { [engine] update, end, started, now in engine.handlerEnded(update, end, ran: now - started, now) },
        orphanEnded: { [engine] id, end, now in engine.orphanEnded(id, end, now) },
        interrupted: { [engine] id, now in engine.feed { $0.probed(id, stillRunning: false, at: now) } },
        payload: { [engine] id in try engine.store.payload(of: id) ?? [] },
        offer: { [calls] in calls.offer($0, attempt: $1, timeout: $2, payload: $3, $4) },
        withPulse: { [haptics] in haptics.withPulse($0, $1, $2) },
        preparePulse: { [haptics] kind, limit in haptics.prepare(kind, for: limit) },
        started: { [calls, metrics] update, delay in
          calls.note(update.id, update.handler, "applying")
          metrics.started(after: delay)
        }))
    engine.announced = { [calls] announcement, now in calls.announced(announcement, now) }
    engine.turnStarts = { [calls] turn, releasedAt, now in calls.startTurn(turn.id, releasedAt, now) }
    engine.guardKind = { [calls] work in calls.guardKind(work) }
    sleep.handler = { [runner] in runner.update?.handler }
    bus.connected = { [unowned self] now in
      sleep.busReturned()
      runner.busReturned(now)
    }
    bus.disconnected = { [unowned self] failure, now in
      sleep.busLost(failure, now)
      runner.busLost(now)
    }
  }

  private func watch() throws {
    timer = try loop.timer(.timers) { [unowned self] now in timePassed(now) }
    for number in [SIGTERM, SIGINT] {
      sources.append(try loop.signal(number) { [unowned self] now in stop(now) })
    }
    sources.append(try loop.signal(SIGHUP) { [unowned self] now in reload(now) })
    sources.append(
      try loop.watch(server.listeningDescriptor, .requests) { [server, calls] now in
        server.acceptConnections(now: now)
        calls.takeRequests(now)
      })
    sources.append(
      try loop.watch(server.eventDescriptor, .requests) { [server, calls] now in
        server.run(now: now)
        calls.takeRequests(now)
      })
  }

  // MARK: Reload and stop

  /// A new configuration without a restart (SIGHUP): all of it or nothing. What waits still waits; a handler that runs
  /// continues as it was started.
  private func reload(_ now: Instant) {
    manager.reloading(now)
    defer { manager.reloaded() }
    do {
      let new = try Configuration.read(folders: options.folders)
      try adopt(new, now)
      metrics.reloads += 1
      log.notice("the configuration was reloaded: \(count(new.handlers.count, "handler"))", .reloaded)
    } catch {
      let problems = (error as? ConfigurationError)?.problems.map(\.description) ?? ["\(error)"]
      for problem in problems { log.error(problem) }
      log.error(
        "the configuration was not reloaded because of \(count(problems.count, "problem")); the old one stays in use",
        .reloadRefused)
    }
  }

  private func adopt(_ new: Configuration, _ now: Instant) throws {
    let changes = SettingsTable.changes(from: configuration, to: new)
    if changes.effects.contains(.devicesReadAgain) { try screens.adopt(new.touchSettings, now) }
    if let notice = changes.restartNotice { log.notice(notice) }
    for missing in new.missingPrograms() { log.warning("\(missing)") }
    configuration = new
    runner.configure(new.handlers)
    engine.limitHistory(new.history, now)
    engine.feed {
      $0.configure(
        policy: new.servicePolicy, policies: new.handlerPolicies, interval: new.retryInterval, at: now)
    }
    calls.configure(new, now)
  }

  private func stop(_ now: Instant) {
    calls.stop(now)
    haptics.stop()
    engine.feed {
      $0.stop(at: now)
      return []
    }
    manager.stopping()
    stop.request(runner: runner)
    if let update = runner.update, !runner.mayStop {
      log.info(
        "stopping when handler '\(update.handler)' for \(update.id) has ended", .stopping,
        [.update(update.id), .handler(update.handler)])
    } else {
      log.info("stopping", .stopping)
    }
  }

  /// After the loop: whoever was let in gets an answer. Whoever comes now waits in systemd's socket for the next start.
  private func close() {
    let end = SystemClock.monotonic + Stop.lastAnswers
    var now = SystemClock.monotonic
    while now < end && server.owes(since: Stop.lastAnswers, now: now) {
      var entry = pollfd(fd: server.eventDescriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, 20)
      now = SystemClock.monotonic
      server.run(now: now)
      calls.takeRequests(now)
      engine.drain(at: now)
      server.run(now: now)
    }
    server.stop()
    do { try engine.close(SystemClock.monotonic) } catch { log.error("\(error)") }
    haptics.end()
  }
}
