import Timeline
import TouchModel

/// How each fault happens. Faults that the device cannot have are not counted.
extension Trial {
  private var hasSlots: Bool { if case .typeB = plan.stream.profile.touchProtocol { true } else { false } }
  private var table: KernelTable { kernel.wholeTable }

  // MARK: Before the frame

  /// Pauses and grabs of earlier frames end.
  func passFaults() {
    if pausedFrames > 0 {
      pausedFrames -= 1
      if pausedFrames == 0 { resume() }
    }
    if grabbedFrames > 0 {
      grabbedFrames -= 1
      if grabbedFrames == 0 { endGrab() }
    }
  }

  func begin(_ fault: Fault) {
    let before = injected
    injected += 1
    switch fault {
    case .paused(let frames):
      if isPaused { injected = before } else { pause(frames: frames) }
    case .grabbed(let frames, let longer):
      if kernel.isGrabbed { injected = before } else { beginGrab() }
      grabbedFrames = max(1, frames)
      grabLasts = longer
    case .unplugged(let pause, let fingersStay, let releaseHeard):
      unplug(releaseHeard: releaseHeard)
      shift += pause
      now = now + pause
      replug(SimulatedKernel(reenumerated(fingersStay), plan.stream.profile.touchProtocol, plan.shape))
    case .restless(let times):
      kernel.restless = times
    case .clockBack(let time):
      stampsBack = time
      judge.stampsWentBack(at: now)
    case .unknownCodes:
      sayUnknown()
    case .palm(let frames):
      if !turn(EventCode.toolType, ToolType.palm, back: ToolType.finger, frames) { injected = before }
    case .hover(let frames):
      if !turn(EventCode.distance, 10, back: 0, frames) { injected = before }
    case .slotOutOfRange(let slot):
      if hasSlots { saySlotOutOfRange(slot) } else { injected = before }
    case .idReplaced:
      let ids = table.trackingIDs
      if ids.indices.contains(table.currentSlot), ids[table.currentSlot] != -1 {
        write(EventType.abs, EventCode.trackingID, newID())
      } else {
        injected = before
      }
    case .tap:
      if !tap() { injected = before }
    case .bounces(let frames):
      if hasSlots && !isPaused && !kernel.isGrabbed { bouncingFrames = frames } else { injected = before }
    case .cut, .autorepeat, .keysReleased, .liftLost, .rechecked, .raced:
      injected = before  // While the frame is written.
    }
    if injected != before { note { "FAULT \(fault)" } }
  }

  /// All fingers lift for 10 ms, and come back with other ids.
  func bounce() {
    if bouncingFrames == 0 { return }
    bouncingFrames -= 1
    if isPaused || kernel.isGrabbed { return }
    let (slots, wasDown) = (table.trackingIDs.indices.filter { table.trackingIDs[$0] != -1 }, kernel.touchDown)
    if slots.isEmpty { return }
    for slot in slots { at(slot) { write(EventType.abs, EventCode.trackingID, -1) } }
    if wasDown { write(EventType.key, EventCode.buttonTouch, 0) }
    report(0)
    check(.read)
    advance(to: now + .milliseconds(10))
    shift += .milliseconds(10)
    for slot in slots { at(slot) { write(EventType.abs, EventCode.trackingID, newID()) } }
    if wasDown { write(EventType.key, EventCode.buttonTouch, 1) }
    report(0)
    check(.read)
  }

  private func newID() -> Int32 {
    nextID += 1
    return nextID
  }

  private func pause(frames: Int) {
    pausedFrames = frames
    if kernel.isGrabbed || judge.isRepairing(at: now) { grabWasUnseen = true }
  }

  func resume() {
    note { "goes on" }
    if grabWasUnseen {
      grabWasUnseen = false
      judge.wasBlind(until: now)
    }
    judge.wasStopped(until: now)
    wake()
    reader.timePassed(now)
    check(.read)
  }

  func beginGrab() {
    kernel.isGrabbed = true
    if isPaused { grabWasUnseen = true }
  }

  func endGrab() {
    grabbedFrames = 0
    if !kernel.isGrabbed { return }
    let end = now + grabLasts
    shift += grabLasts
    grabLasts = .zero
    advance(to: end)
    kernel.isGrabbed = false
    judge.wasBlind(until: now)
    note { "the grab ends" }
  }

  func unplug(releaseHeard: Bool) {
    if isPaused {
      pausedFrames = 0
      resume()
    }
    grabbedFrames = 0
    grabLasts = .zero
    isReleased = false
    if kernel.touchDown {
      isReadingTable = !releaseHeard  // ENODEV comes first then.
      write(EventType.key, EventCode.buttonTouch, 0)
      report(1)
      isReadingTable = false
    }
    reader.unplugged(now)
    if !reader.tracker.contacts.isEmpty { fail("contacts of a device that is gone") }
    checkBalance()
  }

  /// The table of the device after it was plugged in again.
  private func reenumerated(_ fingersStay: Bool) -> SlotTable {
    let before = table
    var made = SlotTable(plan.stream.profile)
    func say(_ type: UInt16, _ code: UInt16, _ value: Int32) {
      made.apply(InputEvent(time: now, type: type, code: code, value: value))
    }
    var isTouched = false
    for index in before.trackingIDs.indices where fingersStay && before.trackingIDs[index] != -1 {
      say(EventType.abs, EventCode.slot, Int32(index))
      say(EventType.abs, EventCode.trackingID, newID())
      isTouched = true
    }
    if isTouched && plan.stream.presses || (fingersStay && before.trackingIDs.isEmpty && before.touchDown == true) {
      say(EventType.key, EventCode.buttonTouch, 1)
    }
    say(EventType.abs, EventCode.slot, Int32(before.currentSlot))
    return made
  }

