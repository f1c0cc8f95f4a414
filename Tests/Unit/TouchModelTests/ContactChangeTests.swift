import Testing
import Timeline
import TouchModel

@Suite("Contact changes of each frame")
struct ContactChangeTests {
  var device = DeviceUnderTest()

  @Test("beginnings and ends carry the frame's stamp, in the order of the slots")
  mutating func stamps() {
    let down = device.now
    #expect(
      device.send(.slot(1), .id(6), .slot(0), .id(5), .touch(1), .report) == [
        .began(finger(0, 5), at: down), .began(finger(1, 6), at: down),
      ])
    device.pass(.milliseconds(40))
    #expect(device.send(.slot(1), .x(3), .report) == [])
    device.pass(.milliseconds(40))
    let up = device.now
    #expect(up == down + .milliseconds(80))
    #expect(
      device.send(.id(-1), .slot(0), .id(-1), .touch(0), .report) == [
        .ended(finger(0, 5), .lifted, at: up), .ended(finger(1, 6), .lifted, at: up),
      ])
  }

  @Test("an incomplete frame changes nothing")
  mutating func midFrame() {
    #expect(device.send(.slot(0), .id(5), .touch(1)) == [])
    #expect(device.tracker.contacts == [])
    #expect(device.send(.kernelReport) == [])
    #expect(device.send(.report) == [.began(finger(0, 5), at: device.now)])
  }

  @Test("a contact that replaces another begins after the other has ended")
  mutating func replaced() {
    device.send(.slot(2), .id(5), .report)
    #expect(
      device.send(.id(6), .report) == [
        .ended(finger(2, 5), .replaced, at: device.now), .began(finger(2, 6), at: device.now),
      ])
    #expect(
      device.send(.id(-1), .id(7), .report) == [
        .ended(finger(2, 6), .lifted, at: device.now), .began(finger(2, 7), at: device.now),
      ])
    #expect(
      device.send(.id(-1), .id(7), .report) == [
        .ended(finger(2, 7), .lifted, at: device.now), .began(finger(2, 7), at: device.now),
      ])
  }

  @Test("a tap within one frame is activity and no contact; together with an end it is both")
  mutating func tapInOneFrame() {
    #expect(device.send(.slot(0), .id(5), .id(-1), .report) == [.activity(at: device.now)])
    device.send(.id(6), .report)
    #expect(
      device.send(.id(-1), .id(7), .id(-1), .report) == [
        .ended(finger(0, 6), .lifted, at: device.now), .activity(at: device.now),
      ])
    #expect(device.tracker.verdict == .idle)
  }

  @Test("a repeated id, and an end without a contact, change nothing")
  mutating func repeated() {
    device.send(.slot(0), .id(5), .report)
    #expect(device.send(.id(5), .report) == [])
    device.send(.id(-1), .report)
    #expect(device.send(.id(-1), .report) == [])
    #expect(device.send(.report) == [])
  }

  @Test("a palm cancels its contact; its end is activity; the next id is a finger only if the device reports it as one")
  mutating func palm() {
    device.send(.slot(0), .id(5), .report)
    #expect(device.send(.tool(ToolType.palm), .report) == [.ended(finger(0, 5), .cancelled, at: device.now)])
    #expect(device.send(.tool(ToolType.finger), .report) == [])
    #expect(device.send(.id(-1), .report) == [.activity(at: device.now)])
    #expect(device.send(.id(6), .tool(ToolType.palm), .report) == [.activity(at: device.now)])
    // The kernel sends only changes: a new id without a tool has the tool of the id before.
    #expect(device.send(.id(7), .report) == [.activity(at: device.now), .activity(at: device.now)])
    #expect(
      device.send(.id(8), .tool(ToolType.finger), .report) == [
        .activity(at: device.now), .began(finger(0, 8), at: device.now),
      ])
  }

  @Test("a contact that starts to hover is cancelled, and comes back; beginning and end of hovering are activity")
  mutating func hover() {
    #expect(device.send(.slot(0), .id(5), .distance(1), .report) == [.activity(at: device.now)])
    #expect(device.tracker.hoveringCount == 1)
    #expect(device.send(.distance(0), .report) == [.began(finger(0, 5), at: device.now)])
    #expect(device.send(.distance(2), .report) == [.ended(finger(0, 5), .cancelled, at: device.now)])
    #expect(device.send(.distance(1), .report) == [])
    #expect(device.send(.id(-1), .report) == [.activity(at: device.now)])
    #expect(device.tracker.hoveringCount == 0)
  }

  @Test("a pen with an id is a contact like a finger")
  mutating func pen() {
    #expect(device.send(.slot(0), .id(5), .tool(ToolType.pen), .report) == [.began(finger(0, 5), at: device.now)])
  }

  @Test("keys released by the kernel end all contacts, including those of the same frame")
  mutating func keysReleased() {
    device.send(.slot(0), .id(5), .touch(1), .report)
    let now = device.now
    #expect(
      device.send(.slot(1), .id(6), .touch(0), .kernelReport) == [
        .began(finger(1, 6), at: now), .ended(finger(0, 5), .keysReleased, at: now),
        .ended(finger(1, 6), .keysReleased, at: now),
      ])
    #expect(device.tracker.nextDeadline == nil)
  }

  @Test("a contact that the kernel released comes back with new data, or with BTN_TOUCH 1 that nothing else explains")
  mutating func marksEnd() {
    device.send(.slot(0), .id(5), .slot(1), .id(6), .touch(1), .report)
    device.send(.touch(0), .kernelReport)
    #expect(device.send(.slot(1), .x(4), .report) == [.began(finger(1, 6), at: device.now)])
    // Finger 6 explains it.
    #expect(device.send(.touch(1), .report) == [])
    device.send(.touch(0), .kernelReport)
    #expect(
      device.send(.touch(1), .report) == [
        .began(finger(0, 5), at: device.now), .began(finger(1, 6), at: device.now),
      ])
  }

  @Test("a contact at BTN_TOUCH 0 is doubtful for two seconds, and then ends")
  mutating func doubt() {
    device.send(.slot(0), .id(5), .slot(1), .id(6), .touch(1), .report)
    let up = device.now
    #expect(device.send(.touch(0), .report) == [])
    #expect(device.tracker.doubtfulContacts == [finger(0, 5), finger(1, 6)])
    #expect(device.tracker.contacts == [finger(0, 5), finger(1, 6)])
    #expect(device.tracker.verdict == .uncertain)
    #expect(device.tracker.nextDeadline == up + ContactTracker.doubt)
    device.pass(.seconds(1))
    // New data restores its own contact only.
    #expect(device.send(.slot(1), .x(7), .report) == [])
    #expect(device.tracker.doubtfulContacts == [finger(0, 5)])
    #expect(device.tracker.verdict == .touched)
    #expect(device.pass(.milliseconds(999)) == [])
    #expect(device.pass(.milliseconds(1)) == [.ended(finger(0, 5), .doubtful, at: up + .seconds(2))])
    #expect(device.tracker.contacts == [finger(1, 6)])
    #expect(device.tracker.nextDeadline == nil)
  }

  @Test("a doubtful contact that is lifted, replaced or explained is no longer doubtful")
  mutating func doubtEnds() {
    device.send(.slot(0), .id(5), .touch(1), .report)
    device.send(.touch(0), .report)
    #expect(device.send(.touch(1), .report) == [])
    #expect(device.tracker.verdict == .touched)
    device.send(.touch(0), .report)
    #expect(
      device.send(.id(6), .report) == [
        .ended(finger(0, 5), .replaced, at: device.now), .began(finger(0, 6), at: device.now),
      ])
    #expect(device.tracker.verdict == .touched)
    device.send(.touch(0), .report)
    #expect(device.send(.id(-1), .report) == [.ended(finger(0, 6), .lifted, at: device.now)])
    #expect(device.pass(.seconds(5)) == [])
  }

  @Test("a device without BTN_TOUCH is followed by its ids alone")
  mutating func withoutButton() {
    #expect(device.open() == [])
    #expect(device.send(.slot(0), .id(5), .report) == [.began(finger(0, 5), at: device.now)])
    #expect(device.tracker.nextDeadline == nil)
    for _ in 0..<100 {
      device.pass(.seconds(5))
      #expect(device.verify() == [])
    }
    #expect(device.tracker.verdict == .touched)
    #expect(device.send(.id(-1), .report) == [.ended(finger(0, 5), .lifted, at: device.now)])
  }

  @Test(
    "a slot out of range is an anomaly, each time, and what it says is void", arguments: [Int32(4), -1, .max, .min])
  mutating func anomalies(_ slot: Int32) {
    device.send(.slot(0), .id(5), .report)
    #expect(device.send(.slot(slot), .id(-1), .x(1), .report) == [])
    #expect(device.tracker.anomalies == 1)
    // It stays void beyond the end of the frame, until a valid slot.
    #expect(device.send(.id(-1), .report) == [])
    #expect(device.send(.slot(slot), .report) == [])
    #expect(device.tracker.anomalies == 2)
    #expect(device.send(.slot(0), .id(-1), .report) == [.ended(finger(0, 5), .lifted, at: device.now)])
    #expect(device.tracker.anomalies == 2)
  }

  @Test("the contacts of an unplugged device end, including doubtful ones, and nothing is due")
  mutating func unplugged() {
    device.send(.slot(0), .id(5), .slot(1), .id(6), .touch(1), .report)
    device.send(.touch(0), .report)
    device.send(.slot(1), .x(2), .report)
    device.pass(.milliseconds(500))
    #expect(
      device.unplug() == [
        .ended(finger(0, 5), .deviceGone, at: device.now), .ended(finger(1, 6), .deviceGone, at: device.now),
      ])
    #expect(device.tracker.verdict == .idle)
    #expect(device.tracker.nextDeadline == nil)
    #expect(device.unplug() == [])
  }

  @Test("a device that is unplugged during a loss is certain: it has no contacts")
  mutating func unpluggedWhileLost() {
    device.send(.slot(0), .id(5), .report)
    device.send(.dropped)
    #expect(
      device.unplug() == [.ended(finger(0, 5), .deviceGone, at: device.now), .becameCertain(at: device.now)])
    #expect(device.tracker.verdict == .idle)
  }
}

