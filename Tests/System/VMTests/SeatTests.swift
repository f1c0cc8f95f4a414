import Foundation
import Testing
import TouchgateAPI
import VirtualTouch

extension VMTests {
  @Suite("Devices of other seats", .serialized)
  struct SeatTests {
    /// What `loginctl attach seat1` does, for devices with this name.
    private func giveToSeat1(_ name: String) throws -> UdevRules {
      let rules = try UdevRules()
      try rules.set("SUBSYSTEM==\"input\", ATTRS{name}==\"\(name)\", ENV{ID_SEAT}=\"seat1\"")
      return rules
    }

    @Test("a touchscreen of another seat does not count, and the log says so; Use=seat: lets it count")
    func foreignSeat() throws {
      let rules = try giveToSeat1("Till")
      defer { withExtendedLifetime(rules) {} }
      let till = try VirtualTouchscreen(ScreenDescription("Till"))
      let lobby = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      let both = try ServiceUnderTest(gate: "[Devices]\nUse=seat:seat1")
      try #require(try service.knows(screens: 1) && both.knows(screens: 2))
      #expect(service.log.contains("\(till.node) (Till) belongs to seat1"))
      till.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try both.sees(1))
      let id = try service.submit()
      #expect(eventually { service.isApplied(id) })
      lobby.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try both.sees(2))
      #expect(try service.sees(1))
    }

    @Test("a touchscreen moved to another seat while it is touched no longer counts")
    func givenAway() throws {
      let till = try VirtualTouchscreen(ScreenDescription("Till"))
      let service = try ServiceUnderTest(gate: "MissingScreenGrace=0")
      try #require(try service.knows(screens: 1))
      till.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let rules = try giveToSeat1("Till")
      defer { withExtendedLifetime(rules) {} }
      _ = try Run("/usr/bin/udevadm", ["trigger", "--action=change", "--subsystem-match=input"])
      #expect(try service.sees(0))
      #expect(try service.becomes { try service.status().screens.isEmpty }, "after the grace time")
    }
  }
}
