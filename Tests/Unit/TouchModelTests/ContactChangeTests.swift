import Testing
import Timeline
import TouchModel

@Suite("What the tracker says of each frame")
struct ContactChangeTests {
  var device = DeviceOnTrial()

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

  @Test("nothing is said before the report")
  mutating func midFrame() {
    #expect(device.send(.slot(0), .id(5), .touch(1)) == [])
    #expect(device.tracker.contacts == [])
    #expect(device.send(.kernelReport) == [])
    #expect(device.send(.report) == [.began(finger(0, 5), at: device.now)])
  }

  @Test("a contact that takes another's place ends that one before it begins")
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

  @Test("a tap within one frame is activity and no contact; beside an end it is both")
  mutating func tapInOneFrame() {
    #expect(device.send(.slot(0), .id(5), .id(-1), .report) == [.activity(at: device.now)])
    device.send(.id(6), .report)
    #expect(
      device.send(.id(-1), .id(7), .id(-1), .report) == [
        .ended(finger(0, 6), .lifted, at: device.now), .activity(at: device.now),
      ])
    #expect(device.tracker.verdict == .idle)
  }

  @Test("an id that comes again unchanged, and an end where nothing was, say nothing")
  mutating func repeated() {
    device.send(.slot(0), .id(5), .report)
    #expect(device.send(.id(5), .report) == [])
    device.send(.id(-1), .report)
    #expect(device.send(.id(-1), .report) == [])
    #expect(device.send(.report) == [])
  }

  @Test("a palm cancels its contact; its end is activity; the next id is a finger again only if the device says so")
  mutating func palm() {
    device.send(.slot(0), .id(5), .report)
    #expect(device.send(.tool(ToolType.palm), .report) == [.ended(finger(0, 5), .cancelled, at: device.now)])
    #expect(device.send(.tool(ToolType.finger), .report) == [])
    #expect(device.send(.id(-1), .report) == [.activity(at: device.now)])
    #expect(device.send(.id(6), .tool(ToolType.palm), .report) == [.activity(at: device.now)])
    // The kernel sends only changes: a new id without a tool has the tool of before.
    #expect(device.send(.id(7), .report) == [.activity(at: device.now), .activity(at: device.now)])
    #expect(
      device.send(.id(8), .tool(ToolType.finger), .report) == [
        .activity(at: device.now), .began(finger(0, 8), at: device.now),
      ])
  }

  @Test("a contact that rises to hover is cancelled, and comes back; coming and going in the air is activity")
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

  @Test("keys released by the kernel end all contacts, also those of the same frame")
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

  @Test("what the kernel released comes back by news of it, or by BTN_TOUCH 1 that nothing else explains")
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

  @Test("BTN_TOUCH 0 with a contact doubts it for two seconds; then it ends then, as doubtful")
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

  @Test("a doubtful contact that is lifted, replaced or explained is in doubt no more")
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
    // It stays void over the end of the frame, up to a valid slot.
    #expect(device.send(.id(-1), .report) == [])
    #expect(device.send(.slot(slot), .report) == [])
    #expect(device.tracker.anomalies == 2)
    #expect(device.send(.slot(0), .id(-1), .report) == [.ended(finger(0, 5), .lifted, at: device.now)])
    #expect(device.tracker.anomalies == 2)
  }

  @Test("an unplugged device's contacts end, doubtful ones too, and nothing is due any more")
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

  @Test("unplugged in the middle of a loss, it is certain again: there is nothing to be uncertain of")
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
  @Test("a loss is told once, keeps the contacts, and after it what the table lacks has ended")
  func slots() {
    var device = DeviceOnTrial()
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
    // The table said what slot is current.
    #expect(device.send(.id(-1), .report) == [.ended(finger(2, 7), .lifted, at: device.now)])
    #expect(device.tracker.contacts == [finger(1, 6)])
  }

  @Test("a contact that was lifted and put down again in a loss is another one")
  func replacedInLoss() {
    var device = DeviceOnTrial()
    device.send(.slot(0), .id(5), .report)
    #expect(
      device.send(.dropped, .id(-1), .id(6), .report) == [
        .becameUncertain(.eventsLost, at: device.now), .ended(finger(0, 5), .endedDuringLoss, at: device.now),
        .began(finger(0, 6), at: device.now), .becameCertain(at: device.now),
      ])
  }

  @Test("a table read while events are lost counts for nothing: the one after the loss will tell")
  func verifyWhileLost() {
    var device = DeviceOnTrial()
    device.send(.slot(0), .id(5), .report)
    device.send(.dropped, .id(-1), .slot(1), .id(6))
    #expect(device.verify() == [])
    #expect(device.tracker.secondReadDue == nil)
    device.pass(.milliseconds(25))
    #expect(device.verify() == [])
    #expect(device.tracker.contacts == [finger(0, 5)])
  }

  @Test("after a loss BTN_TOUCH up in the table doubts what the table still has")
  func doubtAfterLoss() {
    var device = DeviceOnTrial()
    device.send(.slot(0), .id(5), .touch(1), .report)
    device.send(.dropped, .touch(0), .report)
    #expect(device.tracker.doubtfulContacts == [finger(0, 5)])
    #expect(device.pass(.seconds(2)) == [.ended(finger(0, 5), .doubtful, at: device.now)])
  }

  @Test("a single-touch device takes BTN_TOUCH from the table", arguments: [true, false])
  func single(_ down: Bool) {
    var device = DeviceOnTrial(.single)
    #expect(device.send(.touch(1), .report) == [.began(finger(0, nil), at: device.now)])
    let changes = device.send(.dropped, .touch(down ? 1 : 0), .report)
    let end: [ContactChange] = down ? [] : [.ended(finger(0, nil), .endedDuringLoss, at: device.now)]
    #expect(changes == [.becameUncertain(.eventsLost, at: device.now)] + end + [.becameCertain(at: device.now)])
  }

  @Test("a type A device has no table: it is uncertain until half a second of silence, which ends its contacts")
  func groups() {
    var device = DeviceOnTrial(.groups)
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
  @Test("type A: fewer groups end the last ones; each group restarts the silence")
  func groups() {
    var device = DeviceOnTrial(.groups)
    device.send(.x(1), .group, .x(2), .group, .report)
    let down = device.now
    #expect(device.tracker.nextDeadline == down + .milliseconds(500))
    device.pass(.milliseconds(400))
    #expect(device.send(.x(1), .group, .report) == [.ended(finger(1, nil), .lifted, at: device.now)])
    #expect(device.pass(.milliseconds(499)) == [])
    let end = down + .milliseconds(900)
    #expect(device.pass(.milliseconds(1)) == [.ended(finger(0, nil), .silence, at: end)])
  }

  @Test("type A: a frame that says nothing of groups does not keep a contact alive")
  func emptyFrames() {
    var device = DeviceOnTrial(.groups)
    device.send(.x(1), .group, .report)
    device.pass(.milliseconds(400))
    #expect(device.send(.report) == [])
    #expect(device.pass(.milliseconds(100)) == [.ended(finger(0, nil), .silence, at: device.now)])
  }

  @Test("type A: the last group may lack its end; BTN_TOUCH 0 ends all at once")
  func sloppy() {
    var device = DeviceOnTrial(.groups)
    #expect(
      device.send(.x(1), .group, .x(2), .touch(1), .report) == [
        .began(finger(0, nil), at: device.now), .began(finger(1, nil), at: device.now),
      ])
    #expect(device.send(.x(1), .group, .touch(0), .report).count == 2)
    #expect(device.tracker.verdict == .idle)
    #expect(device.tracker.nextDeadline == nil)
  }

  @Test("type A: opened under a finger, it is touched until half a second of silence")
  func openGroups() {
    var device = DeviceOnTrial(.groups)
    device.sendUnseen(.touch(1))
    #expect(device.open() == [.began(finger(0, nil), at: device.now)])
    #expect(device.pass(.milliseconds(500)) == [.ended(finger(0, nil), .silence, at: device.now)])
  }

  @Test("type A: a frame of a thousand groups is believed up to a bound")
  func manyGroups() {
    var device = DeviceOnTrial(.groups)
    for _ in 0..<1000 { device.send(.x(1), .group) }
    device.send(.report)
    #expect(device.tracker.contacts.count == ScreenProfile.mostSlots)
    device.send(.group, .report)
    #expect(device.tracker.contacts == [])
  }

  @Test("single touch: BTN_TOUCH is the contact; down and up in one frame is a beginning and an end")
  func single() {
    var device = DeviceOnTrial(.single)
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
