import EventLoop
import Gating
import Linux
import Recordings
import Scheduling
import ServiceLog
import Timeline
import TouchDevices
import UpdateStore

/// The touch input in use, which a reload may replace, and the screens that the machine has had.
final class ScreensInUse: EngineScreens {
  private(set) var input: TouchInput
  private let loop: EventLoop
  private let log: Log
  /// Where screens are remembered; nil while a recording is played.
  private let memory: QueueStore?
  private let replay: String?
  private var remembered: ScreenMemory

  init(
    loop: EventLoop, log: Log, settings: TouchSettings, memory: QueueStore?, replay: String?, now: Instant
  ) throws {
    self.loop = loop
    self.log = log
    self.memory = memory
    self.replay = replay
    remembered = ScreenMemory(try memory?.screens() ?? [], boot: SystemClock.bootID)
    remembered.forgetIgnored(settings.deviceRules)
    input = TouchInput(
      loop: loop, log: log, settings: settings, remembered: remembered.awaited, formerNames: remembered.formerNames,
      now: now)
  }

  var count: Int { input.screens.gates.count }

  /// Starts to follow devices, or plays the recording. Throws `CannotStart` for a recording that cannot be played.
  func start(_ now: Instant) throws {
    guard let file = replay else { return try input.startDevices(now: now) }
    let source: ReplaySource
    do {
      source = try ReplaySource(try Recording.read(path: file), start: now)
    } catch {
      throw CannotStart("\(file): \(error)")
    }
    try input.startReplay(source, file: file, now: now)
    log.info("playing \(file) (\(TimeSpan.describe(source.length))) instead of reading touchscreens")
  }

  /// Screens are found and read again by the new settings. If that fails, the old ones stay in use.
  func adopt(_ settings: TouchSettings, _ now: Instant) throws {
    if replay != nil { return }
    remembered.forgetIgnored(settings.deviceRules)
    let new = TouchInput(
      loop: loop, log: log, settings: settings, remembered: remembered.awaited, formerNames: remembered.formerNames,
      now: now)
    try new.startDevices(now: now)
    if let since = input.sleepsSince { new.goesToSleep(since) }
    input = new
  }

  /// What a next start of the machine waits for.
  func rememberNew() {
    guard let memory else { return }
    for (name, hardware) in input.readScreens { remembered.read(name, hardware: hardware) }
    for name in remembered.awaited where !input.screens.isKnown(name) { remembered.forget(name) }
    guard let changes = remembered.takeChanges() else { return }
    input.remember(remembered.awaited)
    do { try memory.remember(screens: changes.screens, forget: changes.forget) } catch { log.error("\(error)") }
  }

  /// Whether the screen is known, or was read before.
  func isRemembered(_ name: String) -> Bool { input.screens.isKnown(name) || remembered.screens[name] != nil }

  /// The screen is no longer missing, now and after a restart.
  func forget(_ name: String) {
    remembered.forget(name)
    input.forget(name)
    rememberNew()
  }

  // MARK: For the engine

  var gateStates: [GateScope: GateState] { input.gateStates }
  func recheck(_ now: Instant) { input.recheck(now) }
  func lastLook(screen: String?, grab: Bool, _ now: Instant) -> Bool { input.lastLook(screen: screen, grab: grab, now) }
  func decided(starts: Bool, _ now: Instant) { input.decided(starts: starts, now) }
  func handlerEnded(_ now: Instant) { input.handlerEnded(now) }
}
