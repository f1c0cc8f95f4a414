import CLibsystemd
import CLinux
import EventLoop
import Gating
import Glibc
import Linux
import Recordings
import Scheduling
import ServiceLog
import SocketServer
import SystemBus
import Timeline
import TouchgateAPI
import UpdateStore

/// The service put together: touches and requests come in, the scheduler decides, and its actions are carried out one
/// after the other in the order that it gave them (`Daemon+Effects.swift`).
public final class Daemon {
  /// What the command line says.
  public struct Options: Sendable {
    /// Where the queue lives.
    public var stateDirectory: String
    /// Where to listen, unless systemd hands over a socket.
    public var socketPath: String
    /// A recording to play in place of devices.
    public var replay: String?
    /// Where the configuration is read from, at a reload too.
    public var folders: [String]

    public init(
      stateDirectory: String, socketPath: String, replay: String? = nil, folders: [String] = Configuration.folders
    ) {
      self.folders = folders
      self.stateDirectory = stateDirectory
      self.socketPath = socketPath
      self.replay = replay
    }
  }

  /// Why the service cannot start, for the person who reads it.
  public struct CannotStart: Error, CustomStringConvertible {
    public let description: String
  }

  private(set) var configuration: Configuration
  let options: Options
  let log = Log()
  let loop: EventLoop
  let store: QueueStore
  let server: HTTPServer
  private(set) var touch: TouchInput
  let desk: FeedbackDesk
  /// The scheduler and what executes its actions.
  let effects: DaemonEffects
  private(set) var clock = Clock()
  var handler: (any RunningHandler)?
  let bus: SystemBus
  /// Systemd is being asked how the unit that a former run started has ended.
  var unitProbe: UnitProbe?
  private(set) var sleepGuard: SleepGuard?
  var metrics = Metrics()
  /// Said once.
  var saidNoBus = false
  var saidNoLogind = false
  var sequence: Int64
  /// Who waits for the answer to a submission.
  var asked: [UpdateID: RequestToken] = [:]
  /// Who waits for the answer to a cancellation.
  var cancelled: [UpdateID: RequestToken] = [:]
  /// Submissions that are to be answered only at their end.
  var waitsAfter: [UpdateID: Instant] = [:]
  var endWaits: [RequestToken: EndWait] = [:]
  var turns: [UpdateID: Turn] = [:]
  /// Applications that apply updates themselves, in the order in which they connected.
  var receivers: [Receiver] = []
  /// Handlers of which the scheduler knows whether they have one.
  var delivering: Set<String> = []
  /// Replies that stay open.
  var streams: [RequestToken: StreamOwner] = [:]
  var events = EventLog()
  var lastTouch: EventLog.Happening?
  var lastScreens: [String: EventLog.Happening] = [:]
  /// Who waits until a change is durable.
  var awaited: [(write: StoreWrite, token: RequestToken)] = []
  /// Screens that the machine has had, as they are stored.
  private var remembered: Set<String>
  private var sleep = SleepWatch()
  /// When `pruneHistory` has something to do; nil: not known, or nothing.
  var historyDue: Instant?
  private var timer: TimerSource?
  private var sources: [Source] = []
  private var announced = ""

  /// Opens everything and begins to follow touches; nothing is applied before `run`.
  public init(_ configuration: Configuration, _ options: Options) throws {
    self.configuration = configuration
    self.options = options
    EventLoop.blockSignals([SIGCHLD, SIGTERM, SIGINT, SIGHUP])
    loop = try EventLoop()
    bus = try SystemBus(loop: loop)
    try Self.takeStateDirectory(options.stateDirectory)
    store = try QueueStore(
      path: "\(options.stateDirectory)/queue.sqlite", now: SystemClock.wall, keep: configuration.history)
    sequence = try store.nextSequence()
    server = try HTTPServer(listening: Self.listeningSocket(options))
    let now = SystemClock.monotonic
    remembered = options.replay == nil ? try store.screens() : []
    touch = TouchInput(loop: loop, log: log, configuration: configuration, remembered: remembered, now: now)
    desk = FeedbackDesk(loop: loop, log: log, settings: configuration.haptics)
    effects = DaemonEffects(
      Scheduler(
        policy: configuration.servicePolicy, policies: configuration.handlerPolicies,
        interval: configuration.retryInterval, boot: SystemClock.bootID, seed: .random(in: 0 ... .max)))
    effects.daemon = self
    scheduler.setWallClock(SystemClock.wall, at: now)
  }

