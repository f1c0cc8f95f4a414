import Foundation
import Testing
import TouchgateAPI
import TouchgateClient
import VirtualTouch

extension VMTests {
  @Suite("Named and missing screens")
  struct ScreenTests {
    private func service(_ configuration: String) throws -> ServiceUnderTest {
      let service = try ServiceUnderTest(start: false)
      try service.configure("touchgate.conf", configuration)
      return service
    }

    private func state(_ service: ServiceUnderTest, _ screen: String) throws -> String? {
      try service.status().screens.first { $0.name == screen }?.state
    }

    @Test("sections name screens, two devices can form one screen, and an update waits only for its own")
    func named() throws {
      let one = try VirtualTouchscreen(ScreenDescription("Panel A1"))
      let two = try VirtualTouchscreen(ScreenDescription("Panel A2"))
      let other = try VirtualTouchscreen(ScreenDescription("Panel B"))
      try settleUdev()
      let service = try service("[Screen left]\nMatch=name:Panel A*\n[Screen right]\nMatch=name:Panel B\n")
      try service.start()
      try #require(try service.knows(screens: 2))
      let left = try service.status().screens.first { $0.name == "left" }
      #expect(left?.devices.map(\.name).sorted() == ["Panel A1", "Panel A2"])
      two.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let forLeft = try service.connection.submit(SubmitRequest(handler: "note", screen: "left")).id
      let forRight = try service.connection.submit(SubmitRequest(handler: "note", screen: "right")).id
      #expect(eventually { service.isApplied(forRight) })
      let blocker = try #require(try service.update(forLeft).blockers.first)
      #expect(blocker.screen == "left" && blocker.device == "Panel A2" && blocker.contacts == 1)
      two.up(slot: 0)
      #expect(eventually { service.isApplied(forLeft) })
      withExtendedLifetime((one, other)) {}
    }

    @Test("if two sections match a device, their screens are unknown, and status, log and --check-config say why")
    func disputed() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Panel"))
      let service = try service(
        "[Screen a]\nMatch=name:Panel\n[Screen b]\nMatch=name:P*\n[Screen c]\nMatch=name:nobody\n")
      try service.start()
      let words = "[Screen a] and [Screen b]"
      #expect(try service.becomes { try state(service, "a") == "unknown" && state(service, "b") == "unknown" })
      let id = try service.submit()
      #expect(always(for: .seconds(1)) { service.applied == [] })
      #expect(try service.update(id).blockers.contains { $0.reason?.contains(words) == true })
      #expect(try service.status().warnings.contains { $0.contains(words) } && service.log.contains(words))
      let check = try Run(touchgated, ["--check-config", "--config", service.folder])
      #expect(check.status == 0 && check.errors.contains(words), "\(check.errors)")
      #expect(check.errors.contains("touchgate.conf:5: [Screen c] matches no touchscreen"), "\(check.errors)")
      screen.unplug()
      // Both screens stay unknown, so no event tells of it.
      try settleUdev()
      try service.catchUp()
      #expect(try !service.status().warnings.contains { $0.contains(words) })
    }

    @Test("a section without a device is unknown: its updates wait, the others only for the grace time")
    func absent() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Panel"))
      let service = try service("[Gate]\nMissingScreenGrace=2s\n[Screen till]\nMatch=name:Till\n")
      try service.start()
      let forTill = try service.connection.submit(SubmitRequest(handler: "note", screen: "till")).id
      let forAll = try service.submit()
      #expect(try state(service, "till") == "unknown")
      #expect(try service.update(forAll).blockers.contains { $0.code == "unknown" && $0.screen == "till" })
      #expect(eventually(within: .seconds(4)) { service.isApplied(forAll) })
      #expect(try service.status().warnings.contains("screen 'till' is missing"))
      #expect(service.log.contains("screen 'till' is still missing"))
      #expect(always(for: .seconds(1)) { !service.isApplied(forTill) })
      let till = try VirtualTouchscreen(ScreenDescription("Till"))
      #expect(eventually { service.isApplied(forTill) })
      withExtendedLifetime((screen, till)) {}
    }

    @Test("while a required screen is missing nothing is applied, and gate, update and log say so")
    func required() throws {
      let service = try service("[Gate]\nRequireScreens=Lobby\nFirstScreenTimeout=0\nMissingScreenGrace=0\n")
      try service.start()
      let id = try service.submit()
      #expect(always(for: .milliseconds(1500)) { service.applied == [] })
      #expect(try service.status().gate.state == "unknown")
      #expect(try service.status().gate.reason == "screen 'Lobby' is missing")
      #expect(service.log.contains("screen 'Lobby' is missing; nothing is applied until it is connected"))
      let lobby = try VirtualTouchscreen(ScreenDescription("Lobby"))
      #expect(eventually { service.isApplied(id) })
      withExtendedLifetime(lobby) {}
    }

    @Test("a screen that the machine had in two boots is waited for, for the grace time; then it is forgotten")
    func remembered() throws {
      let lobby = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try service("[Gate]\nFirstScreenTimeout=0\nMissingScreenGrace=3s\n")
      for boot in ["one", "two"] {
        try service.start(wrapper: inBoot(boot, service))
        try #require(try service.knows(screens: 1))
        service.kill(SIGTERM)
      }
      lobby.unplug()
      try service.start()
      let id = try service.submit()
      #expect(try service.update(id).blockers.first?.code == "unknown")
      #expect(try service.update(id).blockers.contains { $0.code == "unknown" && $0.screen == "Lobby" })
      #expect(always(for: .seconds(1)) { service.applied == [] })
      #expect(eventually(within: .seconds(4)) { service.isApplied(id) })
      service.kill(SIGTERM)
      try service.start()
      let next = try service.submit()
      #expect(eventually(within: .seconds(2)) { service.isApplied(next) }, "it is forgotten")
    }

    @Test("OnNoScreen=hold: without a screen nothing is applied")
    func hold() throws {
      let service = try service("[Gate]\nFirstScreenTimeout=0\nOnNoScreen=hold\n")
      try service.start()
      let id = try service.submit()
      #expect(always(for: .milliseconds(1500)) { service.applied == [] })
      #expect(try service.update(id).blockers.first?.reason?.contains("OnNoScreen=hold") == true)
      let lobby = try VirtualTouchscreen(ScreenDescription("Lobby"))
      #expect(eventually { service.isApplied(id) })
      withExtendedLifetime(lobby) {}
    }
  }
}
