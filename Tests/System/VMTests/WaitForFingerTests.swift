import Foundation
import Testing
import Timeline
import TouchgateAPI
import TouchgateClient
import VirtualTouch

extension VMTests {
  @Suite("An update waits for a finger")
  struct WaitForFingerTests {
    @Test(
      "(1) an update that arrives during a touch is rechecked each second until nobody touches, and then applied"
    )
    func looksAgain() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby", kind: .multitouch(slots: 10)))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.3, y: 0.4)
      try #require(try service.sees(1))

      let id = try service.submit()
      let first = try service.update(id)
      #expect(first.state == "waiting")
      let blocker = try #require(first.blockers.first)
      #expect(blocker.code == "touched")
      #expect(blocker.screen == "Lobby")
      #expect(blocker.contacts == 1)

      let began = ContinuousClock.now
      #expect(always(for: .seconds(5)) { !service.isApplied(id) })
      let checks = try #require(try service.update(id).checks)
      #expect((4...6).contains(checks), "\(checks) rechecks in \(ContinuousClock.now - began)")

      screen.down(slot: 1, x: 0.6, y: 0.6)
      #expect(try service.sees(2))
      screen.up(slot: 0)
      #expect(try service.sees(1))
      #expect(try service.update(id).state == "waiting")
      #expect(always(for: .milliseconds(1200)) { !service.isApplied(id) })
      screen.up(slot: 1)
      #expect(eventually(within: .seconds(3)) { service.isApplied(id) })
      #expect(try service.end(id)?.state == "applied")
      #expect(service.applied == [id])
    }

    @Test("(4) the end of the last contact applies the update at once")
    func actsOnTheEdge() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      var delays: [Int64] = []
      for _ in 0..<5 {
        screen.down(slot: 0, x: 0.5, y: 0.5)
        try #require(try service.sees(1))
        let id = try service.submit()
        screen.up(slot: 0)
        #expect(try service.end(id)?.state == "applied")
        delays.append(try #require(try service.update(id).result?.releaseToStartMs))
      }
      print("release to start: \(delays) ms")
      // With rechecks only it would be half a second on average.
      #expect(delays.sorted()[2] < 250)
    }

    @Test("with a quiet period of a second the handler starts a second after the last finger, never before")
    func quietPeriod() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest(quiet: "1s")
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let id = try service.submit()
      screen.up(slot: 0)
      try #require(try service.sees(0))
      let settling = try service.update(id)
      #expect(settling.blockers.first?.code == "settling")
      #expect(try service.end(id, within: .seconds(4))?.state == "applied")
      let delay = try #require(try service.update(id).result?.releaseToStartMs)
      #expect(delay >= 1000)
      #expect(delay < 2000, "when the quiet period is over, not at the next recheck")
    }

    @Test("with no finger on the glass an update is applied at once")
    func noFinger() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      let id = try service.submit()
      #expect(eventually(within: .seconds(2)) { service.isApplied(id) })
      #expect(try service.end(id)?.state == "applied")
      let update = try service.update(id)
      #expect(update.attempts == 1)
      #expect(update.result?.exitCode == 0)
      #expect(update.result?.releaseToStartMs == nil)
      withExtendedLifetime(screen) {}
    }

    @Test("taps every 400 ms for 10 s with a quiet period of 1 s: nothing is applied before they end")
    func tapping() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Till"))
      let service = try ServiceUnderTest(quiet: "1s")
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let id = try service.submit()
      for _ in 0..<25 {
        screen.up(slot: 0)
        #expect(always(for: .milliseconds(340)) { !service.isApplied(id) })
        screen.down(slot: 0, x: 0.5, y: 0.5)
        #expect(always(for: .milliseconds(60)) { !service.isApplied(id) })
      }
      screen.up(slot: 0)
      #expect(eventually(within: .seconds(4)) { service.isApplied(id) })
    }

    @Test(
      "(3) one line of code tells whether the screen is touched; status --watch prints touched or not touched each second"
    )
    func watch() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      #expect(try service.connection.isTouched() == false)

      let output = Pipe()
      let process = Process()
      process.executableURL = URL(filePath: touchgate)
      process.arguments = ["status", "--watch", "--socket", "\(service.folder)/socket"]
      process.standardOutput = output
      try process.run()
      var text = ""
      let reading = output.fileHandleForReading
      func lines(_ count: Int) -> [String] {
        while text.split(separator: "\n").count < count {
          let data = reading.availableData
          if data.isEmpty { break }
          text += String(decoding: data, as: UTF8.self)
        }
        return text.split(separator: "\n").map(String.init)
      }
      let began = ContinuousClock.now
      #expect(lines(2).allSatisfy { $0 == "not touched" })
      screen.down(slot: 0, x: 0.2, y: 0.2)
      screen.down(slot: 1, x: 0.4, y: 0.4)
      #expect(try service.connection.isTouched())
      let after = lines(4)
      #expect(after.suffix(2).contains("touched (2 contacts on Lobby)"), "\(after)")
      let passed = ContinuousClock.now - began
      #expect(passed > .seconds(2) && passed < .seconds(6), "a line a second: \(passed)")
      // Children of a Dispatch thread inherit its blocked signals: SIGTERM would not arrive.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }
}
