import EventLoop
import Foundation
import HTTPTypes
import Handlers
import Linux
import Scheduling
import ServiceLog
import SimulatedSystemd
import Timeline
import TouchDevices
import UpdateStore

@testable import Service
@testable import ServiceConfiguration

/// The calls with a real engine, store, handler runner and screen; only the clients are simulated, and nothing happens
/// by itself. Handlers: `menu` delivers to applications, `sign` only for user 1000.
final class CallsBench {
  let socket = SimulatedSocket()
  let screens: ScreensInUse
  let engine: Engine
  let runner: HandlerRunner
  let calls: Calls
  private(set) var configuration = Configuration()
  private(set) var now = at(1)
  private let loop: EventLoop
  private let clockSource = MachineClock.Source(
    wall: { SystemClock.wall }, timeAsleep: { .zero }, isSynchronized: { true },
    earliest: WallTime(millisecondsSinceEpoch: 0))
  private let folder = NSTemporaryDirectory() + "touchgate-calls-\(UUID().uuidString)"

  /// `touched`: a finger rests on the screen. `stored`: what a former run has left in the store.
  init(touched: Bool = false, stored: [StoreWrite] = [], _ edit: (inout Configuration) throws -> Void = { _ in }) throws
  {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    configuration.haptics.device = .none
    configuration.handlers["menu"] = HandlerDefinition(
      name: "menu", file: "menu.conf", kind: .delivery, parameters: [ParameterDefinition(name: "page", pattern: nil)])
    configuration.handlers["sign"] = HandlerDefinition(
      name: "sign", file: "sign.conf", kind: .delivery, allowed: try Principals(users: "1000"))
    configuration.rights.admin = try Principals(users: "500")
    try edit(&configuration)
    let (log, metrics) = (Log(), Metrics())
    loop = try EventLoop()
    let store = try QueueStore(path: "\(folder)/queue.sqlite", now: SystemClock.wall)
    try store.perform(stored)
    screens = try ScreensInUse(
      loop: loop, log: log, settings: configuration.touchSettings, memory: nil,
      replay: try Panel.write(folder, touched: touched), now: at(0))
    let haptics = FeedbackDesk(loop: loop, log: log, settings: configuration.haptics)
    runner = HandlerRunner(
      loop: loop, manager: SimulatedUnitManager(), log: log, folder: folder, boot: "boot",
      definitions: configuration.handlers, admin: configuration.rights.admin)
    engine = try Engine(
      Scheduler(
        policy: configuration.servicePolicy, policies: configuration.handlerPolicies,
        interval: configuration.retryInterval, boot: "boot", seed: 1),
      store: store, log: log, metrics: metrics, screens: screens, handlers: runner,
      clock: MachineClock(clockSource, record: nil, boot: "boot", at(0)), now: at(0))
    calls = Calls(
      configuration, engine: engine, runner: runner, server: socket, haptics: haptics, metrics: metrics, log: log,
      stateDirectory: folder, screens: screens)
    Owners.connect(engine, runner, calls, haptics, metrics)
    try screens.start(at(0))
    haptics.start()
    try engine.recover(at(0))
    calls.configure(configuration, at(0))
    screens.input.recheck(at(0))
    finish()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// A request, up to the end of the wake-up that it causes.
  func ask(_ method: String, _ target: String, _ body: String = "", uid: UInt32 = 1000) -> RequestToken {
    engine.wakesUp(now)
    let token = socket.request(method, target, body: body, uid: uid)
    calls.takeRequests(now)
    finish()
    return token
  }

  /// As `ask`, and what was answered by then.
  func answer(
    _ method: String, _ target: String, _ body: String = "", uid: UInt32 = 1000
  ) -> SimulatedSocket.Answer? {
    socket.answer(ask(method, target, body, uid: uid))
  }

  func disconnect(_ token: RequestToken) {
    socket.disconnect(token)
    calls.takeRequests(now)
    finish()
  }

  func pass(until seconds: Double) {
    now = at(seconds)
    engine.wakesUp(now)
    runner.timePassed(now)
    engine.timePassed(now)
    engine.drain(at: now)
    calls.timePassed(now)
    finish()
  }

  func reload(_ edit: (inout Configuration) -> Void) {
    edit(&configuration)
    runner.configure(configuration.handlers, admin: configuration.rights.admin)
    calls.configure(configuration, now)
    finish()
  }

  func finish() {
    engine.feedGateStates(now)
    engine.drain(at: now)
    calls.noteScreens()
    calls.pumpEvents(now)
  }

  /// The state of an update, as everybody may ask.
  func state(_ id: String) -> String? { answer("GET", "/v1/updates/\(id)")?["state"] as? String }

  /// The service's id of an update.
  func id(_ name: String, uid: UInt32 = 1000) -> String? {
    answer("GET", "/v1/updates/\(name)", uid: uid)?["id"] as? String
  }

  /// The code of what an update waits for first.
  func blocker(_ id: String) -> String? {
    (answer("GET", "/v1/updates/\(id)")?["blockers"] as? [[String: Any]])?.first?["code"] as? String
  }
}
