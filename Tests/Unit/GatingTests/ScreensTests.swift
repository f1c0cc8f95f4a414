import Gating
import Testing
import Timeline
import TouchModel

@Suite("All screens of the machine")
struct ScreensTests {
  var screens = Screens(at: at(0), rules: Screens.Rules(missingGrace: .zero))

  private mutating func add(_ device: DeviceID, _ screen: String, _ time: Double) {
    screens.deviceAdded(device, name: screen, screen: screen, at: at(time))
    screens.deviceReady(device, screen: screen, at: at(time))
  }

  @Test("before the first enumeration the machine is starting")
  mutating func starting() {
    #expect(screens.machine == .starting(since: at(0)))
    #expect(screens.nextDeadline == nil)
    add(panel, "Panel", 1)
    #expect(screens.machine == .starting(since: at(0)))
    screens.timePassed(at(1000))
    #expect(screens.machine == .starting(since: at(0)), "time alone does not end the start")
  }

  @Test("with a screen the machine is clear as soon as all devices that were present at start are open")
  mutating func withScreen() {
    add(panel, "Panel", 1)
    screens.enumerated(at: at(2))
    #expect(screens.machine == .clear(since: at(2)))
    #expect(screens.gates["Panel"]?.state == .clear(since: at(1)))
    #expect(screens.nextDeadline == nil)
  }

  @Test("with no screen at all it waits ten seconds for one, then is clear since then")
  mutating func noScreen() {
    screens.enumerated(at: at(2))
    #expect(screens.machine == .noScreenYet(since: at(2), until: at(12)))
    #expect(screens.nextDeadline == at(12))
    screens.timePassed(at(11.999_999_999))
    #expect(screens.machine == .noScreenYet(since: at(2), until: at(12)))
    screens.timePassed(at(12.3))
    #expect(screens.machine == .clear(since: at(12)))
    #expect(screens.nextDeadline == nil)
  }

  @Test("a first screen in that time ends the waiting, and its own gate counts")
  mutating func firstScreen() {
    screens.enumerated(at: at(2))
    screens.deviceAdded(panel, name: "Panel", screen: "Panel", at: at(5))
    #expect(screens.machine == .clear(since: at(5)))
    #expect(screens.gates["Panel"]?.state == .unknown(.starting(device: "Panel"), since: at(5)))
  }

  @Test("a screen that cannot be opened is one, and shut; it is no reason to apply after ten seconds")
  mutating func unreadable() {
    screens.deviceUnreadable(panel, name: "Panel", screen: "Panel", why: "no", at: at(1))
    screens.enumerated(at: at(2))
    screens.timePassed(at(100))
    #expect(screens.gates["Panel"]?.state == .unknown(.unreadable(device: "Panel", why: "no"), since: at(1)))
  }

  @Test("each screen has its own gate; the contacts of all are counted")
  mutating func two() {
    add(panel, "Panel", 1)
    add(pen, "Door", 1)
    screens.enumerated(at: at(2))
    screens.handle(.began(finger(0, 1), at: at(3)), of: panel, screen: "Panel", at: at(3))
    #expect(screens.gates["Panel"]?.state == .touched(contacts: 1, since: at(3)))
    #expect(screens.gates["Door"]?.state == .clear(since: at(1)))
    #expect(screens.isTouched && screens.contacts == 1)
    screens.handle(.began(finger(0, 1), at: at(4)), of: pen, screen: "Door", at: at(4))
    #expect(screens.contacts == 2)
    screens.handle(.ended(finger(0, 1), .lifted, at: at(5)), of: panel, screen: "Panel", at: at(5))
    #expect(screens.isTouched && screens.contacts == 1)
    screens.handle(.ended(finger(0, 1), .lifted, at: at(6)), of: pen, screen: "Door", at: at(6))
    #expect(!screens.isTouched && screens.contacts == 0)
  }

  @Test("a screen that was unplugged is forgotten, at once or after its grace time")
  mutating func forgotten() {
    add(panel, "Panel", 1)
    add(pen, "Door", 1)
    screens.enumerated(at: at(2))
    screens.deviceGone(pen, screen: "Door", at: at(3))
    #expect(screens.gates.keys.sorted() == ["Panel"])
    screens.handle(.began(finger(0, 1), at: at(4)), of: panel, screen: "Panel", at: at(4))
    screens.deviceGone(panel, screen: "Panel", at: at(5))
    #expect(screens.isTouched && screens.contacts == 0)
    #expect(screens.nextDeadline == at(7))
    screens.timePassed(at(7))
    #expect(screens.gates.isEmpty && !screens.isTouched)
  }

  @Test("the nearest deadline of all screens is the next")
  mutating func deadlines() {
    add(panel, "Panel", 1)
    add(pen, "Door", 1)
    screens.enumerated(at: at(2))
    for (device, screen, time) in [(pen, "Door", 3.0), (panel, "Panel", 4.0)] {
      screens.handle(.began(finger(0, 1), at: at(time)), of: device, screen: screen, at: at(time))
      screens.deviceGone(device, screen: screen, at: at(time))
    }
    #expect(screens.nextDeadline == at(5))
    screens.timePassed(at(5))
    #expect(screens.nextDeadline == at(6))
  }
}
