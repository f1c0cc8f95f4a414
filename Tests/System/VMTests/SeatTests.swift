import Foundation
import Testing
import TouchgateAPI
import VirtualTouch

extension VMTests {
  @Suite("Devices of other seats", .serialized)
  struct SeatTests {
    private let rules = "/run/udev/rules.d/72-touchgate-test.rules"

    /// As `loginctl attach seat1` would leave it, for devices of this name.
    private func giveToSeat1(_ name: String) throws {
      try FileManager.default.createDirectory(atPath: "/run/udev/rules.d", withIntermediateDirectories: true)
      try "SUBSYSTEM==\"input\", ATTRS{name}==\"\(name)\", ENV{ID_SEAT}=\"seat1\"\n".write(
        toFile: rules, atomically: true, encoding: .utf8)
      _ = try Run("/usr/bin/udevadm", ["control", "--reload"])
    }

    private func takeBack() throws {
      try FileManager.default.removeItem(atPath: rules)
      _ = try Run("/usr/bin/udevadm", ["control", "--reload"])
    }

    @Test("a touchscreen of another seat does not count, and the log says so; Use=seat: lets it count")
    func foreignSeat() throws {
      try giveToSeat1("Till")
      defer { try? takeBack() }
      let till = try VirtualTouchscreen(ScreenDescription("Till"))
      let lobby = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceOnTrial()
      let both = try ServiceOnTrial(gate: "[Devices]\nUse=seat:seat1")
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

    @Test("a touchscreen that is given to another seat while it is touched counts no more")
    func givenAway() throws {
      let till = try VirtualTouchscreen(ScreenDescription("Till"))
      let service = try ServiceOnTrial(gate: "MissingScreenGrace=0")
      try #require(try service.knows(screens: 1))
      till.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      try giveToSeat1("Till")
      defer { try? takeBack() }
      _ = try Run("/usr/bin/udevadm", ["trigger", "--action=change", "--subsystem-match=input"])
      #expect(try service.sees(0))
      #expect(try eventually { try service.status().screens.isEmpty }, "after the grace time")
    }
  }
}
