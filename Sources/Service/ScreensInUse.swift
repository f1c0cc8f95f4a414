import EventLoop
import Gating
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
  private var remembered: Set<String>

  init(
    loop: EventLoop, log: Log, settings: TouchSettings, memory: QueueStore?, replay: String?, now: Instant
  ) throws {
    self.loop = loop
    self.log = log
    self.memory = memory
    self.replay = replay
    remembered = try memory?.screens() ?? []
    input = TouchInput(loop: loop, log: log, settings: settings, remembered: remembered, now: now)
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
    let new = TouchInput(loop: loop, log: log, settings: settings, remembered: remembered, now: now)
    try new.startDevices(now: now)
    if let since = input.sleepsSince { new.goesToSleep(since) }
    input = new
  }

  /// What a next start of the machine waits for.
  func rememberNew() {
    guard let memory else { return }
    let new = Set(input.screens.gates.keys).subtracting(remembered)
    let gone = remembered.filter { !input.screens.isKnown($0) }
    if new.isEmpty && gone.isEmpty { return }
    remembered = remembered.union(new).subtracting(gone)
    do { try memory.remember(screens: new, forget: gone) } catch { log.error("\(error)") }
  }

  // MARK: For the engine

  var gateStates: [String: GateState] { input.gateStates }
  func recheck(_ now: Instant) { input.recheck(now) }
  func lastLook(screen: String?, grab: Bool, _ now: Instant) -> Bool { input.lastLook(screen: screen, grab: grab, now) }
  func decided(starts: Bool, _ now: Instant) { input.decided(starts: starts, now) }
  func handlerEnded(_ now: Instant) { input.handlerEnded(now) }
}
