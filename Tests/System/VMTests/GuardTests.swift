import Foundation
import Racing
import Recordings
import Testing
import Timeline
import TouchModel
import TouchgateAPI
import TouchgateClient
import VirtualTouch

extension VMTests {
  @Suite("Guard=grab")
  struct GuardTests {
    /// A service whose handler `slow` reports its start and runs for `seconds`.
    private func service(running seconds: Double, gate: String = "") throws -> ServiceUnderTest {
      let service = try ServiceUnderTest(gate: gate, start: false)
      let script = "echo $TOUCHGATE_UPDATE_ID >> \(service.folder)/applied; sleep \(seconds)"
      try service.handler("slow", exec: #"/bin/sh -c "\#(script)""#, more: "Guard=grab")
      try service.start()
      return service
    }

    /// Tries to grab the device, and releases it. Do not use it while the service may want the grab.
    private func isGrabbed(_ screen: VirtualTouchscreen) -> Bool { (try? ForeignGrab(node: screen.node)) == nil }

    @Test("kill -9 during a guarded apply ends the grab at once")
    func killed() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try service(running: 4, gate: "GuardMax=1m")
      try #require(try service.knows(screens: 1))
      let id = try service.submit("slow")
      try #require(eventually { service.isApplied(id) })
      #expect(always(for: .milliseconds(300)) { isGrabbed(screen) })
      service.signal(SIGKILL)
      let killed = ContinuousClock.now
      #expect(eventually(within: .seconds(2)) { !isGrabbed(screen) }, "while its handler still runs")
      print("kill -9 to no grab: \(ContinuousClock.now - killed)")
    }

    @Test("while another process holds the grab, updates still wait for the finger, and status reports the device")
    func busy() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try service(running: 0)
      try #require(try service.knows(screens: 1))
      let grab = try ForeignGrab(node: screen.node)
      screen.down(slot: 0, x: 0.5, y: 0.5)
      let id = try service.submit("slow")
      #expect(always(for: .seconds(3)) { !service.isApplied(id) })
      #expect(try service.update(id).blockers.first?.code == "touched")
      screen.up(slot: 0)
      #expect(eventually { service.isApplied(id) })
      #expect(try service.end(id)?.state == "applied")
      #expect(try service.guardCounters()["busy"] ?? 0 > 0)
      let warnings = try service.status().warnings
      #expect(warnings.contains { $0.contains(screen.node) && $0.contains("grab") }, "\(warnings)")
      withExtendedLifetime(grab) {}
    }

