import Gating
import Testing
import Timeline
import TouchModel

/// A tracker and a gate, as in the service, with a slot table that the test controls.
private struct Watched {
  var now = at(1)
  var tracker: ContactTracker
  var gate = Gate(at: at(0))
  private var assembler = FrameAssembler()

  init(_ touchProtocol: TouchProtocol = .typeB(slots: 2)) {
    tracker = ContactTracker(profile: ScreenProfile(name: "Panel", touchProtocol: touchProtocol))
    gate.deviceAdded(panel, name: "Panel", at: now)
    look(KernelTable(trackingIDs: [-1, -1], touchDown: false), opening: true)
    gate.deviceReady(panel, at: now)
  }

  mutating func frame(_ events: (code: UInt16, value: Int32)...) {
    for (code, value) in events {
      let type = code == EventCode.buttonTouch ? EventType.key : EventType.abs
      feed(InputEvent(time: now, type: type, code: code, value: value))
    }
    feed(InputEvent(time: now, type: EventType.syn, code: EventCode.synReport, value: 0))
  }

  private mutating func feed(_ event: InputEvent) {
    if let output = assembler.add(event) { tell(tracker.handle(output)) }
  }

  mutating func look(_ table: KernelTable, opening: Bool = false) {
    tell(opening ? tracker.adopt(table, at: now) : tracker.verify(table, at: now))
  }

  mutating func pass(_ time: Duration) {
    now = now + time
    tell(tracker.timePassed(now))
    gate.timePassed(now)
  }

  private mutating func tell(_ changes: [ContactChange]) {
    for change in changes { gate.handle(change, of: panel, at: now) }
  }
}

@Suite("Garbage collection of contacts")
struct SecondPassTests {
  private var panel = Watched()

  private static let nobody = KernelTable(trackingIDs: [-1, -1], touchDown: false)

  @Test(
    """
    began inserts, ended and cancelled remove; a second pass prunes contacts that are over although no event reported it, \
    or the garbage would block forever
    """)
  mutating func garbage() {
    // Began inserts.
    panel.frame((EventCode.slot, 0), (EventCode.trackingID, 5), (EventCode.buttonTouch, 1))
    panel.frame((EventCode.slot, 1), (EventCode.trackingID, 6))
    #expect(panel.gate.state == .touched(contacts: 2, since: at(1)))
    // Ended removes.
    panel.pass(.seconds(1))
    panel.frame((EventCode.trackingID, -1))
    #expect(panel.gate.state == .touched(contacts: 1, since: at(1)))
    // Cancelled removes.
    panel.frame((EventCode.slot, 0), (EventCode.toolType, ToolType.palm))
    #expect(panel.gate.state == .clear(since: at(2)))

    // One more, whose end no event reports.
    panel.frame((EventCode.slot, 1), (EventCode.trackingID, 7))
    panel.pass(.seconds(599))
    #expect(panel.gate.state == .touched(contacts: 1, since: at(2)), "no event, so it stays, however long")
    panel.look(Self.nobody)
    #expect(panel.gate.state == .touched(contacts: 1, since: at(2)), "one read may be wrong")
    panel.pass(ContactTracker.secondRead)
    panel.look(Self.nobody)
    #expect(panel.gate.state == .clear(since: panel.now), "pruned, and the quiet period counts from here")
    panel.look(Self.nobody)
    #expect(panel.gate.state == .clear(since: panel.now))
  }

  @Test("the second pass leaves alone who is there, however long and still")
  mutating func notGarbage() {
    panel.frame((EventCode.slot, 0), (EventCode.trackingID, 5), (EventCode.buttonTouch, 1))
    for _ in 0..<599 {
      panel.pass(.seconds(1))
      panel.look(KernelTable(trackingIDs: [5, -1], touchDown: true))
    }
    #expect(panel.gate.state == .touched(contacts: 1, since: at(1)))
  }

  @Test("a stale id in the table with BTN_TOUCH up is dropped after two seconds")
  mutating func staleID() {
    panel.frame((EventCode.slot, 0), (EventCode.trackingID, 5), (EventCode.buttonTouch, 1))
    let stale = KernelTable(trackingIDs: [5, -1], touchDown: false)
    panel.pass(.seconds(1))
    panel.look(stale)
    panel.pass(.milliseconds(20))
    panel.look(stale)
    #expect(panel.gate.state == .touched(contacts: 1, since: at(1)))
    panel.pass(.seconds(2))
    #expect(panel.gate.state == .clear(since: panel.now))
    panel.look(stale)
    panel.pass(.seconds(60))
    panel.look(stale)
    #expect(panel.gate.state == .clear(since: at(4.02)))
  }

  @Test("a type A contact without an end goes after half a second")
  func groups() {
    var panel = Watched(.typeA)
    panel.frame((EventCode.positionX, 5))
    #expect(panel.gate.state == .touched(contacts: 1, since: at(1)))
    panel.pass(ContactTracker.silence)
    #expect(panel.gate.state == .clear(since: at(1.5)))
  }
}
