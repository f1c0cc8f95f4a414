import Timeline
import TouchModel

/// Interprets any bytes as a program: what a device sends, what its slot table contains, and when it is rechecked.
/// Always: begins and ends come in pairs, no timer stays due for ever, memory is bounded, and a device at rest is idle.
///
/// The first byte is the kind of device. Operations of four bytes follow: operation, slot or code, a 16-bit value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: data, count: size)
  guard let kind = bytes.first else { return 0 }
  var device = FuzzedDevice(kind: kind)
  var offset = 1
  while offset + 4 <= bytes.count {
    let value = UInt16(bytes[offset + 2]) | UInt16(bytes[offset + 3]) << 8
    device.perform(bytes[offset], bytes[offset + 1], Int16(bitPattern: value))
    offset += 4
  }
  device.end()
  return 0
}

private struct FuzzedDevice {
  private static let touchProtocols: [TouchProtocol] = [
    .typeB(slots: 2), .typeB(slots: 10), .singleTouch, .typeA, .typeB(slots: 1), .typeB(slots: 60),
  ]
  private static let codes: [(UInt16, UInt16)] = [
    (EventType.syn, EventCode.synReport), (EventType.abs, EventCode.slot), (EventType.abs, EventCode.trackingID),
    (EventType.key, EventCode.buttonTouch), (EventType.abs, EventCode.positionX), (EventType.abs, EventCode.positionY),
    (EventType.abs, EventCode.toolType), (EventType.abs, EventCode.distance), (EventType.syn, EventCode.synMTReport),
    (EventType.syn, EventCode.synDropped), (EventType.abs, EventCode.absX), (0x15, 0x50),
  ]

  private let profile: ScreenProfile
  private var tracker: ContactTracker
  private var assembler = FrameAssembler()
  private var kernel: SlotTable
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var live: Set<Contact> = []

  init(kind: UInt8) {
    profile = ScreenProfile(
      name: "fuzz", touchProtocol: Self.touchProtocols[Int(kind & 15) % Self.touchProtocols.count])
    kernel = SlotTable(profile)
    tracker = ContactTracker(profile: profile, stuckAfter: .seconds(5), onStuck: kind & 16 == 0 ? .ignore : .hold)
  }

  mutating func perform(_ what: UInt8, _ which: UInt8, _ value: Int16) {
    switch what % 10 {
    case 0...3: send(which, value, heard: true)
    case 4: send(which, value, heard: false)
    case 5:
      now = now + .milliseconds(Int(value.magnitude) % 3000)
      take(tracker.timePassed(now))
      if let due = tracker.nextDeadline { precondition(due > now, "due again at once") }
    case 6: look()
    case 7: take(tracker.adopt(table(which), at: now))
    case 8 where which == 0:
      take(tracker.removed(at: now))
      precondition(tracker.contacts.isEmpty && tracker.verdict == .idle)
    case 8:
      // A stamp other than the current time.
      add(InputEvent(time: now - .milliseconds(Int(value)), type: EventType.syn, code: 0, value: Int32(which & 1)))
    default:
      // Any type and code, and large values.
      let event = InputEvent(time: now, type: UInt16(which & 7), code: UInt16(which >> 3), value: Int32(value) << 16)
      kernel.apply(event)
      add(event)
    }
  }

  private mutating func send(_ which: UInt8, _ value: Int16, heard: Bool) {
    let (type, code) = Self.codes[Int(which) % Self.codes.count]
    let event = InputEvent(time: now, type: type, code: code, value: Int32(value))
    kernel.apply(event)
    if heard { add(event) }
  }

  private mutating func add(_ event: InputEvent) {
    guard let output = assembler.add(event) else { return }
    if case .frame(let frame) = output { precondition(frame.updates.count <= FrameAssembler.longestFrame) }
    take(tracker.handle(output))
    if case .resync = output { take(tracker.adopt(kernel.table, at: now)) }
  }

  private func table(_ which: UInt8) -> KernelTable {
    var table = kernel.table
    if which & 1 != 0 { (table.toolTypes, table.distances) = ([], []) }
    if which & 2 != 0 { table.touchDown = nil }
    if which & 4 != 0 { table.positions = [] }
    if which & 8 != 0 { table.trackingIDs = Array(table.trackingIDs.dropLast()) }
    return table
  }

  /// Reads the table twice, 20 ms apart; then the reader requests no further reads.
  private mutating func look() {
    take(tracker.verify(kernel.table, at: now))
    if let due = tracker.secondReadDue { precondition(due > now, "to be read again at once") }
    now = now + .milliseconds(20)
    take(tracker.timePassed(now))
    take(tracker.verify(kernel.table, at: now))
    if let due = tracker.secondReadDue { precondition(due > now, "to be read again at once, after a second read") }
  }

  private mutating func take(_ changes: [ContactChange]) {
    for change in changes {
      switch change {
      case .began(let contact, at: _): precondition(live.insert(contact).inserted, "began twice")
      case .ended(let contact, _, at: _): precondition(live.remove(contact) != nil, "ended, but never began")
      case .activity, .stuck, .unstuck, .becameUncertain, .becameCertain: break
      }
    }
    precondition(live == Set(tracker.contacts), "begins and ends do not come to the contacts")
    precondition(live.count <= ScreenProfile.mostSlots)
  }

  /// Leaves the device at rest, with no contacts.
  mutating func end() {
    kernel = SlotTable(profile)
    var table = kernel.table
    table.touchDown = false
    take(tracker.adopt(table, at: now))
    for _ in 0..<4 {
      now = now + .seconds(1)
      take(tracker.timePassed(now))
      take(tracker.verify(table, at: now))
    }
    now = now + .milliseconds(20)
    take(tracker.verify(table, at: now))
    precondition(tracker.verdict == .idle && tracker.secondReadDue == nil, "a device at rest is not idle")
  }
}