  // MARK: What the device sends in between

  private func at(_ slot: Int, _ body: () -> Void) {
    let current = table.currentSlot
    write(EventType.abs, EventCode.slot, Int32(slot))
    body()
    write(EventType.abs, EventCode.slot, Int32(current))
  }

  func sayLater() {
    while let index = later.firstIndex(where: { $0.frame <= frame }) {
      let what = later.remove(at: index)
      at(what.slot) { write(EventType.abs, what.code, what.value) }
    }
  }

  /// Turns the contact of the current slot into something else, and back after some frames.
  private func turn(_ code: UInt16, _ value: Int32, back: Int32, _ frames: Int) -> Bool {
    let (ids, slot) = (table.trackingIDs, table.currentSlot)
    guard plan.shape.hasToolAxes, ids.indices.contains(slot), ids[slot] != -1 else { return false }
    write(EventType.abs, code, value)
    later.append((frame + frames, slot, code, back))
    return true
  }

  private func saySlotOutOfRange(_ slot: Int32) {
    let count = Int32(table.trackingIDs.count)
    at(Int(slot >= 0 && slot < count ? count : slot)) {
      write(EventType.abs, EventCode.trackingID, newID())
      write(EventType.abs, EventCode.positionX, 17)
      write(EventType.abs, EventCode.trackingID, -1)
    }
  }

  private func tap() -> Bool {
    switch plan.stream.profile.touchProtocol {
    case .typeB:
      guard let free = table.trackingIDs.firstIndex(of: -1) else { return false }
      at(free) {
        write(EventType.abs, EventCode.trackingID, newID())
        write(EventType.abs, EventCode.positionX, 5)
        write(EventType.abs, EventCode.trackingID, -1)
      }
      return true
    case .singleTouch:
      if kernel.touchDown { return false }
      write(EventType.key, EventCode.buttonTouch, 1)
      write(EventType.key, EventCode.buttonTouch, 0)
      return true
    case .typeA:
      return false
    }
  }

  private func sayUnknown() {
    for (type, code, value): (UInt16, UInt16, Int32) in [
      (0x04, 5, .max), (0x15, 0x50, 1), (0x1f, 0x3ff, .min), (0x03, 0x3f, .max), (0x01, 0x2ff, 1), (0x00, 1, 9),
      (0xffff, 0xffff, -1), (0x03, 0xffff, 5),
    ] { write(type, code, value) }
  }

  // MARK: In the middle of the frame

  func happen(_ fault: Fault, after position: Int) {
    switch fault {
    case .cut(let place) where place == position && position > 0:
      report(1)
    case .autorepeat(let place) where place == position && kernel.touchDown:
      write(EventType.key, EventCode.buttonTouch, 2)
      report(1)
    case .keysReleased(let place, let slotsToo) where place == position && kernel.touchDown:
      release(slotsToo: slotsToo)
    case .rechecked(let place) where place == position && !isPaused && !isReadingTable:
      recheck(.recheckedInFrame)
    default:
      return
    }
    injected += 1
    note { "FAULT \(fault)" }
  }

  func release(slotsToo: Bool) {
    if slotsToo { liftSlots() }
    write(EventType.key, EventCode.buttonTouch, 0)
    report(1)
    isReleased = true
  }

  /// A driver sends BTN_TOUCH with every frame; the kernel forwards it after it had released it.
  func repeatButton() {
    guard plan.driverRepeatsButton, isReleased else { return }
    isReleased = false
    if table.trackingIDs.contains(where: { $0 != -1 }) { write(EventType.key, EventCode.buttonTouch, 1) }
  }

  /// Something happens between a read of the table and the poll of the queue.
  func race(_ body: @escaping () -> Void) {
    var happened = false
    kernel.afterTable = { [unowned self] in
      happened = true
      isReadingTable = true
      body()
      isReadingTable = false
    }
    reader.recheck(now)
    kernel.afterTable = nil
    if !happened { body() }  // No table was read.
    wake()
    note { "FAULT raced" }
  }

  // MARK: The end

  private func liftSlots() {
    let ids = table.trackingIDs
    let current = table.currentSlot
    for index in ids.indices where ids[index] != -1 {
      write(EventType.abs, EventCode.slot, Int32(index))
      write(EventType.abs, EventCode.trackingID, -1)
    }
    if hasSlots { write(EventType.abs, EventCode.slot, Int32(current)) }
  }

  private func liftAll() {
    liftSlots()
    if plan.stream.profile.touchProtocol == .typeA { write(EventType.syn, EventCode.synMTReport, 0) }
    write(EventType.key, EventCode.buttonTouch, 0)
    report(0)
  }

  /// Ends the device as planned; five seconds later nobody is there.
  func finish() {
    pausedFrames = 0
    resume()
    endGrab()
    switch plan.ending {
    case .recorded: break
    case .lifted: liftAll()
    case .liftedUnderGrab:
      beginGrab()
      liftAll()
    case .liftedWhilePaused:
      pause(frames: 1)
      liftAll()
      advance(to: now + .seconds(3))
      pausedFrames = 0
      resume()
    case .buttonOnly where plan.shape.hasTouchButton && judge.endsWithButton:
      write(EventType.key, EventCode.buttonTouch, 0)
      report(0)
    case .released where kernel.touchDown: release(slotsToo: false)
    case .buttonOnly, .released: liftAll()
    case .unplugged:
      unplug(releaseHeard: false)
      return
    }
    wake()
    check(.read)
    advance(to: now + .seconds(5))
    recheck()
    if reader.verdict != .idle { fail("\(reader.verdict.rawValue) at the end") }
    if reader.begins != reader.ends { fail("\(reader.begins) begins, but \(reader.ends) ends") }
  }
}
