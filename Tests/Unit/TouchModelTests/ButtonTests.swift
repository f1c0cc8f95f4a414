import Testing
import Timeline
import TouchModel

@Suite("BTN_TOUCH beyond the slots")
struct ButtonTests {
  var device = DeviceUnderTest()

  @Test("BTN_TOUCH that no slot explains is one contact, until it goes up or a slot explains it")
  mutating func alone() {
    #expect(device.send(.touch(1), .report) == [.began(.slotless, at: device.now)])
    #expect(device.tracker.contacts == [.slotless] && device.tracker.verdict == .touched)
    #expect(device.pass(.seconds(60)) == [])
    #expect(
      device.send(.slot(0), .id(5), .report) == [
        .ended(.slotless, .replaced, at: device.now), .began(finger(0, 5), at: device.now),
      ])
    #expect(
      device.send(.id(-1), .report) == [
        .ended(finger(0, 5), .lifted, at: device.now), .began(.slotless, at: device.now),
      ])
    #expect(device.send(.touch(0), .report) == [.ended(.slotless, .lifted, at: device.now)])
    #expect(device.tracker.isAtRest)
  }

  @Test("if BTN_TOUCH went up unheard under a grab, the frame after it does not leave a contact for longer than 20 ms")
  mutating func releasedUnheard() {
    device.send(.slot(0), .id(5), .touch(1), .report)
    device.sendUnseen(.touch(0))
    #expect(device.send(.id(-1), .report).last == .began(.slotless, at: device.now))
    #expect(device.tracker.verdict == .uncertain)
    #expect(device.tracker.secondReadDue == device.now + ContactTracker.secondRead)
    device.pass(.milliseconds(20))
    #expect(device.verify() == [.ended(.slotless, .tableDisagreed, at: device.now)])
  }

  @Test("if only a table shows it, it is uncertain until a second read 20 ms later confirms it")
  mutating func inTable() {
    device.sendUnseen(.touch(1))
    #expect(device.verify() == [.began(.slotless, at: device.now)])
    #expect(device.tracker.verdict == .uncertain)
    #expect(device.tracker.secondReadDue == device.now + ContactTracker.secondRead)
    device.pass(.milliseconds(20))
    #expect(device.verify() == [])
    #expect(device.tracker.verdict == .touched && device.tracker.secondReadDue == nil)
    device.sendUnseen(.touch(0))
    #expect(device.verify() == [], "this may be the middle of a frame")
    device.pass(.milliseconds(20))
    #expect(device.verify() == [.ended(.slotless, .tableDisagreed, at: device.now)])
  }

  @Test("if the second read does not confirm it, it is over at once")
  mutating func notConfirmed() {
    device.sendUnseen(.touch(1))
    device.verify()
    device.sendUnseen(.touch(0))
    device.pass(.milliseconds(20))
    #expect(device.verify() == [.ended(.slotless, .tableDisagreed, at: device.now)])
    #expect(device.tracker.drift == 0 && device.tracker.secondReadDue == nil)
  }

  @Test("a stuck contact explains it")
  mutating func stuck() {
    device.send(.slot(0), .id(5), .touch(1), .report)
    device.pass(.seconds(600))
    #expect(device.verify() == [.ended(finger(0, 5), .stuck, at: device.now)])
    #expect(device.verify() == [])
    #expect(device.send(.slot(1), .id(6), .report, .id(-1), .report).count == 2)
    #expect(device.tracker.verdict == .idle)
  }

  @Test("held down for ten minutes, it is stuck like any contact")
  mutating func stuckItself() {
    device.send(.touch(1), .report)
    device.pass(.seconds(600))
    #expect(device.verify() == [.ended(.slotless, .stuck, at: device.now)])
    #expect(device.tracker.stuckCount == 1 && device.tracker.verdict == .idle)
    #expect(device.send(.touch(0), .report) == [])
    #expect(device.send(.touch(1), .report) == [.began(.slotless, at: device.now)])
  }

  @Test("keys that the kernel releases end it for that reason, and an unplugged device ends it, too")
  mutating func released() {
    device.send(.touch(1), .report)
    #expect(device.send(.touch(0), .kernelReport) == [.ended(.slotless, .keysReleased, at: device.now)])
    device.send(.touch(1), .report)
    #expect(device.unplug() == [.ended(.slotless, .deviceGone, at: device.now)])
  }

  @Test("BTN_TOUCH 0 doubts only the contacts that it was down for")
  mutating func doubtsPressed() {
    device.send(.slot(0), .id(5), .touch(1), .report, .touch(0), .report)
    #expect(device.tracker.doubtfulContacts == [finger(0, 5)])
    device.send(.slot(1), .id(6), .report)
    device.pass(.seconds(3))
    device.verify()
    device.pass(.milliseconds(20))
    device.verify()
    device.pass(.seconds(3))
    #expect(device.tracker.contacts == [finger(1, 6)], "the second finger never pressed it")
  }

  @Test("pressed and released within the frame in which a contact began, it was down for it only in that order")
  mutating func orderInFrame() {
    device.send(.touch(1), .touch(0), .slot(0), .id(5), .report)
    #expect(device.tracker.doubtfulContacts == [])
    device.send(.slot(1), .id(6), .touch(1), .touch(0), .report)
    #expect(device.tracker.doubtfulContacts == [finger(0, 5), finger(1, 6)])
  }
}

