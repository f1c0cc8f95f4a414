import Testing
import Timeline
import TouchModel
import TouchReading

/// A device that a test controls: what it sends is queued, and changes the slot table at once.
final class ScriptedSource: FrameSource {
  let profile: ScreenProfile
  /// Most events that one read returns.
  var chunk = 256
  var isGone = false
  var isTableReadable = true
  /// The device does not come to rest this number of times.
  var restless = 0
  /// Called after each table read, with the number of reads so far.
  var afterTable: (Int) -> Void = { _ in }
  private(set) var queue: [InputEvent] = []
  private(set) var discarded = 0
  private(set) var tableReads = 0
  private(set) var eventsRead = 0
  private(set) var sendsPositions = false
  private(set) var maskChanges = 0
  private var slots: SlotTable

  init(_ profile: ScreenProfile) {
    self.profile = profile
    slots = SlotTable(profile)
  }

  /// The device sends events that nobody receives: another process has grabbed it.
  func hide(_ events: [InputEvent]) { for event in events { slots.apply(event) } }

  func send(_ events: [InputEvent]) {
    hide(events)
    queue += events
  }

  var hasQueued: Bool { isGone || !queue.isEmpty }

  func read(limit: Int, at now: Instant) -> ReadResult {
    if isGone { return .gone }
    let events = Array(queue.prefix(min(limit, chunk)))
    queue.removeFirst(events.count)
    eventsRead += events.count
    return .events(events)
  }

  func table() -> KernelTable? {
    if isGone || !isTableReadable { return nil }
    let table = slots.table
    tableReads += 1
    afterTable(tableReads)
    return table
  }

  func discardQueued() -> Bool {
    if isGone { return false }
    discarded += queue.count
    queue = []
    if restless == 0 { return true }
    restless -= 1
    return false
  }

  func wantPositions(_ wanted: Bool) -> Bool {
    if wanted == sendsPositions { return false }
    sendsPositions = wanted
    maskChanges += 1
    return true
  }
}

/// A reader on a scripted source, with a clock that moves only when the test says so.
final class Bench {
  var now = Instant(nanoseconds: 1_000_000_000)
  let source: ScriptedSource
  var reader: DeviceReader

  init(_ touchProtocol: TouchProtocol = .typeB(slots: 4), somethingWaits: Bool = false) {
    source = ScriptedSource(ScreenProfile(name: "scripted", touchProtocol: touchProtocol))
    reader = DeviceReader(profile: source.profile, stuckAfter: .seconds(600), somethingWaits: somethingWaits)
  }

  /// A reader that has read its first table.
  static func opened(_ touchProtocol: TouchProtocol = .typeB(slots: 4), somethingWaits: Bool = false) -> Bench {
    let bench = Bench(touchProtocol, somethingWaits: somethingWaits)
    _ = bench.timePassed()
    _ = bench.pass(.milliseconds(20))  // The second read of the first table.
    return bench
  }

  // MARK: The device

  typealias Event = (type: UInt16, code: UInt16, value: Int32)

  func events(_ events: [Event], stamp: Instant? = nil) -> [InputEvent] {
    events.map { InputEvent(time: stamp ?? now, type: $0.type, code: $0.code, value: $0.value) }
  }

  func send(_ events: Event..., stamp: Instant? = nil) { source.send(self.events(events, stamp: stamp)) }
  func hide(_ events: Event...) { source.hide(self.events(events)) }

  // MARK: Inputs

  func readable() -> [DeviceReader.Output] { reader.readable(source, at: now) }
  func recheck() -> [DeviceReader.Output] { reader.recheck(source, at: now) }
  func timePassed() -> [DeviceReader.Output] { reader.timePassed(source, at: now) }
  func distrust() -> [DeviceReader.Output] { reader.distrust(source, at: now) }

  /// Time passes, and the reader is called at each of its deadlines.
  func pass(_ time: Duration) -> [DeviceReader.Output] {
    let end = now + time
    var outputs: [DeviceReader.Output] = []
    var spins = 0
    while let due = reader.nextDeadline, due <= end {
      spins = due > now ? 0 : spins + 1
      if spins > 20 {
        Issue.record("due again at once, forever")
        break
      }
      now = max(now, due)
      outputs += timePassed()
    }
    now = end
    return outputs
  }
}

/// What the device sends, in short.
enum Send {
  static let report: Bench.Event = (EventType.syn, EventCode.synReport, 0)
  /// SYN_REPORT 1, which the kernel makes.
  static let kernelReport: Bench.Event = (EventType.syn, EventCode.synReport, 1)
  static let dropped: Bench.Event = (EventType.syn, EventCode.synDropped, 0)
  static func slot(_ slot: Int32) -> Bench.Event { (EventType.abs, EventCode.slot, slot) }
  static func id(_ id: Int32) -> Bench.Event { (EventType.abs, EventCode.trackingID, id) }
  static func x(_ x: Int32) -> Bench.Event { (EventType.abs, EventCode.positionX, x) }
  static func touch(_ value: Int32) -> Bench.Event { (EventType.key, EventCode.buttonTouch, value) }
}

func finger(_ slot: Int, _ id: Int32?) -> Contact { Contact(slot: slot, id: id) }
