import EventLoop
import Glibc
import Handlers
import Linux
import Scheduling
import ServiceConfiguration
import ServiceLog
import SocketServer
import SystemBus
import Timeline
import UpdateStore

/// Whatever the service consists of. Each owner keeps its state to itself; here they are only built and found.
struct Owners {
  let log = Log()
  let loop: EventLoop
  let bus: SystemBus
  let server: HTTPServer
  let screens: ScreensInUse
  let haptics: FeedbackDesk
  let metrics = Metrics()
  let runner: HandlerRunner
  let engine: Engine
  let calls: Calls
  let sleep: SystemSleep

  /// Opens the state directory, the queue and the socket. Throws what prevents a start, worded for the log.
  init(_ configuration: Configuration, _ options: DaemonOptions) throws {
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
      definitions: configuration.handlers, admin: configuration.rights.admin)
    let scheduler = Scheduler(
      policy: configuration.servicePolicy, policies: configuration.handlerPolicies,
      interval: configuration.retryInterval, boot: boot, seed: .random(in: 0 ... .max), zone: SystemZone())
    let clock = MachineClock(.machine, configuration.clock, record: try store.clock(), boot: boot, now)
    engine = try Engine(
      scheduler, store: store, log: log, metrics: metrics, screens: screens, handlers: runner, clock: clock, now: now)
    calls = Calls(
      configuration, engine: engine, runner: runner, server: server, haptics: haptics, metrics: metrics, log: log,
      stateDirectory: options.stateDirectory, screens: screens)
    sleep = SystemSleep(SleepGuard(bus), log: log, screens: screens)
  }
}
