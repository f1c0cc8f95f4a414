import Gating
import Linux
import ServiceLog
public import Timeline
import TouchReading

/// The last look before a handler starts, and the grab around its start.
extension TouchInput {
  /// Rechecks all devices just before a handler starts; with `grab`, then grabs the devices of the screen (nil: of all
  /// screens) and rechecks again.
  ///
  /// What began before the grab was seen by other processes, and so must its end be. Hence the recheck before it, and
  /// no grab while something is down.
  ///
  /// - Returns: whether anything happened on the devices meanwhile.
  public func lastLook(screen: String?, grab: Bool, _ now: Instant) -> Bool {
    let before = changeCount
    recheck(now)
    if grab && changeCount == before {
      guard self.grab(screen, now) else { return true }
      recheck(now)
      if guards.fresh.contains(where: { attached[$0]?.othersHeard == true }) { return true }
      releaseKeys(now)
    }
    return changeCount != before
  }

  /// The handler starts, or does not. If not, the devices are released at once, except those with a touch whose
  /// beginning only this process has seen. If others have seen it begin, they must see its end.
  public func decided(starts: Bool, _ now: Instant) {
    if !starts { callOff(now) }
    guards.decided()
  }

  public func handlerEnded(_ now: Instant) {
    guards.handlerEnded(at: now)
    releaseGrabs(now)
  }

  /// Releases the devices whose time has come.
  func releaseGrabs(_ now: Instant) {
    for id in guards.devices {
      guard let release = guards.update(id, isDown: attached[id]?.isDown ?? false, at: now) else { continue }
      self.release(id, release, now)
    }
  }

  /// A key that is released during a grab stays pressed for all other processes, and whether it was pressed during the
  /// grab is not known.
  private func releaseKeys(_ now: Instant) {
    for id in guards.fresh where attached[id]?.grabbable?.isKeyDown == true {
      release(id, .clean, now)
      recheck(now)
    }
  }

  /// Returns false if somebody touches meanwhile.
  private func grab(_ screen: String?, _ now: Instant) -> Bool {
    var ours: Set<DeviceID> = []
    var touched = false
    for (id, device) in attached where screen == nil || device.screen == screen {
      if device.isDown {
        log.info("screen '\(device.screen)': \(device.node) is not grabbed for this start: a contact or key is down")
        continue
      }
      // Still grabbed for the previous start: the finger that kept it grabbed has just lifted.
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

  private func callOff(_ now: Instant) {
    guards.aborted()
    for id in guards.fresh {
      guard let device = attached[id] else { continue }
      if device.othersHeard || !device.isDown {
        release(id, .clean, now)
      } else {
        guards.calledOff(id, at: now)
      }
    }
  }

  private func release(_ id: DeviceID, _ release: CommitGuard.Release, _ now: Instant) {
    guards.release(id)
    guard let device = attached[id] else { return }
    device.grabbable?.ungrab()
    read(id, now)
    // A finger may land between the last read and the end of the grab. If it has lifted again by then, nobody missed
    // anything.
    let isOver =
      switch device.grabbable?.unheard() ?? .nothing {
      case .nothing: release == .over
      case .beginning: true
      case .all: release == .over || attached[id]?.isDown == true
      }
    if !isOver { return }
    guards.releasedOver()
    log.warning("screen '\(device.screen)': other programs see only the end of a touch on \(device.node) (Guard=grab)")
  }
}
