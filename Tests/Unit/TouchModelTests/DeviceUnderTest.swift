import Timeline
import TouchModel

/// What a device sends.
enum Sent {
  case slot(Int32)
  case id(Int32)
  case x(Int32)
  case y(Int32)
  case tool(Int32)
  case distance(Int32)
  case touch(Int32)
  /// SYN_MT_REPORT.
  case group
  case report
  /// SYN_REPORT with value 1, which the kernel makes.
  case kernelReport
  case dropped
  case event(type: UInt16, code: UInt16, value: Int32)

  func event(at time: Instant) -> InputEvent {
    let (type, code, value): (UInt16, UInt16, Int32) =
      switch self {
      case .slot(let value): (EventType.abs, EventCode.slot, value)
      case .id(let value): (EventType.abs, EventCode.trackingID, value)
      case .x(let value): (EventType.abs, EventCode.positionX, value)
      case .y(let value): (EventType.abs, EventCode.positionY, value)
      case .tool(let value): (EventType.abs, EventCode.toolType, value)
      case .distance(let value): (EventType.abs, EventCode.distance, value)
      case .touch(let value): (EventType.key, EventCode.buttonTouch, value)
      case .group: (EventType.syn, EventCode.synMTReport, 0)
      case .report: (EventType.syn, EventCode.synReport, 0)
      case .kernelReport: (EventType.syn, EventCode.synReport, 1)
      case .dropped: (EventType.syn, EventCode.synDropped, 0)
      case .event(let type, let code, let value): (type, code, value)
      }
    return InputEvent(time: time, type: type, code: code, value: value)
  }
}

/// A device that a test controls: what it sends reaches the slot table and the tracker, whose changes are returned. Only
/// `pass` moves the clock.
struct DeviceUnderTest {
  private(set) var now = Instant(nanoseconds: 1_000_000_000)
  private(set) var tracker: ContactTracker
  private(set) var kernel: SlotTable
  private var assembler = FrameAssembler()

  init(
    _ touchProtocol: TouchProtocol = .typeB(slots: 4), onStuck: ContactTracker.StuckPolicy = .ignore,
    ignoring areas: [IgnoredArea] = []
  ) {
    var profile = ScreenProfile(name: "under test", touchProtocol: touchProtocol)
    profile.ignoredAreas = areas
    tracker = ContactTracker(profile: profile, stuckAfter: .seconds(600), onStuck: onStuck)
    kernel = SlotTable(profile)
  }

  /// Sends events to the tracker; after a loss it reads the table.
  @discardableResult
  mutating func send(_ events: Sent...) -> [ContactChange] {
    var changes: [ContactChange] = []
    for sent in events {
      let event = sent.event(at: now)
      kernel.apply(event)
      guard let output = assembler.add(event) else { continue }
      changes += tracker.handle(output)
      if case .resync = output { changes += tracker.adopt(kernel.table, at: now) }
    }
    return changes
  }

  /// Changes only the slot table: another process has grabbed the device, or the kernel masks the events.
  mutating func sendUnseen(_ events: Sent...) {
    for sent in events { kernel.apply(sent.event(at: now)) }
  }

  mutating func open() -> [ContactChange] { tracker.adopt(kernel.table, at: now) }

  /// One read of the table.
  @discardableResult
  mutating func verify() -> [ContactChange] { tracker.verify(kernel.table, at: now) }

  @discardableResult
  mutating func verify(_ table: KernelTable) -> [ContactChange] { tracker.verify(table, at: now) }

  /// Reads the table to place what has begun.
  @discardableResult
  mutating func place() -> [ContactChange] { tracker.place(kernel.table, at: now) }

  mutating func place(_ table: KernelTable?) -> [ContactChange] { tracker.place(table, at: now) }

  /// Lets time pass, and calls the tracker at its deadlines and at the end.
  @discardableResult
  mutating func pass(_ time: Duration) -> [ContactChange] {
    let end = now + time
    var changes: [ContactChange] = []
    while let due = tracker.nextDeadline, due <= end {
      now = max(now, due)
      changes += tracker.timePassed(now)
    }
    now = end
    return changes + tracker.timePassed(now)
  }

  /// Reads the table because nobody is there.
  mutating func rest() { tracker.rest(kernel.table) }

  mutating func unplug() -> [ContactChange] { tracker.removed(at: now) }
}

func finger(_ slot: Int, _ id: Int32?) -> Contact { Contact(slot: slot, id: id) }
