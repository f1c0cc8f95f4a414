import Testing
import Timeline
import TouchModel

@Suite("Slot tables that are read while frames arrive")
struct SecondReadTests {
  var device = DeviceUnderTest()

  /// Fingers 5 and 6 down in slots 0 and 1, seen by frames.
  private mutating func twoFingers() {
    device.send(.slot(0), .id(5), .slot(1), .id(6), .touch(1), .report)
    device.pass(.seconds(1))
  }

  @Test("a single read never ends a contact; a second one 20 ms later that agrees does, at that time")
  mutating func second() {
    twoFingers()
    device.sendUnseen(.id(-1))
    #expect(device.verify() == [])
    let due = device.now + ContactTracker.secondRead
    #expect(device.tracker.secondReadDue == due)
    #expect(device.tracker.contacts.count == 2)
    device.pass(.milliseconds(20))
    #expect(device.verify() == [.ended(finger(1, 6), .tableDisagreed, at: due)])
    #expect(device.tracker.secondReadDue == nil)
    #expect(device.tracker.drift == 1)
  }

  @Test("a second read of one contact is the first of another")
  mutating func otherSlot() {
    twoFingers()
    device.sendUnseen(.slot(1), .id(-1))
    device.verify()
    device.pass(.milliseconds(25))
    device.sendUnseen(.slot(0), .id(-1), .touch(0))
    #expect(device.verify() == [.ended(finger(1, 6), .tableDisagreed, at: device.now)])
    #expect(device.tracker.secondReadDue == device.now + ContactTracker.secondRead)
    #expect(device.tracker.contacts == [finger(0, 5)])
    device.pass(.milliseconds(20))
    #expect(device.verify() == [.ended(finger(0, 5), .tableDisagreed, at: device.now)])
  }

  @Test("many quick reads are not a second read")
  mutating func tooEarly() {
    twoFingers()
    device.sendUnseen(.id(-1))
    device.verify()
    let due = device.tracker.secondReadDue
    for _ in 0..<19 {
      device.pass(.milliseconds(1))
      #expect(device.verify() == [])
      #expect(device.tracker.secondReadDue == due)
    }
    device.pass(.milliseconds(1))
    #expect(device.verify().count == 1)
  }

  @Test("a frame between the reads that ends or begins the contact makes the next one a first read again")
  mutating func frameBetween() {
    twoFingers()
    device.sendUnseen(.id(-1))
    device.verify()
    device.pass(.milliseconds(10))
    #expect(device.send(.slot(1), .id(-1), .id(7), .report).count == 2)
    #expect(device.tracker.secondReadDue == nil)
    device.sendUnseen(.id(-1))
    device.pass(.milliseconds(15))
    #expect(device.verify() == [])
    #expect(device.tracker.contacts.count == 2)
    device.pass(.milliseconds(20))
    #expect(device.verify() == [.ended(finger(1, 7), .tableDisagreed, at: device.now)])
  }

  @Test("frames without the contact's beginning or end do not keep it, however many arrive")
  mutating func framesOfOthers() {
    twoFingers()
    device.sendUnseen(.id(-1))
    device.verify()
    for step in 0..<10 {
      device.pass(.milliseconds(2))
      #expect(device.send(.slot(0), .x(Int32(step)), .report) == [])
    }
    #expect(device.verify() == [.ended(finger(1, 6), .tableDisagreed, at: device.now)])
  }

  @Test("a second read that agrees with the frames cancels the first one")
  mutating func calledOff() {
    twoFingers()
    let before = device.kernel.table
    device.sendUnseen(.id(-1))
    device.verify()
    device.pass(.milliseconds(25))
    #expect(device.verify(before) == [])
    #expect(device.tracker.secondReadDue == nil)
    #expect(device.verify() == [])
    #expect(device.tracker.contacts.count == 2)
    #expect(device.tracker.drift == 0)
  }

  @Test("an id that only the table has is added at once; if no frame reports it within 20 ms, events are withheld")
  mutating func added() {
    device.sendUnseen(.slot(2), .id(9))
    #expect(device.verify() == [.began(finger(2, 9), at: device.now)])
    #expect(device.tracker.drift == 0 && !device.tracker.mayBeGrabbed)
    #expect(device.tracker.secondReadDue == device.now + ContactTracker.secondRead)
    device.pass(.milliseconds(20))
    #expect(device.verify() == [])
    #expect(device.tracker.drift == 1 && device.tracker.mayBeGrabbed)
    #expect(device.tracker.secondReadDue == nil)
    device.send(.id(-1), .report)
    #expect(!device.tracker.mayBeGrabbed, "a frame came")
  }