@Suite("Devices that report down and up in every report")
struct LiftFilterTests {
  var device = DeviceUnderTest(.singleTouch)

  /// Down, 10 ms later up, 10 ms later the same again.
  private mutating func bounce(_ times: Int) -> [ContactChange] {
    var changes: [ContactChange] = []
    for _ in 0..<times {
      changes += device.send(.touch(1), .report)
      changes += device.pass(.milliseconds(10))
      changes += device.send(.touch(0), .report)
      changes += device.pass(.milliseconds(10))
    }
    return changes
  }

  @Test("after three gaps under 60 ms an end counts only after 100 ms without a contact, with the time of the lift")
  mutating func marked() {
    _ = bounce(3)
    #expect(device.tracker.contacts == [], "two gaps so far")
    device.send(.touch(1), .report)
    device.pass(.milliseconds(10))
    #expect(device.send(.touch(0), .report) == [])
    let lift = device.now
    #expect(device.tracker.verdict == .touched && device.tracker.contacts == [finger(0, nil)])
    #expect(device.tracker.nextDeadline == lift + .milliseconds(100))
    #expect(device.pass(.milliseconds(99)) == [])
    #expect(device.pass(.milliseconds(1)) == [.ended(finger(0, nil), .lifted, at: lift)])
    #expect(device.tracker.verdict == .idle)
  }

  @Test("a contact in a gap replaces the one before it")
  mutating func gap() {
    _ = bounce(4)
    let lift = device.now - .milliseconds(10)
    #expect(
      device.send(.touch(1), .report) == [
        .ended(finger(0, nil), .lifted, at: lift), .began(finger(0, nil), at: device.now),
      ])
  }

  @Test("ten seconds without such a gap end the mark")
  mutating func forgotten() {
    _ = bounce(4)
    device.pass(.seconds(10))
    device.send(.touch(1), .report)
    device.pass(.milliseconds(10))
    #expect(device.send(.touch(0), .report) == [.ended(finger(0, nil), .lifted, at: device.now)])
  }

  @Test("taps with pauses of 60 ms do not mark a device", arguments: [60, 70, 150])
  func taps(_ pause: Int) {
    var device = DeviceUnderTest(.singleTouch)
    for _ in 0..<20 {
      device.send(.touch(1), .report)
      device.pass(.milliseconds(30))
      #expect(device.send(.touch(0), .report) == [.ended(finger(0, nil), .lifted, at: device.now)])
      device.pass(.milliseconds(pause))
    }
  }

  @Test("the gap after a contact that was already there at open counts")
  func adopted() {
    var device = DeviceUnderTest()
    device.sendUnseen(.id(5), .touch(1))
    _ = device.open()
    for id: Int32 in 6...8 {
      device.send(.id(-1), .touch(0), .report)
      device.pass(.milliseconds(10))
      device.send(.id(id), .touch(1), .report)
      device.pass(.milliseconds(10))
    }
    #expect(device.send(.id(-1), .touch(0), .report) == [], "the fourth gap")
    #expect(device.tracker.verdict == .touched)
    device.send(.id(9), .touch(1), .report, .touch(0), .report)
    device.pass(.milliseconds(1999))
    #expect(device.tracker.verdict == .uncertain)
    device.pass(.milliseconds(1))
    #expect(device.tracker.verdict == .idle, "what doubt ends has been silent for longer than 100 ms")
  }

  @Test("an empty frame after silence has ended a contact is no lift")
  func silence() {
    var device = DeviceUnderTest(.typeA)
    for _ in 0..<4 {
      device.send(.x(1), .group, .report)
      device.pass(.milliseconds(500))
      device.send(.group, .report)
      device.pass(.milliseconds(10))
    }
    device.send(.x(1), .group, .report)
    #expect(device.send(.group, .report) == [.ended(finger(0, nil), .lifted, at: device.now)])
  }

  @Test("an unplugged device ends what was held")
  mutating func unplugged() {
    _ = bounce(3)
    device.send(.touch(1), .report, .touch(0), .report)
    #expect(device.tracker.contacts.count == 1)
    #expect(device.unplug().count == 1)
    #expect(device.tracker.contacts == [] && device.tracker.nextDeadline == nil)
  }
}