@Suite("Losses")
struct LossTests {
  @Test("a loss is reported once and keeps the contacts; then contacts that the table lacks have ended")
  func slots() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .slot(1), .id(6), .touch(1), .report)
    let lost = device.now
    #expect(device.send(.dropped, .dropped) == [.becameUncertain(.eventsLost, at: lost)])
    #expect(device.tracker.verdict == .uncertain)
    #expect(device.tracker.contacts == [finger(0, 5), finger(1, 6)])
    device.pass(.milliseconds(10))
    #expect(
      device.send(.slot(0), .id(-1), .slot(2), .id(7), .report) == [
        .ended(finger(0, 5), .endedDuringLoss, at: device.now), .began(finger(2, 7), at: device.now),
        .becameCertain(at: device.now),
      ])
    // The table has set the current slot.
    #expect(device.send(.id(-1), .report) == [.ended(finger(2, 7), .lifted, at: device.now)])
    #expect(device.tracker.contacts == [finger(1, 6)])
  }

  @Test("a finger that was lifted and put down again during a loss is another contact")
  func replacedInLoss() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .report)
    #expect(
      device.send(.dropped, .id(-1), .id(6), .report) == [
        .becameUncertain(.eventsLost, at: device.now), .ended(finger(0, 5), .endedDuringLoss, at: device.now),
        .began(finger(0, 6), at: device.now), .becameCertain(at: device.now),
      ])
  }

  @Test("a table read during a loss has no effect: the one after the loss decides")
  func verifyWhileLost() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .report)
    device.send(.dropped, .id(-1), .slot(1), .id(6))
    #expect(device.verify() == [])
    #expect(device.tracker.secondReadDue == nil)
    device.pass(.milliseconds(25))
    #expect(device.verify() == [])
    #expect(device.tracker.contacts == [finger(0, 5)])
  }

  @Test("after a loss, contacts in a table with BTN_TOUCH up are doubtful")
  func doubtAfterLoss() {
    var device = DeviceUnderTest()
    device.send(.slot(0), .id(5), .touch(1), .report)
    device.send(.dropped, .touch(0), .report)
    #expect(device.tracker.doubtfulContacts == [finger(0, 5)])
    #expect(device.pass(.seconds(2)) == [.ended(finger(0, 5), .doubtful, at: device.now)])
  }

  @Test("a single-touch device takes BTN_TOUCH from the table", arguments: [true, false])
  func single(_ down: Bool) {
    var device = DeviceUnderTest(.singleTouch)
    #expect(device.send(.touch(1), .report) == [.began(finger(0, nil), at: device.now)])
    let changes = device.send(.dropped, .touch(down ? 1 : 0), .report)
    let end: [ContactChange] = down ? [] : [.ended(finger(0, nil), .endedDuringLoss, at: device.now)]
    #expect(changes == [.becameUncertain(.eventsLost, at: device.now)] + end + [.becameCertain(at: device.now)])
  }

  @Test("a type A device has no table: it is uncertain until half a second of silence, which ends its contacts")
  func groups() {
    var device = DeviceUnderTest(.typeA)
    device.send(.x(1), .group, .x(2), .group, .report)
    #expect(device.tracker.contacts == [finger(0, nil), finger(1, nil)])
    device.pass(.milliseconds(100))
    let lost = device.now
    #expect(device.send(.dropped, .report) == [.becameUncertain(.eventsLost, at: lost)])
    #expect(device.tracker.verdict == .uncertain)
    #expect(device.pass(.milliseconds(499)) == [])
    let end = lost + ContactTracker.silence
    #expect(
      device.pass(.milliseconds(1)) == [
        .ended(finger(0, nil), .silence, at: end), .ended(finger(1, nil), .silence, at: end), .becameCertain(at: end),
      ])
    #expect(device.tracker.nextDeadline == nil)
  }
}

