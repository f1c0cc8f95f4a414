import Testing
import Timeline
import TouchModel

@Suite("Single rules of the tracker")
struct TrackerRuleTests {
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: 0) + .milliseconds(milliseconds) }

  /// A type B screen with four slots.
  private func slots(onStuck: ContactTracker.StuckPolicy = .ignore) throws -> ContactTracker {
    let device = ScreenProfile.Capabilities(
      name: "Panel", properties: [InputProperty.direct], keys: [EventCode.buttonTouch],
      axes: [
        EventCode.slot, EventCode.positionX, EventCode.positionY, EventCode.trackingID, EventCode.toolType,
        EventCode.distance,
      ], slots: 4, taggedTouchscreen: true)
    return ContactTracker(profile: try ScreenProfile(device), stuckAfter: .seconds(600), onStuck: onStuck)
  }

  /// One frame of absolute axes and BTN_TOUCH.
  private func frame(_ milliseconds: Int, _ axes: [(UInt16, Int32)], touch: Int32? = nil) -> FrameAssembler.Output {
    var updates = axes.map { Frame.Update(type: EventType.abs, code: $0.0, value: $0.1) }
    if let touch { updates.append(.init(type: EventType.key, code: EventCode.buttonTouch, value: touch)) }
    return .frame(Frame(time: at(milliseconds), updates: updates, ending: .report))
  }

  @Test("BTN_TOUCH that stays down brings back what a rule ended, also in a frame that does not mention it")
  func unmentionedButton() throws {
    var tracker = try slots()
    _ = tracker.handle(frame(0, [(EventCode.slot, 0), (EventCode.trackingID, 5)], touch: 1))
    _ = tracker.handle(frame(10, [], touch: 0))
    #expect(tracker.timePassed(at(2010)) == [.ended(Contact(slot: 0, id: 5), .doubtful, at: at(2010))])
    let other = Contact(slot: 1, id: 6)
    #expect(
      tracker.handle(frame(3000, [(EventCode.slot, 1), (EventCode.trackingID, 6)], touch: 1)) == [
        .began(other, at: at(3000))
      ])
    #expect(
      tracker.handle(frame(3100, [(EventCode.trackingID, -1)])) == [
        .ended(other, .lifted, at: at(3100)), .began(Contact(slot: 0, id: 5), at: at(3100)),
      ])
  }

  /// The kernel's table with this contact in slot 0.
  private func table(_ id: Int32, tool: Int32 = ToolType.finger) -> KernelTable {
    KernelTable(trackingIDs: [id, -1, -1, -1], toolTypes: [tool, 0, 0, 0], distances: [0, 0, 0, 0])
  }

  @Test("keys that the kernel released end a stuck contact, which is not called a finger again before")
  func stuckReleased() throws {
    var tracker = try slots(onStuck: .hold)
    _ = tracker.handle(frame(0, [(EventCode.slot, 0), (EventCode.trackingID, 5)], touch: 1))
    let contact = Contact(slot: 0, id: 5)
    #expect(tracker.verify(table(5), at: at(600_000)) == [.stuck(contact, at: at(600_000))])
    let released = Frame(
      time: at(600_100), updates: [.init(type: EventType.key, code: EventCode.buttonTouch, value: 0)],
      ending: .keysReleasedByKernel)
    #expect(tracker.handle(.frame(released)) == [.ended(contact, .keysReleased, at: at(600_100))])
  }

  @Test("BTN_TOUCH that a palm explains brings nothing back")
  func palmExplains() throws {
    var tracker = try slots()
    _ = tracker.handle(frame(0, [(EventCode.slot, 0), (EventCode.trackingID, 5)], touch: 1))
    _ = tracker.handle(frame(10, [], touch: 0))
    _ = tracker.timePassed(at(2010))
    let palm = [(EventCode.slot, Int32(1)), (EventCode.trackingID, 6), (EventCode.toolType, ToolType.palm)]
    #expect(tracker.handle(frame(3000, palm, touch: 1)) == [.activity(at: at(3000))])
    #expect(tracker.contacts == [])
  }

  @Test("a stuck contact that a table still has after a loss stays stuck")
  func stuckAdopted() throws {
    var tracker = try slots(onStuck: .hold)
    _ = tracker.handle(frame(0, [(EventCode.slot, 0), (EventCode.trackingID, 5)]))
    _ = tracker.verify(table(5), at: at(600_000))
    #expect(tracker.adopt(table(5), at: at(600_100)) == [])
    #expect(tracker.stuckCount == 1)
  }

  @Test("a frame that only updates a contact does not keep one that the table no longer has")
  func missingThoughUpdated() throws {
    var tracker = try slots()
    _ = tracker.handle(frame(0, [(EventCode.slot, 0), (EventCode.trackingID, 5)]))
    #expect(tracker.verify(table(-1), at: at(100)) == [])
    #expect(tracker.handle(frame(105, [(EventCode.distance, 0)])) == [])
    #expect(
      tracker.verify(table(-1), at: at(120)) == [.ended(Contact(slot: 0, id: 5), .tableDisagreed, at: at(120))])
  }

  @Test("a contact that is a palm only because the one before it was is a finger if the table says so after a loss")
  func inheritedPalm() throws {
    var tracker = try slots()
    _ = tracker.handle(
      frame(0, [(EventCode.slot, 0), (EventCode.trackingID, 5), (EventCode.toolType, ToolType.palm)]))
    _ = tracker.handle(frame(10, [(EventCode.trackingID, -1)]))
    _ = tracker.handle(frame(20, [(EventCode.trackingID, 6)]))
    #expect(tracker.contacts == [])
    #expect(tracker.adopt(table(6), at: at(30)) == [.began(Contact(slot: 0, id: 6), at: at(30))])
  }

  @Test("a contact that the table added and a frame then updates is no drift")
  func addedThenUpdated() throws {
    var tracker = try slots()
    #expect(tracker.verify(table(5), at: at(0)) == [.began(Contact(slot: 0, id: 5), at: at(0))])
    _ = tracker.handle(frame(5, [(EventCode.slot, 0), (EventCode.distance, 0)]))
    #expect(tracker.verify(table(5), at: at(20)) == [])
    #expect(tracker.drift == 0 && !tracker.mayBeGrabbed)
  }

  @Test("a contact that only the table has is drift after 20 ms, and not at a quicker read")
  func addedUnconfirmed() throws {
    var tracker = try slots()
    _ = tracker.verify(table(5), at: at(0))
    _ = tracker.verify(table(5), at: at(19))
    #expect(tracker.drift == 0 && tracker.secondReadDue == at(20))
    _ = tracker.verify(table(5), at: at(20))
    #expect(tracker.drift == 1 && tracker.secondReadDue == nil)
  }

  @Test("a table that was taken over is compared once more after 20 ms, whatever was read before that")
  func comparedAgain() throws {
    var tracker = try slots()
    _ = tracker.adopt(table(5), at: at(0))
    _ = tracker.verify(table(5), at: at(5))
    #expect(tracker.secondReadDue == at(20))
    _ = tracker.verify(table(5), at: at(20))
    #expect(tracker.secondReadDue == nil)
  }

  @Test("a button that is up in the table is no disagreement if nobody touches")
  func buttonUp() throws {
    var tracker = try slots()
    for time in [0, 20, 40] {
      var table = table(-1)
      table.touchDown = false
      #expect(tracker.verify(table, at: at(time)) == [])
      #expect(tracker.secondReadDue == nil)
    }
    #expect(tracker.drift == 0)
  }

  @Test("while another process holds the device, its current slot is followed at the first read")
  func slotFollowed() throws {
    var tracker = try slots()
    tracker.noteForeignGrab()
    var table = table(-1)
    table.currentSlot = 2
    _ = tracker.verify(table, at: at(0))
    #expect(
      tracker.handle(frame(10, [(EventCode.trackingID, 7)])) == [.began(Contact(slot: 2, id: 7), at: at(10))])
  }

  /// A type A screen, and one group of its frames.
  private func groups(stuckAfter: Duration = .seconds(600)) throws -> ContactTracker {
    let device = ScreenProfile.Capabilities(
      name: "Panel", properties: [InputProperty.direct], keys: [EventCode.buttonTouch],
      axes: [EventCode.positionX, EventCode.positionY], slots: nil, taggedTouchscreen: true)
    return ContactTracker(profile: try ScreenProfile(device), stuckAfter: stuckAfter)
  }

  private let group: [Frame.Update] = [
    .init(type: EventType.abs, code: EventCode.positionX, value: 1),
    .init(type: EventType.syn, code: EventCode.synMTReport, value: 0),
  ]

  @Test("type A: BTN_TOUCH in the table does not make one contact of two")
  func groupsKept() throws {
    var tracker = try groups()
    _ = tracker.handle(.frame(Frame(time: at(0), updates: group + group, ending: .report)))
    #expect(tracker.verify(KernelTable(touchDown: true), at: at(10)) == [])
    #expect(tracker.adopt(KernelTable(touchDown: true), at: at(20)) == [])
    #expect(tracker.contacts.count == 2)
  }

  @Test("type A: a stuck contact is over half a second after BTN_TOUCH went up, however often that is read")
  func stuckGroupEnds() throws {
    var tracker = try groups(stuckAfter: .milliseconds(1000))
    _ = tracker.handle(.frame(Frame(time: at(0), updates: group, ending: .report)))
    for time in [400, 800, 1000] { _ = tracker.verify(KernelTable(touchDown: true), at: at(time)) }
    #expect(tracker.stuckCount == 1 && tracker.nextDeadline == nil)
    for time in [1100, 1300, 1500] {
      _ = tracker.verify(KernelTable(touchDown: false), at: at(time))
      #expect(tracker.nextDeadline == at(1600))
    }
    _ = tracker.timePassed(at(1600))
    #expect(tracker.stuckCount == 0)
  }
}
