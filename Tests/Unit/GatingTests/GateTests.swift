import Gating
import Testing
import Timeline
import TouchModel

@Suite("One gate")
struct GateTests {
  /// A gate from second 0 with one device, which is ready at second 1.
  var gate: Gate

  init() {
    gate = Gate(at: at(0))
    gate.deviceAdded(panel, name: "Panel", at: at(0))
    gate.deviceReady(panel, at: at(1))
  }

  private mutating func down(_ id: Int32, _ time: Double, _ device: DeviceID = panel) {
    gate.handle(.began(finger(Int(id), id), at: at(time)), of: device, at: at(time))
  }

  private mutating func up(_ id: Int32, _ time: Double, _ cause: EndCause = .lifted, _ device: DeviceID = panel) {
    gate.handle(.ended(finger(Int(id), id), cause, at: at(time)), of: device, at: at(time))
  }

  // MARK: Touched and clear

  @Test("a gate is unknown until the first slot table, and clear since then")
  func start() {
    var gate = Gate(at: at(0))
    gate.deviceAdded(panel, name: "Panel", at: at(2))
    #expect(gate.state == .unknown(.starting(device: "Panel"), since: at(2)))
    gate.deviceReady(panel, at: at(3))
    #expect(gate.state == .clear(since: at(3)))
    #expect(gate.nextDeadline == nil)
  }

  @Test("a finger in the first slot table makes it touched, and never clear in between")
  func startUnderFinger() {
    var gate = Gate(at: at(0))
    gate.deviceAdded(panel, name: "Panel", at: at(2))
    gate.handle(.began(finger(0, 5), at: at(3)), of: panel, at: at(3))
    #expect(gate.state == .touched(contacts: 1, since: at(3)))
    gate.deviceReady(panel, at: at(3))
    #expect(gate.state == .touched(contacts: 1, since: at(3)))
  }

  @Test("it is touched from the first beginning to the last end, with the number of contacts")
  mutating func fingers() {
    down(1, 5)
    #expect(gate.state == .touched(contacts: 1, since: at(5)))
    down(2, 6)
    #expect(gate.state == .touched(contacts: 2, since: at(5)))
    up(1, 7)
    #expect(gate.state == .touched(contacts: 1, since: at(5)))
    up(2, 8)
    #expect(gate.state == .clear(since: at(8)))
    down(3, 9)
    #expect(gate.state == .touched(contacts: 1, since: at(9)))
  }

  @Test("it is clear since the stamp of the end, not since the end was read")
  mutating func stamp() {
    down(1, 5)
    gate.handle(.ended(finger(1, 1), .lifted, at: at(7)), of: panel, at: at(7.2))
    #expect(gate.state == .clear(since: at(7)))
  }

  @Test("activity moves the time since which it is clear, and opens no gate that is shut")
  mutating func activity() {
    gate.handle(.activity(at: at(4)), of: panel, at: at(4))
    #expect(gate.state == .clear(since: at(4)))
    // What is older does not move it back.
    gate.handle(.activity(at: at(3)), of: panel, at: at(4))
    #expect(gate.state == .clear(since: at(4)))
    down(1, 5)
    gate.handle(.activity(at: at(8)), of: panel, at: at(8))
    #expect(gate.state == .touched(contacts: 1, since: at(5)))
    up(1, 7)
    #expect(gate.state == .clear(since: at(8)))
  }

  @Test("an end without a beginning counts as activity only")
  mutating func strayEnd() {
    down(1, 5)
    up(2, 6)
    #expect(gate.state == .touched(contacts: 1, since: at(5)))
    up(1, 7)
    up(1, 8)
    #expect(gate.state == .clear(since: at(8)))
  }

  @Test("a contact that is reported twice is one contact")
  mutating func twice() {
    down(1, 5)
    down(1, 6)
    #expect(gate.state == .touched(contacts: 1, since: at(5)))
    up(1, 7)
    #expect(gate.state == .clear(since: at(7)))
  }

  // MARK: Several devices

  @Test("fingers with the same numbers on two nodes of one screen are two contacts")
  mutating func twoNodes() {
    gate.deviceAdded(pen, name: "Pen", at: at(2))
    gate.deviceReady(pen, at: at(3))
    down(1, 5)
    down(1, 6, pen)
    #expect(gate.state == .touched(contacts: 2, since: at(5)))
    up(1, 7)
    #expect(gate.state == .touched(contacts: 1, since: at(5)))
    up(1, 8, .lifted, pen)
    #expect(gate.state == .clear(since: at(8)))
  }