@Suite("Devices without slots")
struct WithoutSlotsTests {
  @Test("type A: fewer groups end the last contacts; each group restarts the silence")
  func groups() {
    var device = DeviceUnderTest(.typeA)
    device.send(.x(1), .group, .x(2), .group, .report)
    let down = device.now
    #expect(device.tracker.nextDeadline == down + .milliseconds(500))
    device.pass(.milliseconds(400))
    #expect(device.send(.x(1), .group, .report) == [.ended(finger(1, nil), .lifted, at: device.now)])
    #expect(device.pass(.milliseconds(499)) == [])
    let end = down + .milliseconds(900)
    #expect(device.pass(.milliseconds(1)) == [.ended(finger(0, nil), .silence, at: end)])
  }

  @Test("type A: a frame without groups does not keep a contact")
  func emptyFrames() {
    var device = DeviceUnderTest(.typeA)
    device.send(.x(1), .group, .report)
    device.pass(.milliseconds(400))
    #expect(device.send(.report) == [])
    #expect(device.pass(.milliseconds(100)) == [.ended(finger(0, nil), .silence, at: device.now)])
  }

  @Test("type A: the last group may lack its end; BTN_TOUCH 0 ends all contacts at once")
  func sloppy() {
    var device = DeviceUnderTest(.typeA)
    #expect(
      device.send(.x(1), .group, .x(2), .touch(1), .report) == [
        .began(finger(0, nil), at: device.now), .began(finger(1, nil), at: device.now),
      ])
    #expect(device.send(.x(1), .group, .touch(0), .report).count == 2)
    #expect(device.tracker.verdict == .idle)
    #expect(device.tracker.nextDeadline == nil)
  }

  @Test("type A: opened under a finger, it is touched until BTN_TOUCH goes up; silence ends nothing before")
  func openGroups() {
    var device = DeviceUnderTest(.typeA)
    device.sendUnseen(.touch(1))
    #expect(device.open() == [.began(.slotless, at: device.now)])
    #expect(device.pass(.seconds(100)) == [])
    #expect(device.send(.x(1), .group, .report).last == .began(finger(0, nil), at: device.now))
    #expect(device.pass(.seconds(100)) == [])
    #expect(device.send(.touch(0), .report) == [.ended(finger(0, nil), .lifted, at: device.now)])
  }

  @Test("type A: a frame of a thousand groups has 256 contacts")
  func manyGroups() {
    var device = DeviceUnderTest(.typeA)
    for _ in 0..<1000 { device.send(.x(1), .group) }
    device.send(.report)
    #expect(device.tracker.contacts.count == ScreenProfile.mostSlots)
    device.send(.group, .report)
    #expect(device.tracker.contacts == [])
  }

  @Test("single touch: BTN_TOUCH is the contact; down and up in one frame is a beginning and an end")
  func single() {
    var device = DeviceUnderTest(.singleTouch)
    #expect(device.send(.touch(1), .report) == [.began(finger(0, nil), at: device.now)])
    #expect(device.send(.touch(2), .kernelReport) == [])
    device.pass(.seconds(100))
    #expect(device.send(.touch(0), .report) == [.ended(finger(0, nil), .lifted, at: device.now)])
    #expect(
      device.send(.touch(1), .touch(0), .report) == [
        .began(finger(0, nil), at: device.now), .ended(finger(0, nil), .lifted, at: device.now),
      ])
    #expect(device.tracker.nextDeadline == nil)
  }
}
