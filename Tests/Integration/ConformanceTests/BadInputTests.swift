import Testing
import Timeline
import TouchModel

@Suite("bad input")
struct BadInputTests {
  private static let now = Instant(nanoseconds: 1_000_000_000)

  private func device(slots: Int, capacity: Int) -> (SimulatedKernel, ReaderUnderTest) {
    let profile = ScreenProfile(name: "flood", touchProtocol: .typeB(slots: slots))
    let kernel = SimulatedKernel(SlotTable(profile), profile.touchProtocol, SimulatedKernel.Shape(capacity: capacity))
    return (kernel, ReaderUnderTest(kernel, profile, chunk: 64, now: Self.now))
  }

  private func send(_ kernel: SimulatedKernel, _ events: (UInt16, UInt16, Int32)...) {
    for (type, code, value) in events { kernel.write(InputEvent(time: Self.now, type: type, code: code, value: value)) }
  }

  private let report = (EventType.syn, EventCode.synReport, Int32(0))

  @Test("100,000 events in one wake-up are read in bounded portions, and none of them is lost")
  func flood() {
    let (kernel, reader) = device(slots: 10, capacity: 1 << 20)
    for tap in 0..<Int32(17_000) {
      send(
        kernel, (EventType.abs, EventCode.trackingID, tap), (EventType.key, EventCode.buttonTouch, 1), report,
        (EventType.abs, EventCode.trackingID, -1), (EventType.key, EventCode.buttonTouch, 0), report)
    }
    send(kernel, (EventType.abs, EventCode.trackingID, 17_000), report)
    reader.wake(Self.now)
    #expect(reader.begins == 17_001 && reader.ends == 17_000)
    #expect(reader.tracker.contacts == [Contact(slot: 0, id: 17_000)])
    #expect(reader.mostReadAtOnce > 1000 && reader.mostReadAtOnce < 4096 + 64)
  }

  @Test("with the kernel's own buffer they are lost, and the state of the device after them is known")
  func floodWithLoss() {
    let (kernel, reader) = device(slots: 10, capacity: 64)
    for tap in 0..<Int32(17_000) {
      send(
        kernel, (EventType.abs, EventCode.slot, tap % 10), (EventType.abs, EventCode.trackingID, tap), report,
        (EventType.abs, EventCode.trackingID, -1), report)
    }
    send(
      kernel, (EventType.abs, EventCode.slot, 3), (EventType.abs, EventCode.trackingID, 4711),
      (EventType.key, EventCode.buttonTouch, 1), report)
    #expect(kernel.overflows > 0)
    reader.wake(Self.now)
    #expect(reader.tracker.contacts == [Contact(slot: 3, id: 4711)])
    #expect(reader.tracker.verdict == .touched)
  }

  @Test("a frame with all data of 256 slots is one frame")
  func hugeFrame() {
    let (kernel, reader) = device(slots: ScreenProfile.mostSlots, capacity: 1 << 20)
    for slot in 0..<Int32(ScreenProfile.mostSlots) {
      send(kernel, (EventType.abs, EventCode.slot, slot), (EventType.abs, EventCode.trackingID, slot + 1000))
      for code in EventCode.touchMajor...EventCode.toolY where code != EventCode.trackingID {
        send(kernel, (EventType.abs, code, 0))
      }
    }
    send(kernel, report)
    reader.wake(Self.now)
    #expect(reader.tracker.contacts.count == ScreenProfile.mostSlots)
    #expect(reader.tracker.drift == 0 && reader.tracker.anomalies == 0)
  }

  @Test(
    "a wrong absinfo makes a device of bounded size, or one without slots",
    arguments: [Int(Int32.min) + 1, -1, 0, 1, 2, 257, Int(Int32.max), Int(Int32.max) + 1, .max])
  func lyingSlots(slots: Int) throws {
    let profile = try ScreenProfile(
      ScreenProfile.Capabilities(
        name: "liar", properties: [InputProperty.direct], keys: [EventCode.buttonTouch],
        axes: [EventCode.slot, EventCode.trackingID, EventCode.positionX, EventCode.positionY], slots: slots,
        taggedTouchscreen: true))
    #expect(profile.touchProtocol == (slots > 0 ? .typeB(slots: min(slots, 256)) : .typeA))
    // It is read like any other: nothing traps, and a finger is a contact.
    let kernel = SimulatedKernel(SlotTable(profile), profile.touchProtocol, SimulatedKernel.Shape())
    let reader = ReaderUnderTest(kernel, profile, chunk: 64, now: Self.now)
    send(
      kernel, (EventType.abs, EventCode.slot, .max), (EventType.abs, EventCode.trackingID, 1),
      (EventType.abs, EventCode.slot, 0), (EventType.abs, EventCode.trackingID, 2),
      (EventType.abs, EventCode.positionX, .min), report)
    reader.wake(Self.now)
    #expect(reader.tracker.contacts.count == 1)
  }

  @Test("a table of another size than the device has slots does no harm")
  func tableOfOtherSize() {
    var tracker = ContactTracker(profile: ScreenProfile(name: "liar", touchProtocol: .typeB(slots: 4)))
    for count in [0, 1, 4, 5, 300] {
      var table = KernelTable(trackingIDs: Array(repeating: 7, count: count), currentSlot: count, touchDown: true)
      table.positions = Array(repeating: .init(x: .max, y: .min), count: 300 - count)
      _ = tracker.adopt(table, at: Self.now)
      _ = tracker.verify(table, at: Self.now)
      #expect(tracker.contacts.count <= 4)
    }
  }
}
