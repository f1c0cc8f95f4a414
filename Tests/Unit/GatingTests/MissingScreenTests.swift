import Gating
import Testing
import Timeline
import TouchModel

@Suite("Missing screens")
struct MissingScreenTests {
  private func screens(
    _ onNoScreen: Screens.OnNoScreen = .apply, named: Set<String> = [], required: Set<String> = [],
    remembered: Set<String> = []
  ) -> Screens {
    Screens(
      at: at(0),
      rules: Screens.Rules(
        missingGrace: .seconds(60), onNoScreen: onNoScreen, named: named, required: required), remembered: remembered)
  }

  private func plug(_ screens: inout Screens, _ screen: String, _ time: Double) {
    screens.deviceAdded(panel, name: screen, screen: screen, at: at(time))
    screens.deviceReady(panel, screen: screen, at: at(time))
  }

  @Test("updates wait for a screen that was there before, for its grace time; then it is forgotten")
  func remembered() {
    var screens = screens(remembered: ["Panel"])
    screens.enumerated(at: at(1))
    #expect(screens.absences["Panel"]?.reach == .grace(until: at(60)))
    #expect(screens.isKnown("Panel") && !screens.isKnown("Door"))
    screens.timePassed(at(59.9))
    #expect(screens.absences["Panel"] != nil)
    screens.timePassed(at(60))
    #expect(screens.absences == [:] && !screens.isKnown("Panel"))
    #expect(screens.machine == .clear(since: at(11)))
    #expect(screens.nextDeadline == nil && screens.isWithoutAny)
  }

  @Test("with OnNoScreen=hold updates wait for it without limit, and also for a first screen")
  func hold() {
    var screens = screens(.hold, remembered: ["Panel"])
    screens.enumerated(at: at(1))
    screens.timePassed(at(10_000))
    #expect(screens.absences["Panel"]?.reach == .all)
    #expect(screens.machine == .noScreen(since: at(1)) && !screens.isWithoutAny)
    plug(&screens, "Panel", 10_001)
    #expect(screens.absences == [:])
    #expect(screens.machine == .clear(since: at(10_001)))
  }

  @Test(
    "updates wait for a required screen without limit, also with OnNoScreen=apply, at start and after it is removed")
  func required() {
    var screens = screens(required: ["Panel"])
    screens.enumerated(at: at(1))
    screens.timePassed(at(10_000))
    #expect(screens.absences["Panel"]?.reach == .all)
    plug(&screens, "Panel", 10_001)
    #expect(screens.absences == [:])
    screens.deviceGone(panel, screen: "Panel", at: at(10_002))
    screens.timePassed(at(20_000))
    #expect(screens.absences["Panel"]?.reach == .all)
  }

  @Test("a screen with its own section stays known: after the grace time only its own updates wait")
  func named() {
    var screens = screens(named: ["lobby"])
    screens.enumerated(at: at(1))
    screens.timePassed(at(60))
    #expect(screens.absences["lobby"]?.reach == .own)
    #expect(screens.isKnown("lobby") && screens.nextDeadline == nil)
    plug(&screens, "lobby", 100)
    #expect(screens.absences == [:])
  }

  @Test("a remembered screen that is removed while the machine runs is missing until it is back")
  func gone() {
    var screens = screens()
    screens.remember(["Panel"])
    plug(&screens, "Panel", 1)
    screens.enumerated(at: at(2))
    screens.deviceGone(panel, screen: "Panel", at: at(100))
    #expect(screens.absences["Panel"]?.reach == .grace(until: at(160)))
    plug(&screens, "Panel", 130)
    #expect(screens.absences == [:] && screens.gates["Panel"]?.state == .clear(since: at(130)))
  }

  @Test("a screen that is removed under a finger first has its grace time of two seconds")
  func goneTouched() {
    var screens = screens(remembered: ["Panel"])
    plug(&screens, "Panel", 1)
    screens.enumerated(at: at(2))
    screens.handle(.began(Contact(slot: 0, id: 1), at: at(3)), of: panel, screen: "Panel", at: at(3))
    screens.deviceGone(panel, screen: "Panel", at: at(4))
    #expect(screens.isTouched && screens.absences == [:])
    screens.timePassed(at(6))
    #expect(!screens.isTouched && screens.absences["Panel"]?.reach == .grace(until: at(66)))
  }

  @Test("a screen that is not remembered is not missing when it is removed; with OnNoScreen=hold nothing is applied")
  func unknown() {
    var screens = screens()
    screens.enumerated(at: at(1))
    plug(&screens, "Panel", 2)
    screens.deviceGone(panel, screen: "Panel", at: at(7))
    #expect(screens.absences == [:] && screens.gates.isEmpty && screens.machine == .clear(since: at(2)))

    var holding = self.screens(.hold)
    holding.enumerated(at: at(1))
    plug(&holding, "Panel", 2)
    holding.deviceGone(panel, screen: "Panel", at: at(7))
    #expect(holding.absences == [:] && holding.machine == .noScreen(since: at(7)))
    plug(&holding, "Panel", 8)
    #expect(holding.machine == .clear(since: at(8)))
  }

  @Test("a forgotten screen is no longer missing, unless the rules name it")
  func forgotten() {
    var screens = screens(.hold, named: ["lobby"], remembered: ["Panel", "lobby"])
    screens.enumerated(at: at(1))
    screens.forget("Panel")
    screens.forget("lobby")
    #expect(Set(screens.absences.keys) == ["lobby"])
    plug(&screens, "Panel", 2)
    screens.deviceGone(panel, screen: "Panel", at: at(3))
    #expect(Set(screens.absences.keys) == ["lobby"])
    #expect(screens.isNamed("lobby") && !screens.isNamed("Panel"))
  }

  @Test("without a grace time a screen that is gone is not missing at any moment")
  func noGrace() {
    var screens = Screens(at: at(0), rules: Screens.Rules(missingGrace: .zero), remembered: ["Panel"])
    screens.enumerated(at: at(1))
    #expect(screens.absences == [:])
    plug(&screens, "Panel", 2)
    screens.deviceGone(panel, screen: "Panel", at: at(3))
    #expect(screens.absences == [:] && screens.nextDeadline == nil)
  }
}