  /// Runs until SIGTERM or SIGINT; a handler that runs then is waited for.
  public func run() throws -> CInt {
    for notice in store.notices { log.error(notice) }
    followTouch()
    timer = try loop.timer(.timers) { [unowned self] now in timePassed(now) }
    try watchSignals()
    desk.acted = { [unowned self] now in settle(now) }
    try startTouch(SystemClock.monotonic)
    desk.start()
    let now = SystemClock.monotonic
    tellReceivers(now)
    perform(scheduler.recover(try recovered(), at: now), now)
    touchChanged(now)
    pruneHistory(now)
    try watchRequests()
    sleepGuard = watchSleep()
    watchBus(now)
    let watchdog = try Watchdog(loop: loop, log: log) { [unowned self] now in problem(now) }
    defer { withExtendedLifetime(watchdog) {} }
    settle(now)
    sd_notify(0, "READY=1")
    log.info(
      "ready: \(count(touch.screens.gates.count, "screen")), \(count(scheduler.waitingCount, "update")) waiting", .ready
    )
    let code = try loop.run()
    answerTheLast()
    server.stop()
    do { try store.keep(blocked: scheduler.allBlockedTimes(at: SystemClock.monotonic)) } catch { log.error("\(error)") }
    try store.close()
    desk.end()
    return code
  }

  private func followTouch() {
    touch.changed = { [unowned self] now in
      noticeSleep(now)
      touchChanged(now)
      settle(now)
    }
  }

  /// The new configuration is used; screens are found and read anew where it says otherwise of them.
  func adopt(_ new: Configuration, _ now: Instant) throws {
    let old = configuration
    if options.replay == nil && !new.saysTheSameOfTouch(as: old) {
      let input = TouchInput(loop: loop, log: log, configuration: new, remembered: remembered, now: now)
      try input.startDevices(now: now)
      if let since = touch.sleepsSince { input.goesToSleep(since) }
      touch = input
      followTouch()
    }
    if new.haptics != old.haptics { log.notice("[Haptics] has changed, which counts from the next start on") }
    configuration = new
    store.limits = new.history
    historyDue = nil
    pruneHistory(now)
  }

  private func recovered() throws -> Recovered {
    let updates = try store.unfinished()
    let rebooting = configuration.handlers.keys.filter { scheduler.policy(of: $0).rebootTimeout != nil }
    let oldest = updates.lazy.map(\.update).filter { rebooting.contains($0.handler) }.map(\.createdAt).min()
    let since = min(oldest ?? SystemClock.wall, SystemClock.wall) + (.zero - HandlerPolicy.rebootWindow)
    return Recovered(
      updates: updates, pause: try store.pause(), holds: try store.holds(),
      reboots: rebooting.isEmpty ? [] : try store.reboots(of: rebooting.sorted(), since: since))
  }

  private func startTouch(_ now: Instant) throws {
    guard let file = options.replay else { return try touch.startDevices(now: now) }
    let source: ReplaySource
    do {
      source = try ReplaySource(try Recording.read(path: file), start: now)
    } catch {
      throw CannotStart(description: "\(file): \(error)")
    }
    try touch.startReplay(source, file: file, now: now)
    log.info("playing \(file) (\(TimeSpan.describe(source.length))) in place of touchscreens")
  }

  // MARK: The loop

  private func watchSignals() throws {
    for number in [SIGTERM, SIGINT] {
      sources.append(try loop.signal(number) { [unowned self] now in stop(now) })
    }
    sources.append(try loop.signal(SIGHUP) { [unowned self] now in reload(now) })
  }

  private func watchRequests() throws {
    let accepting = try loop.watch(server.listeningDescriptor, .requests) { [unowned self] now in
      server.acceptConnections(now: now)
      answerRequests(now)
    }
    let running = try loop.watch(server.eventDescriptor, .requests) { [unowned self] now in
      server.run(now: now)
      answerRequests(now)
    }
    sources += [accepting, running]
  }

  private func answerRequests(_ now: Instant) {
    noticeSleep(now)
    clock.follow()
    forgetGone(now)
    for incoming in server.takeRequests() { handle(incoming, now) }
    perform([], now)
    settle(now)
  }

