import Gating
import Testing
import Timeline
import TouchModel

@Suite("A gate with stuck contacts that are held")
struct StuckGateTests {
  var gate: Gate

  init() {
    gate = Gate(at: at(0))
    gate.deviceAdded(panel, name: "Panel", at: at(0))
    gate.deviceReady(panel, at: at(1))
    tell(.began(finger(0, 5), at: at(2)), 2)
    tell(.stuck(finger(0, 5), at: at(602)), 602)
  }

  private mutating func tell(_ change: ContactChange, _ time: Double) {
    gate.handle(change, of: panel, at: at(time))
  }

  @Test("is stuck, which is touched with another name")
  func stuck() {
    #expect(gate.state == .stuck(contacts: 1, since: at(602)))
    #expect(gate.isTouched && gate.contacts == 1)
  }

  @Test("is touched as soon as one is not stuck, and stuck again when that one is gone")
  mutating func beside() {
    tell(.began(finger(1, 6), at: at(700)), 700)
    #expect(gate.state == .touched(contacts: 2, since: at(700)))
    tell(.ended(finger(1, 6), .lifted, at: at(701)), 701)
    #expect(gate.state == .stuck(contacts: 1, since: at(701)))
    tell(.unstuck(finger(0, 5), at: at(702)), 702)
    #expect(gate.state == .touched(contacts: 1, since: at(702)))
  }

  @Test("opens when the last one ends")
  mutating func ends() {
    tell(.ended(finger(0, 5), .lifted, at: at(800)), 800)
    #expect(gate.state == .clear(since: at(800)))
    tell(.began(finger(0, 5), at: at(801)), 801)
    #expect(gate.state == .touched(contacts: 1, since: at(801)), "a new contact is not stuck")
  }

  @Test("gives a grace time like any other when it is unplugged")
  mutating func unplugged() {
    gate.deviceGone(panel, at: at(800))
    #expect(gate.state == .touched(contacts: 0, since: at(800)))
    gate.timePassed(at(802))
    #expect(gate.isEmpty)
  }
}
