import Evdev
import Gating
import Timeline
import TouchModel
import TouchgateAPI

/// The devices that are grabbed around the start of a handler, and what came of it.
final class DeviceGuard {
  private var commit: CommitGuard
  /// Devices that are ours now.
  private(set) var grabbed: Set<DeviceID> = []
  private(set) var counts = GuardReply()

  init(longest: Duration) { commit = CommitGuard(longest: longest) }

  var isHeld: Bool { commit.isHeld }
  var nextDeadline: Instant? { commit.nextDeadline }

  /// Taken for the start that is being decided.
  private(set) var isFresh = false

  func aborted() { counts.aborts += 1 }
  func started() { isFresh = false }
  func refused() { counts.busy += 1 }

  func taken(_ devices: Set<DeviceID>, at now: Instant) {
    grabbed = devices
    counts.grabs += 1
    isFresh = true
    commit.taken(at: now)
  }

  /// It came to no start.
  func givenUp() {
    grabbed = []
    isFresh = false
    commit.givenUp()
  }

  func handlerEnded(at now: Instant) { commit.handlerEnded(at: now) }

  func forget(_ device: DeviceID) { grabbed.remove(device) }

  func heard(_ change: ContactChange, of device: DeviceID) {
    if case .began = change, isHeld, grabbed.contains(device) { counts.swallowed += 1 }
  }

  /// Non-nil: to be let go of now.
  func update(isDown: Bool, at now: Instant) -> CommitGuard.Release? {
    guard let release = commit.update(isDown: isDown, at: now) else { return nil }
    if release == .over { counts.releasedOver += 1 }
    return release
  }

  func letGo() { grabbed = [] }
}

extension TouchInput {
  /// The last look before a handler of this screen (nil: of all) starts: grabs the devices where `grab`, drains them and
  /// reads their tables. True where something happened on them meanwhile.
  func commit(screen: String?, grab: Bool, _ now: Instant) -> Bool {
    // One that is still held over a finger of the last start is not let go of for the next.
    if grab && !guards.isHeld { self.grab(screen, now) }
    let before = changesTold
    lookAgain(now)
    if guards.isFresh, anythingDown(keysToo: true), !anythingDown(keysToo: false) {
      // A key that is let go of within a grab stays pressed for all others.
      log.info("a key of a touchscreen is down: the next start is not guarded")
      giveUp()
    }
    return changesTold != before
  }

  private func grab(_ screen: String?, _ now: Instant) {
    var ours: Set<DeviceID> = []
    for (id, device) in attached where screen == nil || device.screen == screen {
      switch device.source.grab() {
      case .taken:
        ours.insert(id)
      case .busy:
        guards.refused()
        device.tracker.noteForeignGrab()
      case .failed(let code):
        log.warning("screen '\(device.screen)': \(device.node) cannot be grabbed: \(errorText(code))")
      }
    }
    if !ours.isEmpty { guards.taken(ours, at: now) }
  }

  /// Whether the handler starts now. Where it does not the devices are free again at once, but for those that are held
  /// over a finger since the start before.
  func decided(starts: Bool) {
    if !starts { guards.aborted() }
    if !starts && guards.isFresh { giveUp() }
    guards.started()
  }

  private func giveUp() {
    for id in guards.grabbed { attached[id]?.source.ungrab() }
    guards.givenUp()
  }

  func handlerEnded(_ now: Instant) {
    guards.handlerEnded(at: now)
    letGoIfFree(now)
  }

  /// Lets go of the devices where it is time for it.
  func letGoIfFree(_ now: Instant) {
    guard guards.isHeld, let release = guards.update(isDown: anythingDown(keysToo: true), at: now) else { return }
    if release == .over {
      log.warning("a touch that began while an update was applied lasts: others see its end only")
    }
    for id in guards.grabbed { attached[id]?.source.ungrab() }
    guards.letGo()
  }

  private func anythingDown(keysToo: Bool) -> Bool {
    guards.grabbed.contains { id in
      guard let device = attached[id] else { return false }
      return !device.tracker.contacts.isEmpty || keysToo && device.source.isAnyKeyDown == true
    }
  }
}
