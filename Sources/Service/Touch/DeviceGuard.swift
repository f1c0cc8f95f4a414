import Gating
import Linux
import ServiceLog
import Timeline
import TouchModel
import TouchReading
import TouchgateAPI

/// The devices that are grabbed around the start of a handler, each let go of at a moment of its own, and what came
/// of it.
final class DeviceGuard {
  private let longest: Duration
  private var held: [DeviceID: CommitGuard] = [:]
  /// Taken for the start that is being decided.
  private(set) var fresh: Set<DeviceID> = []
  private(set) var counts = GuardReply()

  init(longest: Duration) { self.longest = longest }

  var devices: [DeviceID] { Array(held.keys) }
  var nextDeadline: Instant? { held.values.compactMap(\.nextDeadline).min() }

  func holds(_ device: DeviceID) -> Bool { held[device] != nil }

  func aborted() { counts.aborts += 1 }
  func refused() { counts.busy += 1 }

  func taken(_ devices: Set<DeviceID>, at now: Instant) {
    for device in devices { held[device, default: CommitGuard(longest: longest)].taken(at: now) }
    fresh = devices
    if !devices.isEmpty { counts.grabs += 1 }
  }

  func decided() { fresh = [] }
  func calledOff(_ device: DeviceID, at now: Instant) { held[device]?.calledOff(at: now) }
  func swallowed() { counts.swallowed += 1 }

  func handlerEnded(at now: Instant) {
    for device in held.keys { held[device]?.handlerEnded(at: now) }
  }

  /// Non-nil: to be let go of now.
  func update(_ device: DeviceID, isDown: Bool, at now: Instant) -> CommitGuard.Release? {
    held[device]?.update(isDown: isDown, at: now)
  }

  func releasedOver() { counts.releasedOver += 1 }

  func letGo(_ device: DeviceID) {
    held[device] = nil
    fresh.remove(device)
  }
}

extension TouchInput {
  /// The last look before a handler of this screen (nil: of all) starts: drains the devices and reads their tables;
  /// where `grab`, grabs them and looks once more. True where something happened on them meanwhile.
  ///
  /// What began before the grab was seen by others, and so must its end be. Hence the look before it, and no grab over
  /// what is down.
  func commit(screen: String?, grab: Bool, _ now: Instant) -> Bool {
    let before = changesTold
    lookAgain(now)
    if grab && changesTold == before {
      guard self.grab(screen, now) else { return true }
      lookAgain(now)
      if guards.fresh.contains(where: { attached[$0]?.grabbable?.othersHeard == true }) { return true }
      letGoOfKeys(now)
    }
    return changesTold != before
  }

  /// A key that is let go of within a grab stays pressed for all others, and whether it was pressed in it is not known.
  private func letGoOfKeys(_ now: Instant) {
    for id in guards.fresh where attached[id]?.grabbable?.isKeyDown == true {
      letGo(id, .clean, now)
      lookAgain(now)
    }
  }

  /// False where somebody touches just now.
  private func grab(_ screen: String?, _ now: Instant) -> Bool {
    var ours: Set<DeviceID> = []
    var touched = false
    for (id, device) in attached where screen == nil || device.screen == screen {
      if isDown(id) {
        log.info("screen '\(device.screen)': something is down on \(device.node): the next start is not guarded there")
        continue
      }
      // Still held from the start before: the finger that it was held over has just gone.
      if guards.holds(id) {
        ours.insert(id)
        continue
      }
      // A recording has no other readers.
      switch device.grabbable?.grab() ?? .taken {
      case .taken:
        ours.insert(id)
      case .touched:
        touched = true
      case .busy:
        guards.refused()
        device.reader.noteForeignGrab()
      case .failed(let code):
        log.warning("screen '\(device.screen)': \(device.node) cannot be grabbed: \(Errno(code))")
      }
    }
    guards.taken(ours, at: now)
    return !touched
  }

  /// Whether the handler starts now. Where it does not, the devices are free again at once, but for those under a touch
  /// that only we have seen begin. Where others have seen it begin they must see its end.
  func decided(starts: Bool, _ now: Instant) {
    if !starts { callOff(now) }
    guards.decided()
  }

  private func callOff(_ now: Instant) {
    guards.aborted()
    for id in guards.fresh {
      guard let device = attached[id] else { continue }
      if device.grabbable?.othersHeard == true || !isDown(id) {
        letGo(id, .clean, now)
      } else {
        guards.calledOff(id, at: now)
      }
    }
  }

  func handlerEnded(_ now: Instant) {
    guards.handlerEnded(at: now)
    letGoIfFree(now)
  }

  /// Lets go of the devices where it is time for it.
  func letGoIfFree(_ now: Instant) {
    for id in guards.devices {
      guard let release = guards.update(id, isDown: isDown(id), at: now) else { continue }
      letGo(id, release, now)
    }
  }

  private func letGo(_ id: DeviceID, _ release: CommitGuard.Release, _ now: Instant) {
    guards.letGo(id)
    guard let device = attached[id] else { return }
    device.grabbable?.ungrab()
    pump(id, now)
    // A finger may land between the look and the end of the grab. Where it has left again by then nobody missed a thing.
    let isOver =
      switch device.grabbable?.unheard() ?? .nothing {
      case .nothing: release == .over
      case .beginning: true
      case .all: release == .over || isDown(id)
      }
    if !isOver { return }
    guards.releasedOver()
    log.warning("screen '\(device.screen)': others see only the end of a touch on \(device.node)")
  }

  /// A contact, or any key.
  private func isDown(_ id: DeviceID) -> Bool {
    guard let device = attached[id] else { return false }
    return device.reader.tracker.isSomethingNear || device.grabbable?.isTouchOrKeyDown == true
  }
}