  private func timePassed(_ now: Instant) {
    noticeSleep(now)
    // While anything waits this is every second: a clock that was set is noticed by then.
    scheduler.setWallClock(SystemClock.wall, at: now)
    touch.timePassed(now)
    touchChanged(now)
    server.timePassed(now: now)
    handler?.timePassed(now)
    if historyDue != nil { pruneHistory(now) }
    desk.timePassed(now)
    perform(scheduler.timePassed(now), now)
    endTurns(now)
    endWaitsDue(now)
    answerRequests(now)
  }

  /// Tells the scheduler what the gates say now.
  func touchChanged(_ now: Instant) {
    perform(scheduler.screens(touch.passages, at: now), now)
  }

  /// Reads the kernel's tables first: what is known may be old where nothing waits.
  func lookAtScreens(_ now: Instant) {
    touch.lookAgain(now)
    touchChanged(now)
  }

  /// Nothing that was known before a sleep is believed after it.
  func noticeSleep(_ now: Instant) {
    guard let time = sleep.slept(boot: SystemClock.boottime, now: now) else { return }
    log.info("the machine slept for \(TimeSpan.describe(time)); every screen is read anew")
    touch.resumed(now)
    touchChanged(now)
  }

  /// What a next start of the machine should wait for.
  private func rememberScreens() {
    if options.replay != nil { return }
    let here = Set(touch.screens.gates.keys)
    let new = here.subtracting(remembered)
    let gone = remembered.filter { !touch.screens.isKnown($0) }
    if new.isEmpty && gone.isEmpty { return }
    remembered = remembered.union(new).subtracting(gone)
    do { try store.remember(screens: new, forget: gone) } catch { log.error("\(error)") }
  }

  /// After every wake-up: the one timer gets the earliest deadline of all.
  func settle(_ now: Instant) {
    noteScreens()
    pumpEvents(now)
    touch.somethingWaits = scheduler.isAnythingWaiting
    prepareFeedback()
    let deadlines = [
      touch.nextDeadline, scheduler.nextDeadline, server.nextDeadline, handler?.nextDeadline, historyDue,
      nextTurnDeadline, nextWaitDeadline, desk.nextDeadline,
    ]
    timer?.arm(deadlines.compactMap(\.self).min())
    announce()
    rememberScreens()
    sleepIfReady()
  }

  /// `systemctl status` shows it. Changes with the queue, not with every touch.
  private func announce() {
    var text = "\(count(scheduler.waitingCount, "update")) waiting"
    if let id = scheduler.applying { text += ", applying \(id)" }
    if text == announced { return }
    announced = text
    sd_notify(0, "STATUS=\(text)")
  }

  private func stop(_ now: Instant) {
    for (token, owner) in streams {
      if case .turn(let id) = owner { leaveTurn(id, now) }
      // What it has in its hands it may still acknowledge.
      if (handler as? Delivery)?.receiver == token { continue }
      server.end(token)
    }
    desk.stop()
    scheduler.stop(at: now)
    sd_notify(0, "STOPPING=1")
    if let handler, !handler.canBeLeft {
      log.info(
        "stopping when handler '\(handler.update.handler)' for \(handler.update.id) has ended", .stopping,
        [.update(handler.update.id), .handler(handler.update.handler)])
    } else {
      log.info("stopping", .stopping)
      loop.stop(0)
    }
  }

  /// To be asked whenever a handler has ended and its result is stored.
  func stopIfAsked() {
    if scheduler.isStopping && handler?.canBeLeft ?? !scheduler.isRunning { loop.stop(0) }
  }

  // MARK: What must be ours alone

  private static func takeStateDirectory(_ path: String) throws {
    if mkdir(path, 0o700) != 0 && errno != EEXIST {
      throw CannotStart(description: "cannot make the state folder \(path): \(Errno())")
    }
    // Held until the process ends.
    if tg_open_lock("\(path)/lock") < 0 {
      let reason = errno == EWOULDBLOCK ? "another touchgated uses it" : "\(Errno())"
      throw CannotStart(description: "cannot use the state folder \(path): \(reason)")
    }
  }

  private static func listeningSocket(_ options: Options) throws -> CInt {
    switch sd_listen_fds(1) {
    case 0: return try HTTPServer.listen(path: options.socketPath, mode: 0o660)
    case 1: return CInt(SD_LISTEN_FDS_START)
    case let count: throw CannotStart(description: "systemd handed over \(count) sockets; touchgated.socket has one")
    }
  }
}

extension Daemon {
  public static let version = Version.text
}
