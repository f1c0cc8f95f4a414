import Gating
import Testing
import Timeline
import TouchModel

@Suite("Times and names of a shut gate")
struct GateTimesTests {
  @Test("while a grace time runs, contacts that are stuck count as touched and not as stuck")
  func stuckInGrace() {
    var gate = Gate(at: at(0))
    for device in [panel, pen] {
      gate.deviceAdded(device, name: "Panel", at: at(0))
      gate.deviceReady(device, at: at(0))
    }
    gate.handle(.began(finger(0, 1), at: at(1)), of: panel, at: at(1))
    gate.handle(.began(finger(0, 2), at: at(1)), of: pen, at: at(1))
    gate.handle(.stuck(finger(0, 1), at: at(700)), of: panel, at: at(700))
    gate.deviceGone(pen, at: at(701))
    #expect(gate.state == .touched(contacts: 1, since: at(1)))
    gate.timePassed(at(703))
    #expect(gate.state == .stuck(contacts: 1, since: at(703)))
  }

  @Test("a snapshot that is older than the last touch does not make the screen clear for longer")
  func olderSnapshot() {
    var gate = Gate(at: at(0))
    gate.deviceAdded(panel, name: "Panel", at: at(0))
    gate.handle(.activity(at: at(5)), of: panel, at: at(5))
    gate.deviceReady(panel, at: at(4))
    #expect(gate.state == .clear(since: at(5)))
  }

  @Test("the first screen is waited for up to its time, and not longer")
  func firstScreenTimeout() {
    var screens = Screens(at: at(0), rules: Screens.Rules(firstScreenTimeout: .seconds(10)))
    screens.enumerated(at: at(1))
    #expect(screens.nextDeadline == at(11))
    screens.timePassed(at(10.999))
    #expect(screens.machine == .noScreenYet(since: at(1), until: at(11)))
    screens.timePassed(at(11))
    #expect(screens.machine == .clear(since: at(11)))
  }

  @Test("the machine is clear only since the last touch of a screen that is gone")
  func clearSinceLastTouch() {
    var screens = Screens(at: at(0), rules: Screens.Rules())
    screens.deviceAdded(panel, name: "Panel", screen: "Panel", at: at(0))
    screens.deviceReady(panel, screen: "Panel", at: at(0))
    screens.enumerated(at: at(1))
    screens.handle(.activity(at: at(50)), of: panel, screen: "Panel", at: at(50))
    screens.deviceGone(panel, screen: "Panel", at: at(51))
    #expect(screens.machine == .clear(since: at(50)))
  }
}