  @Test("one device whose state is unknown shuts the screen, although the other is clear")
  mutating func oneUnknown() {
    gate.deviceAdded(pen, name: "Pen", at: at(4))
    #expect(gate.state == .unknown(.starting(device: "Pen"), since: at(4)))
    gate.deviceReady(pen, at: at(5))
    #expect(gate.state == .clear(since: at(5)))
  }

  @Test("touched has precedence over unknown: somebody is certainly there")
  mutating func touchedFirst() {
    down(1, 5)
    gate.deviceAdded(pen, name: "Pen", at: at(6))
    #expect(gate.state == .touched(contacts: 1, since: at(5)))
    up(1, 7)
    #expect(gate.state == .unknown(.starting(device: "Pen"), since: at(7)))
  }

  // MARK: Unknown

  @Test("lost events shut it until the slot table is read; it is clear since then")
  mutating func lost() {
    gate.handle(.becameUncertain(.eventsLost, at: at(4)), of: panel, at: at(4))
    #expect(gate.state == .unknown(.eventsLost(device: "Panel"), since: at(4)))
    gate.handle(.becameCertain(at: at(6)), of: panel, at: at(6))
    #expect(gate.state == .clear(since: at(6)))
  }

  @Test("a finger from before a loss that the slot table lacks ends with the table read")
  mutating func endedInLoss() {
    down(1, 3)
    gate.handle(.becameUncertain(.eventsLost, at: at(4)), of: panel, at: at(4))
    #expect(gate.state == .touched(contacts: 1, since: at(3)))
    up(1, 6, .endedDuringLoss)
    #expect(gate.state == .unknown(.eventsLost(device: "Panel"), since: at(6)))
    gate.handle(.becameCertain(at: at(6)), of: panel, at: at(6))
    #expect(gate.state == .clear(since: at(6)))
  }

  @Test("a device that cannot be read shuts it, with the reason, until its slot table was read")
  mutating func unreadable() {
    gate.deviceUnreadable(panel, name: "Panel", why: "permission denied", at: at(4))
    let state = Gate.State.unknown(.unreadable(device: "Panel", why: "permission denied"), since: at(4))
    #expect(gate.state == state)
    gate.deviceUnreadable(panel, name: "Panel", why: "permission denied", at: at(5))
    #expect(gate.state == state, "the same again: since when stays")
    gate.deviceUnreadable(panel, name: "Panel", why: "no such device", at: at(6))
    #expect(gate.state == .unknown(.unreadable(device: "Panel", why: "no such device"), since: at(6)))
    gate.deviceReady(panel, at: at(9))
    #expect(gate.state == .clear(since: at(9)))
  }

  @Test("a device that becomes unreadable under a finger stays touched until it is removed")
  mutating func unreadableUnderFinger() {
    down(1, 3)
    gate.deviceUnreadable(panel, name: "Panel", why: "its state cannot be read", at: at(4))
    #expect(gate.state == .touched(contacts: 1, since: at(3)))
    up(1, 6, .endedDuringLoss)
    gate.deviceReady(panel, at: at(6))
    #expect(gate.state == .clear(since: at(6)))
  }

  // MARK: Unplugged

  @Test("a gate whose device is unplugged without a touch is empty at once")
  mutating func unpluggedQuiet() {
    gate.deviceGone(panel, at: at(4))
    #expect(gate.isEmpty)
    #expect(gate.nextDeadline == nil)
  }

  @Test("a gate whose device is unplugged under a finger stays touched for two seconds, and is clear since their end")
  mutating func grace() {
    down(1, 3)
    gate.deviceGone(panel, at: at(4))
    #expect(gate.state == .touched(contacts: 0, since: at(3)))
    #expect(gate.nextDeadline == at(6))
    #expect(!gate.isEmpty)
    gate.timePassed(at(5.999_999_999))
    #expect(gate.state == .touched(contacts: 0, since: at(3)))
    gate.timePassed(at(6))
    #expect(gate.state == .clear(since: at(6)))
    #expect(gate.isEmpty)
    #expect(gate.nextDeadline == nil)
  }

  @Test("it is clear since the end of the grace time, however late that is noticed")
  mutating func lateGrace() {
    down(1, 3)
    gate.deviceGone(panel, at: at(4))
    gate.timePassed(at(60))
    #expect(gate.state == .clear(since: at(6)))
  }

