import Foundation
import Testing
import TouchgateAPI
import VirtualTouch

extension VMTests {
  @Suite("Devices")
  struct DeviceTests {
    @Test("a service that is started while a finger is down sees it")
    func startedUnderAFinger() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      screen.down(slot: 3, x: 0.5, y: 0.5)
      let service = try ServiceUnderTest()
      #expect(try service.sees(1))
      let id = try service.submit()
      #expect(always(for: .milliseconds(1500)) { !service.isApplied(id) })
      screen.up(slot: 3)
      #expect(eventually { service.isApplied(id) })
    }

    @Test(
      "a screen unplugged with a finger down has no contacts, and after the grace time updates are applied; plugged in again it counts"
    )
    func unplugged() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest(gate: "MissingScreenGrace=0")
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let id = try service.submit()
      screen.unplug()
      #expect(try service.sees(0))
      let update = try service.update(id)
      #expect(update.state == "waiting")
      #expect(update.blockers.first?.code == "touched")
      #expect(update.blockers.first?.contacts == 0)
      #expect(always(for: .milliseconds(1200)) { !service.isApplied(id) }, "the grace time is two seconds")
      #expect(eventually(within: .seconds(4)) { service.isApplied(id) })

      let again = try VirtualTouchscreen(ScreenDescription("Lobby"))
      try #require(try service.knows(screens: 1))
      again.down(slot: 0, x: 0.1, y: 0.1)
      #expect(try service.sees(1))
      #expect(try service.status().screens.first?.name == "Lobby")
      again.up(slot: 0)
      #expect(try service.sees(0))
    }

    @Test("a screen that is plugged in while the service runs counts, and so does a second one")
    func hotplug() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=1s")
      #expect(try service.status().gate.state == "unknown")
      let lobby = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let till = try VirtualTouchscreen(ScreenDescription("Till", kind: .multitouch(slots: 2)))
      try #require(try service.knows(screens: 2))
      lobby.down(slot: 0, x: 0.5, y: 0.5)
      till.down(slot: 1, x: 0.5, y: 0.5)
      #expect(try service.sees(2))
      let id = try service.submit()
      lobby.up(slot: 0)
      #expect(try service.sees(1))
      #expect(try service.update(id).blockers.first?.screen == "Till")
      till.up(slot: 1)
      #expect(eventually { service.isApplied(id) })
    }

    @Test("without a touchscreen an update is applied after FirstScreenTimeout=")
    func noScreen() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=2s")
      let id = try service.submit()
      #expect(try service.update(id).blockers.first?.code == "unknown")
      #expect(eventually(within: .seconds(5)) { service.isApplied(id) })
    }

    @Test("touchpads and mice never count")
    func touchpad() throws {
      var description = ScreenDescription("Touchpad", kind: .multitouch(slots: 5))
      description.direct = false
      let pad = try VirtualTouchscreen(description)
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0")
      pad.down(slot: 0, x: 0.5, y: 0.5)
      let id = try service.submit()
      #expect(eventually(within: .seconds(3)) { service.isApplied(id) })
      #expect(try service.status().screens.isEmpty)
    }

    @Test("2,000 frames and a lifted finger while the service is stopped: its state is right after SIGCONT")
    func stopped() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      service.signal(SIGSTOP)
      for step in 0..<2000 { screen.move(slot: 0, x: Double(step % 1000) / 1000, y: 0.5) }
      screen.up(slot: 0)
      service.signal(SIGCONT)
      #expect(try service.sees(0))
      let id = try service.submit()
      #expect(eventually { service.isApplied(id) })

      // The reverse: a finger that landed during the drop.
      service.signal(SIGSTOP)
      for _ in 0..<2000 {
        screen.down(slot: 1, x: 0.5, y: 0.5)
        screen.up(slot: 1)
      }
      screen.down(slot: 2, x: 0.5, y: 0.5)
      service.signal(SIGCONT)
      #expect(try service.sees(1))
      let second = try service.submit()
      #expect(always(for: .milliseconds(1200)) { !service.isApplied(second) })
      screen.up(slot: 2)
      #expect(eventually { service.isApplied(second) })
    }

    @Test("without permission for the device the gate is unknown, and status says which device and what to do")
    func noPermission() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest(start: false)
      try #require(chmod(screen.node, 0) == 0)
      // Root may open anything; a service without that right may not.
      try service.start(as: "nobody")
      #expect(try service.becomes { try !service.status().screens.isEmpty })
      let health = try #require(try service.status().screens.first?.devices.first?.health)
      #expect(health.contains(screen.node) && health.contains("Permission denied") && health.contains("group 'input'"))
      let id = try service.submit()
      #expect(try service.update(id).blockers.first?.code == "unknown")
      #expect(try service.update(id).blockers.first?.reason?.contains(screen.node) == true)
      try #require(chmod(screen.node, 0o666) == 0)
      #expect(eventually(within: .seconds(8)) { service.isApplied(id) }, "it is tried again")
    }
  }
}
