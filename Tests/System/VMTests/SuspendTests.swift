import Foundation
import Testing
import TouchModel
import TouchgateAPI
import VirtualTouch

extension SimulatedTimeTests {
  @Suite("Suspend with fingers down")
  struct SuspendTests {
    @Test(
      "after a real suspend the fingers are gone within two seconds, and reads of the slot table do not bring them back"
    )
    func suspended() throws {
      let bench = try TwoScreens()
      bench.lobby.frame { for slot in 0..<2 { bench.lobby.down(slot: slot, x: 0.5, y: 0.5) } }
      #expect(try bench.lobbyHas(contacts: 2, within: .milliseconds(10)))
      try suspend()
      #expect(try bench.lobby.kernelIDs().count { $0 != -1 } == 2, "their ids stay in the kernel's table")
      #expect(try bench.lobbyHas(contacts: 0, within: .milliseconds(100)))
      // The till's finger does stay, so the update still waits, and the slot table is read each second.
      moveOn(bench.till, slot: 0)
      #expect(try bench.service.becomes(within: .milliseconds(2100)) { try bench.blockedScreens == ["Till"] })
      let rechecks = try bench.rechecks
      #expect(try bench.service.stays(for: .seconds(10)) { try bench.blockedScreens == ["Till"] })
      #expect(try bench.rechecks - rechecks >= 9)
      #expect(!bench.isApplied)
      bench.till.up(slot: 0)
      #expect(eventually(within: .milliseconds(100)) { bench.isApplied })
    }

    @Test("if nobody touches after a suspend, an update is applied when the grace time is over, not before")
    func nobodyStays() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let id = try service.submit()
      try suspend()
      #expect(always(for: .milliseconds(1900)) { !service.isApplied(id) })
      #expect(eventually(within: .milliseconds(200)) { service.isApplied(id) })
      #expect(try service.status().touched == false)
    }

    @Test("a finger that stays through a suspend counts again as soon as it moves, until it lifts")
    func staysThrough() throws {
      let bench = try TwoScreens()
      bench.lobby.down(slot: 3, x: 0.5, y: 0.5)
      #expect(try bench.lobbyHas(contacts: 1, within: .milliseconds(10)))
      try suspend()
      #expect(try bench.lobbyHas(contacts: 0, within: .milliseconds(100)))
      moveOn(bench.lobby, slot: 3)
      #expect(try bench.lobbyHas(contacts: 1, within: .milliseconds(10)))
      #expect(try bench.service.stays(for: .seconds(10)) { try bench.lobbyContacts == 1 && !bench.isApplied })
      bench.lobby.up(slot: 3)
      #expect(eventually(within: .milliseconds(2100)) { bench.isApplied })
    }

    /// The next frame of a finger that stayed. Drivers send BTN_TOUCH in each; the kernel has released it, so it passes.
    private func moveOn(_ screen: VirtualTouchscreen, slot: Int) {
      screen.frame {
        screen.move(slot: slot, x: 0.6, y: 0.5)
        screen.send([(EventType.key, EventCode.buttonTouch, 1)])
      }
    }

    /// For an hour of wall time; the RTC alarm wakes the machine.
    private func suspend() throws {
      let before = Date()
      for alarm in ["0", "+3600"] {  // An alarm that has fired stays set.
        try alarm.write(toFile: "/sys/class/rtc/rtc0/wakealarm", atomically: false, encoding: .utf8)
      }
      try "freeze".write(toFile: "/sys/power/state", atomically: false, encoding: .utf8)
      try #require(Date().timeIntervalSince(before) > 3000, "it did not sleep")
    }
  }
}

extension TwoScreens {
  /// The screens that the update waits for.
  fileprivate var blockedScreens: [String] { get throws { try blockers.compactMap(\.screen).sorted() } }
}