  @Test("the grace time starts again when the device is added again")
  mutating func readd() {
    let again = DeviceID("/sys/devices/panel/input/input9")
    down(1, 3)
    gate.deviceGone(panel, at: at(4))
    gate.deviceAdded(again, name: "Panel", at: at(5))
    #expect(gate.state == .touched(contacts: 0, since: at(3)))
    gate.deviceReady(again, at: at(5.5))
    #expect(gate.nextDeadline == at(7.5))
    gate.timePassed(at(6))
    #expect(gate.state == .touched(contacts: 0, since: at(3)))
    gate.timePassed(at(7.5))
    #expect(gate.state == .clear(since: at(7.5)))
    #expect(!gate.isEmpty)
  }

  @Test("a device that is added again under the same finger is touched beyond the grace time")
  mutating func readdUnderFinger() {
    let again = DeviceID("/sys/devices/panel/input/input9")
    down(1, 3)
    gate.deviceGone(panel, at: at(4))
    gate.deviceAdded(again, name: "Panel", at: at(5))
    down(1, 5, again)
    gate.deviceReady(again, at: at(5))
    gate.timePassed(at(7))
    #expect(gate.state == .touched(contacts: 1, since: at(3)))
    up(1, 9, .lifted, again)
    #expect(gate.state == .clear(since: at(9)))
  }

  @Test("a device that is uncertain at its first slot table is not clear before it is certain")
  mutating func uncertainAtOpen() {
    gate.deviceAdded(pen, name: "Panel", at: at(2))
    for (uncertainty, why) in [
      (Uncertainty.eventsLost, Gate.Unknown.eventsLost(device: "Panel")), (.unheard, .starting(device: "Panel")),
    ] {
      gate.handle(.becameUncertain(uncertainty, at: at(3)), of: pen, at: at(3))
      gate.deviceReady(pen, at: at(3.1))
      guard case .unknown(why, since: _) = gate.state else {
        Issue.record("\(gate.state)")
        continue
      }
      gate.handle(.becameCertain(at: at(3.6)), of: pen, at: at(3.6))
      #expect(gate.state == .clear(since: at(3.6)))
    }
  }

  @Test("a device that is added again and not read when the grace time ends is unknown then")
  mutating func readdUnread() {
    down(1, 3)
    gate.deviceGone(panel, at: at(4))
    gate.deviceAdded(pen, name: "Panel", at: at(5))
    gate.timePassed(at(6))
    #expect(gate.state == .unknown(.starting(device: "Panel"), since: at(6)))
  }

  @Test("keys that the kernel released start the grace time: an unplug may follow, and the finger has not moved")
  mutating func keysReleased() {
    down(1, 3)
    up(1, 4, .keysReleased)
    #expect(gate.state == .touched(contacts: 0, since: at(3)))
    #expect(gate.nextDeadline == at(6))
    gate.deviceGone(panel, at: at(4.01))
    #expect(gate.nextDeadline == at(6.01))
    gate.timePassed(at(6.01))
    #expect(gate.state == .clear(since: at(6.01)))
  }

  @Test("the grace time starts when the release is read: the machine may have slept for an hour since its stamp")
  mutating func keysReleasedBeforeSleep() {
    down(1, 3)
    gate.handle(.ended(finger(1, 1), .keysReleased, at: at(4)), of: panel, at: at(3604))
    #expect(gate.state == .touched(contacts: 0, since: at(3)))
    #expect(gate.nextDeadline == at(3606))
  }

  @Test("a touch during the grace time may outlast it, and does not shorten it")
  mutating func touchInGrace() {
    down(1, 3)
    up(1, 4, .keysReleased)
    down(2, 5)
    #expect(gate.state == .touched(contacts: 1, since: at(3)))
    up(2, 5.5)
    #expect(gate.state == .touched(contacts: 0, since: at(3)))
    gate.timePassed(at(6))
    #expect(gate.state == .clear(since: at(6)))
  }

  @Test("changes of a device that is gone move only the time of the last activity")
  mutating func stranger() {
    let strange = DeviceID("/sys/strange")
    down(1, 5, strange)
    #expect(gate.state == .clear(since: at(1)))
    gate.deviceReady(strange, at: at(1))
    gate.deviceGone(strange, at: at(6))
    #expect(gate.state == .clear(since: at(1)))
  }
}