  @Test("an id that is replaced in the table is replaced at once: somebody is there before and after")
  mutating func replaced() {
    device.send(.slot(0), .id(5), .report)
    device.sendUnseen(.id(7))
    #expect(
      device.verify() == [
        .ended(finger(0, 5), .tableDisagreed, at: device.now), .began(finger(0, 7), at: device.now),
      ])
  }

  @Test("what a table read in the middle of a frame adds is confirmed by the frame's end, without a change")
  mutating func midFrameAdds() {
    device.send(.slot(0), .id(5), .touch(1))
    #expect(device.verify() == [.began(finger(0, 5), at: device.now)])
    #expect(device.send(.report) == [])
    #expect(device.send(.id(-1), .touch(0), .report) == [.ended(finger(0, 5), .lifted, at: device.now)])
  }

  @Test("a contact that changes its slot within a frame does not end, although a read in between lacks it")
  mutating func midFrameHop() {
    device.send(.slot(0), .id(5), .touch(1), .report)
    device.send(.slot(0), .id(-1))
    #expect(device.verify() == [])
    #expect(device.tracker.verdict == .touched)
    device.send(.slot(1), .id(6), .report)
    #expect(device.tracker.contacts == [finger(1, 6)])
    device.pass(.milliseconds(20))
    #expect(device.verify() == [])
    #expect(device.tracker.verdict == .touched)
    #expect(device.tracker.drift == 0)
  }

  @Test("a palm and a hovering finger that only the table has are activity, not contacts")
  mutating func near() {
    device.sendUnseen(.slot(0), .id(5), .tool(ToolType.palm), .slot(1), .id(6), .distance(1))
    #expect(device.verify() == [.activity(at: device.now), .activity(at: device.now)])
    #expect(device.tracker.contacts == [])
    #expect(device.tracker.hoveringCount == 1)
    // What hovers may come down, and a palm that no frame ended may be a finger: to be safe it counts as one.
    device.sendUnseen(.slot(0), .tool(ToolType.finger), .slot(1), .distance(0))
    #expect(device.verify() == [.began(finger(0, 5), at: device.now), .began(finger(1, 6), at: device.now)])
  }

  @Test("a contact that the table has as a palm ends only with a second read, like any other")
  mutating func turnsIntoPalm() {
    device.send(.slot(0), .id(5), .report)
    device.sendUnseen(.tool(ToolType.palm))
    #expect(device.verify() == [])
    device.pass(.milliseconds(20))
    #expect(device.verify() == [.ended(finger(0, 5), .tableDisagreed, at: device.now)])
    #expect(device.verify() == [])
  }

  @Test("BTN_TOUCH up in the table makes contacts doubtful at the second read; they end two seconds later")
  mutating func buttonUp() {
    twoFingers()
    device.sendUnseen(.touch(0))
    #expect(device.verify() == [])
    #expect(device.tracker.doubtfulContacts == [])
    device.pass(.milliseconds(20))
    #expect(device.verify() == [])
    #expect(device.tracker.doubtfulContacts.count == 2)
    #expect(device.pass(.seconds(2)).count == 2)
    // The ids are still in the table; they do not come back.
    #expect(device.verify() == [])
    #expect(device.tracker.verdict == .idle)
  }

  @Test("BTN_TOUCH down in the table brings back a contact that a rule had ended")
  mutating func buttonDown() {
    twoFingers()
    device.send(.touch(0), .kernelReport)
    #expect(device.verify() == [])
    device.sendUnseen(.touch(1))
    #expect(device.verify().count == 2)
    #expect(device.tracker.verdict == .touched)
  }

  @Test("single touch: BTN_TOUCH in the table begins a contact at once, and ends it at the second read")
  func single() {
    var device = DeviceUnderTest(.singleTouch)
    device.sendUnseen(.touch(1))
    #expect(device.verify() == [.began(finger(0, nil), at: device.now)])
    device.sendUnseen(.touch(0))
    #expect(device.verify() == [])
    #expect(device.tracker.secondReadDue == device.now + ContactTracker.secondRead)
    device.pass(.milliseconds(20))
    #expect(device.verify() == [.ended(finger(0, nil), .tableDisagreed, at: device.now)])
    #expect(device.tracker.drift == 1)
  }

  @Test("type A: BTN_TOUCH in the table keeps a silent finger, and ends none")
  func groups() {
    var device = DeviceUnderTest(.typeA)
    device.send(.x(1), .group, .touch(1), .report)
    for _ in 0..<50 {
      device.pass(.milliseconds(400))
      #expect(device.verify() == [])
    }
    #expect(device.tracker.verdict == .touched)
    device.sendUnseen(.touch(0))
    #expect(device.verify() == [])
    #expect(device.tracker.verdict == .touched)
    #expect(device.pass(.milliseconds(500)) == [.ended(finger(0, nil), .silence, at: device.now)])
  }

  /// The kernel sends a tool only when it changes, so most contacts begin without one.
  @Test("a contact that a frame turned into a palm stays none, also if the table has it as a finger again")
  func palmToldLater() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .touch(1), .report)
    device.send(.tool(ToolType.palm), .report)
    device.send(.tool(ToolType.finger), .x(3), .report)
    for _ in 0..<3 {
      device.verify()
      #expect(device.tracker.contacts.isEmpty)
      device.pass(.seconds(1))
    }
    device.send(.id(6), .report)
    #expect(device.tracker.contacts == [finger(0, 6)])
  }

  @Test("at open the table is the truth at once: fingers, palms, hovering ones, and the current slot")
  mutating func open() {
    device.sendUnseen(
      .slot(0), .id(5), .slot(1), .id(6), .tool(ToolType.palm), .slot(2), .id(7), .distance(2), .slot(3), .id(0),
      .touch(1))
    #expect(
      device.open() == [
        .began(finger(0, 5), at: device.now), .activity(at: device.now), .activity(at: device.now),
        .began(finger(3, 0), at: device.now),
      ])
    #expect(device.send(.id(-1), .report) == [.ended(finger(3, 0), .lifted, at: device.now)])
  }

  @Test("a table that is shorter or longer than the device has slots does no harm")
  mutating func otherLength() {
    twoFingers()
    #expect(device.verify(KernelTable(trackingIDs: [5])) == [])
    #expect(device.verify(KernelTable(trackingIDs: [5, 6, -1, -1, 8, 9])) == [])
    #expect(device.tracker.contacts.count == 2)
  }

  @Test("a drag with masked positions is not taken for a foreign grab")
  func maskedDrag() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .touch(1), .x(1), .report)
    device.verify()
    for x in 2..<10 {
      device.pass(.seconds(1))
      device.sendUnseen(.x(Int32(x)))
      #expect(device.verify() == [])
    }
    #expect(device.tracker.drift == 0 && !device.tracker.mayBeGrabbed)
  }

  @Test("movement that frames reported before BTN_TOUCH 0 does not end the doubt at the next read")
  func oldMovementDoubt() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .touch(1), .x(1), .report)
    device.verify()
    device.send(.x(50), .report)
    device.send(.touch(0), .report)
    device.pass(.seconds(1))
    device.verify()
    #expect(device.tracker.doubtfulContacts == [finger(0, 5)])
    device.pass(.seconds(1))
    #expect(device.tracker.verdict == .idle)
  }

  @Test("movement that frames reported before the kernel released the keys brings no contact back")
  func oldMovementRelease() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .touch(1), .x(1), .report)
    device.verify()
    device.send(.x(50), .report)
    device.send(.touch(0), .kernelReport)
    device.pass(.seconds(1))
    #expect(device.verify() == [])
  }

  @Test("a contact that began after a first read is not ended by one read")
  func replacedBetween() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .report)
    device.sendUnseen(.id(-1))
    #expect(device.verify() == [])
    device.pass(.milliseconds(5))
    device.sendUnseen(.id(7))
    device.verify()
    #expect(device.tracker.contacts == [finger(0, 7)])
    device.pass(.milliseconds(20))
    device.sendUnseen(.id(-1))
    #expect(device.verify() == [])
    #expect(device.tracker.contacts == [finger(0, 7)])
  }

  @Test("after a foreign grab the first events of another slot belong to that slot")
  func slotAfterGrab() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .touch(1), .report)
    device.sendUnseen(.slot(1), .id(8))
    for _ in 0..<3 {
      device.pass(.seconds(1))
      device.verify()
    }
    #expect(device.tracker.contacts == [finger(0, 5), finger(1, 8)])
    // The grab has ended. The kernel does not send the slot again: it has not changed.
    device.send(.id(-1), .report)
    #expect(device.tracker.contacts == [finger(0, 5)])
  }
}