    @Test(
      "a tap during a guarded apply is seen by no program, the next one by all, also if the tap outlasts the handler")
    func swallowed() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try service(running: 0.6)
      let reader = try EventWatcher(node: screen.node)
      try #require(try service.knows(screens: 1))
      let id = try service.submit("slow")
      try #require(eventually { service.isApplied(id) })
      screen.down(slot: 0, x: 0.5, y: 0.5)
      screen.up(slot: 0)
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.end(id)?.state == "applied")
      #expect(always(for: .milliseconds(500)) { reader.read(within: 0) == [] }, "it waits for the finger")
      screen.up(slot: 0)
      try #require(eventually { !isGrabbed(screen) })
      #expect(reader.read(within: 0) == [])
      screen.down(slot: 0, x: 0.5, y: 0.5)
      screen.up(slot: 0)
      let seen = Account(reader.read(within: 1000) ?? [])
      #expect(seen.contacts.count == 1 && seen.halves == 0)
      let counters = try service.guardCounters()
      #expect(counters["grabs"] == 1 && counters["releasedOver"] == 0)
      #expect(counters["swallowed"] == 2)
    }

    @Test(
      "the guard is released 2 s after the handler despite a finger, and counted; others see only that finger's end")
    func releasedOver() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try service(running: 0.5)
      let reader = try EventWatcher(node: screen.node)
      let peer = try LibinputPeer(folder: service.folder)
      let device = String(screen.node.split(separator: "/").last ?? "")
      try #require(eventually { peer.text.contains("\(device) ") })
      try #require(try service.knows(screens: 1))
      let id = try service.submit("slow")
      try #require(eventually { service.isApplied(id) })
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.end(id)?.state == "applied")
      #expect(always(for: .milliseconds(1700)) { isGrabbed(screen) }, "two seconds, unless the finger lifts")
      #expect(eventually(within: .seconds(3)) { !isGrabbed(screen) })
      #expect(try service.guardCounters()["releasedOver"] == 1)
      screen.up(slot: 0)
      let seen = Account(reader.read(within: 1000) ?? [])
      #expect(seen.contacts == [] && seen.endsWithoutBegin.count == 1 && seen.pressesWithoutRelease == [])
      screen.down(slot: 0, x: 0.5, y: 0.5)
      screen.up(slot: 0)
      #expect(eventually { LibinputLog(peer.text, device: device).ups == 1 })
      let log = LibinputLog(peer.text, device: device)
      #expect(log.downs == 1 && log.left == 0 && log.contradictions == 0)
    }

    @Test("a handler that exceeds GuardMax= goes on without the guard, and others see touches again")
    func guardMax() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try service(running: 4, gate: "GuardMax=500ms")
      try #require(try service.knows(screens: 1))
      let id = try service.submit("slow")
      try #require(eventually { service.isApplied(id) })
      #expect(isGrabbed(screen))
      #expect(eventually(within: .seconds(2)) { !isGrabbed(screen) })
      #expect(try service.update(id).state == "applying")
      let reader = try EventWatcher(node: screen.node)
      screen.down(slot: 0, x: 0.5, y: 0.5)
      screen.up(slot: 0)
      #expect(Account(reader.read(within: 1000) ?? []).contacts.count == 1)
      #expect(try service.update(id).state == "applying")
    }

    @Test("a key pressed before the guard is released before it; a key pressed during it is not seen")
    func keys() throws {
      let power: UInt16 = 116
      var device = ScreenDescription("Lobby").device
      device.keys.insert(power)
      let screen = try VirtualTouchscreen(device)
      func key(_ value: Int32) { screen.send([(1, power, value), (0, 0, 0)]) }
      let service = try service(running: 0.6)
      let reader = try EventWatcher(node: screen.node)
      var seen: [Sighting] = []
      try #require(try service.knows(screens: 1))

      key(1)
      seen += reader.read(within: 1000) ?? []
      let first = try service.submit("slow")
      // Whether it waits for the key or goes on without the guard: the release must reach who saw the press.
      _ = eventually(within: .seconds(2)) { service.isApplied(first) }
      key(0)
      try #require(try service.end(first)?.state == "applied")
      try #require(eventually { !isGrabbed(screen) })
      seen += reader.read(within: 1000) ?? []
      #expect(Account(seen).pressesWithoutRelease == [], "a key stays pressed for others")
      #expect(Account(seen).halves == 0)

      let second = try service.submit("slow")
      try #require(eventually { service.isApplied(second) })
      key(1)
      try #require(try service.end(second)?.state == "applied")
      #expect(always(for: .milliseconds(500)) { reader.read(within: 0) == [] }, "it waits for the key")
      key(0)
      try #require(eventually { !isGrabbed(screen) })
      #expect(reader.read(within: 0) == [])
      key(1)
      key(0)
      #expect(Account(reader.read(within: 1000) ?? []).halves == 0)
    }

    @Test("with two named screens a finger on A does not delay an update for B, and A is not grabbed")
    func screens() throws {
      let a = try VirtualTouchscreen(ScreenDescription("Panel left"))
      let b = try VirtualTouchscreen(ScreenDescription("Panel right"))
      let names = "[Screen A]\nMatch=name:Panel left\n[Screen B]\nMatch=name:Panel right\n"
      let service = try service(running: 1, gate: names)
      try #require(try service.knows(screens: 2))
      let reader = try EventWatcher(node: a.node)
      a.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let forA = try service.connection.submit(SubmitRequest(handler: "slow", screen: "A")).id
      let forB = try service.connection.submit(SubmitRequest(handler: "slow", screen: "B")).id
      #expect(eventually(within: .seconds(2)) { service.isApplied(forB) })
      #expect(isGrabbed(b) && !isGrabbed(a))
      #expect(try service.update(forA).blockers.contains { $0.code == "touched" && $0.screen == "A" })
      #expect(!service.isApplied(forA))
      a.up(slot: 0)
      #expect(eventually { service.isApplied(forA) })
      #expect(Account(reader.read(within: 1000) ?? []).halves == 0)
    }

    @Test("a screen is unplugged and plugged in again within the grace time under a resting finger: nothing is applied")
    func reconnected() throws {
      let screen = ScreenDescription("Lobby")
      let service = try service(running: 0)
      for _ in 0..<3 {
        let pauses = (away: UInt32.random(in: 0...1_500_000), silent: UInt32.random(in: 0...1_500_000))
        let before = try VirtualTouchscreen(screen)
        try #require(try service.knows(screens: 1))
        before.down(slot: 0, x: 0.5, y: 0.5)
        try #require(try service.sees(1))
        let id = try service.submit("slow")
        before.unplug()
        #expect(always(for: .microseconds(Int(pauses.away))) { !service.isApplied(id) }, "\(pauses)")
        // The panel reports a resting finger only after a while.
        let after = try VirtualTouchscreen(screen)
        #expect(always(for: .microseconds(Int(pauses.silent))) { !service.isApplied(id) }, "\(pauses)")
        after.down(slot: 0, x: 0.5, y: 0.5)
        #expect(always(for: .milliseconds(2500)) { !service.isApplied(id) }, "\(pauses)")
        after.up(slot: 0)
        #expect(eventually { service.isApplied(id) })
        #expect(try service.end(id)?.state == "applied")
      }
    }

    @Test(
      "no guard is taken during something that does not block but others saw begin, such as hovering: they see its end")
    func hovering() throws {
      var description = ScreenDescription("Lobby")
      description.distance = true
      let screen = try VirtualTouchscreen(description)
      let service = try service(running: 0.6)
      let reader = try EventWatcher(node: screen.node)
      try #require(try service.knows(screens: 1))
      screen.frame {
        screen.down(slot: 0, x: 0.5, y: 0.5)
        screen.send([(EventType.abs, EventCode.distance, 1)])
      }
      let id = try service.submit("slow")
      try #require(eventually { service.isApplied(id) })
      screen.up(slot: 0)
      try #require(try service.end(id)?.state == "applied")
      try #require(eventually { !isGrabbed(screen) })
      let seen = Account(reader.read(within: 1000) ?? [])
      #expect(seen.contacts.count == 1 && seen.halves == 0)
    }

    @Test("while one screen stays grabbed for a finger, an update for the other has its own guard")
    func heldOver() throws {
      let lobby = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let till = try VirtualTouchscreen(ScreenDescription("Till"))
      let service = try service(running: 0.5)
      try #require(try service.knows(screens: 2))
      let forLobby = try service.connection.submit(SubmitRequest(handler: "slow", screen: "Lobby")).id
      try #require(eventually { service.isApplied(forLobby) })
      lobby.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.end(forLobby)?.state == "applied")
      let forTill = try service.connection.submit(SubmitRequest(handler: "slow", screen: "Till")).id
      try #require(eventually { service.isApplied(forTill) })
      #expect(isGrabbed(till) && isGrabbed(lobby))
      lobby.up(slot: 0)
      #expect(eventually(within: .seconds(1)) { !isGrabbed(lobby) })
      #expect(try service.end(forTill)?.state == "applied")
      #expect(eventually(within: .seconds(1)) { !isGrabbed(till) })
    }
  }
}
