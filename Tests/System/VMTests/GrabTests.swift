import Foundation
import Testing
import TouchgateAPI
import VirtualTouch

extension VMTests {
  @Suite("Foreign grabs, stuck contacts and device rules")
  struct GrabTests {
    @Test(
      "taps of 60 ms every 400 ms under a foreign grab: with a quiet period of 1 s nothing is applied until they end")
    func tapsUnderAGrab() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest(quiet: "1s")
      try #require(try service.knows(screens: 1))
      let grab = try ForeignGrab(node: screen.node)
      func tap(_ number: Int) {
        screen.down(slot: 0, x: 0.1 + 0.02 * Double(number % 40), y: 0.5)
        hold(for: .milliseconds(60))
        screen.up(slot: 0)
      }
      tap(0)
      tap(1)
      // No event of these taps has reached the service, and no finger is down at this moment.
      let id = try service.submit()
      var early = false
      for number in 2..<20 {
        early = early || !always(for: .milliseconds(340)) { !service.isApplied(id) }
        tap(number)
      }
      #expect(!early && !service.isApplied(id))
      #expect(try service.status().warnings.contains { $0.contains("another process has grabbed") })
      #expect(eventually(within: .seconds(4)) { service.isApplied(id) })
      withExtendedLifetime(grab) {}
    }

    @Test("a contact unchanged for StuckAfter= is ignored until it moves, or with OnStuck=hold blocks as stuck")
    func stuck() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let ignoring = try ServiceUnderTest(gate: "StuckAfter=10s")
      let holding = try ServiceUnderTest(gate: "StuckAfter=10s\nOnStuck=hold")
      try #require(try ignoring.knows(screens: 1) && holding.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try ignoring.sees(1) && holding.sees(1))
      let ignored = try ignoring.submit()
      let held = try holding.submit()
      #expect(always(for: .seconds(8)) { !ignoring.isApplied(ignored) })
      #expect(eventually(within: .seconds(5)) { ignoring.isApplied(ignored) })
      #expect(try ignoring.status().warnings.contains { $0.contains("stuck") })
      try #require(eventually { holding.log.contains("stuck") })
      #expect(try holding.update(held).blockers.first?.code == "stuck")
      #expect(!holding.isApplied(held))

      screen.move(slot: 0, x: 0.6, y: 0.5)
      #expect(try ignoring.sees(1), "it was a finger after all")
      #expect(try holding.update(held).blockers.first?.code == "touched")
      screen.up(slot: 0)
      #expect(eventually { holding.isApplied(held) })
      #expect(try ignoring.sees(0))
    }

    @Test("a drag wakes the service when it begins and ends, not for each frame")
    func drag() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      func wakeUps() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(service.pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
        return Int(line?.split(separator: "\t").last ?? "") ?? -1
      }
      let before = try wakeUps()
      screen.down(slot: 0, x: 0, y: 0.5)
      for step in 1...400 {
        screen.move(slot: 0, x: Double(step) / 400, y: 0.5)
        hold(for: .microseconds(2500))
      }
      screen.up(slot: 0)
      #expect(try service.sees(0))
      let count = try wakeUps() - before
      print("a drag of 400 frames: \(count) wake-ups of the service")
      #expect(count < 40)
    }

    @Test("Ignore= and Use= override udev in which devices count")
    func deviceRules() throws {
      var description = ScreenDescription("Table touchpad", kind: .multitouch(slots: 5))
      description.direct = false
      let pad = try VirtualTouchscreen(description)
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest(gate: "[Devices]\nIgnore=name:Lob*\nUse=name:Table*")
      try #require(try service.knows(screens: 1))
      #expect(try service.status().screens.first?.name == "Table touchpad")
      screen.down(slot: 0, x: 0.5, y: 0.5)
      pad.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try service.sees(1))
      pad.up(slot: 0)
      #expect(try service.sees(0))
    }
  }
}
