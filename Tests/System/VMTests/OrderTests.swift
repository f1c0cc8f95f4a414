import Foundation
import Testing
import TouchgateAPI
import TouchgateClient
import VirtualTouch

extension VMTests {
  @Suite("Order of the queue")
  struct OrderTests {
    private func submit(_ service: ServiceUnderTest, _ request: SubmitRequest) throws -> String {
      try service.connection.submit(request).id
    }

    @Test("an update with a long quiet period does not delay one with none, and its blocker says what it waits for")
    func quietPeriods() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest(start: false)
      try service.handler(
        "reboot",
        exec: #"/bin/sh -c "echo ${TOUCHGATE_CLIENT_ID:-$TOUCHGATE_UPDATE_ID} >> \#(service.folder)/applied""#,
        more: "QuietPeriod=3s"
      )
      try service.start()
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let reboot = try service.submit("reboot")
      let reload = try service.submit("note")
      screen.up(slot: 0)
      #expect(eventually(within: .seconds(2)) { service.isApplied(reload) })
      #expect(try service.update(reboot).blockers.map(\.code) == ["settling"])
      #expect(eventually(within: .seconds(5)) { service.isApplied(reboot) })
      #expect(service.applied == [reload, reboot])
      #expect(try #require(try service.update(reboot).result?.releaseToStartMs) >= 3000)
    }

    @Test("a newer update with the same key replaces the waiting one, which is superseded; higher priority goes first")
    func keys() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let old = try submit(service, SubmitRequest(handler: "note", key: "menu"))
      let other = try submit(service, SubmitRequest(handler: "note"))
      let new = try submit(service, SubmitRequest(handler: "note", key: "menu"))
      let urgent = try submit(service, SubmitRequest(handler: "note", priority: 10))
      let cancelled = try submit(service, SubmitRequest(handler: "note"))
      #expect(try service.update(old).state == "superseded")
      #expect(try service.update(old).result?.successor == new)
      let socket = ["--socket", "\(service.folder)/socket"]
      #expect(try Run(touchgate, ["cancel", cancelled] + socket).status == 0)
      #expect(try service.update(cancelled).state == "cancelled")
      #expect(try Run(touchgate, ["cancel", cancelled] + socket).status == 65)
      service.kill(SIGKILL)
      try service.start()
      screen.up(slot: 0)
      for id in [urgent, new, other] { #expect(try service.end(id)?.state == "applied") }
      #expect(try service.status().updates["applied"] == 3)
      #expect(service.applied == [urgent, new, other], "the new one keeps the old one's place, also across a restart")
    }

    @Test("a failed handler is tried again after a backoff, up to Attempts= times; exit status 75 is no failure")
    func attempts() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0", start: false)
      let tries = "\(service.folder)/tries"
      try service.handler(
        "third", exec: #"/bin/sh -c "echo x >> \#(tries); test $(wc -l < \#(tries)) -ge 3""#,
        more: "Attempts=3\nBackoff=200ms")
      try service.handler(
        "later",
        exec: #"/bin/sh -c "echo $$ > \#(service.folder)/later; test -e \#(service.folder)/go || exit 75""#,
        more: "Backoff=1s")
      try service.handler("never", exec: "/bin/false", more: "Attempts=2\nBackoff=200ms")
      try service.start()
      let third = try service.submit("third")
      #expect(try service.end(third)?.state == "applied")
      #expect(try service.update(third).attempts == 3)
      let never = try service.submit("never")
      #expect(try service.end(never)?.state == "failed")
      #expect(try service.update(never).attempts == 2)
      let later = try service.submit("later")
      // Backoff begins without an event: when the handler's process is reaped.
      let isReaped = eventually {
        let process = contents("\(service.folder)/later").trimmingCharacters(in: .newlines)
        return !process.isEmpty && !FileManager.default.fileExists(atPath: "/proc/\(process)")
      }
      try #require(isReaped)
      #expect(try service.update(later).blockers.first?.code == "backoff")
      #expect(FileManager.default.createFile(atPath: "\(service.folder)/go", contents: nil))
      #expect(try service.end(later)?.state == "applied")
      #expect(try service.update(later).attempts == 1)
    }

    @Test("notBefore delays, a deadline ends what still waits, apply expedites, and a full queue refuses")
    func times() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest(quiet: "1h", gate: "[Queue]\nMaxWaiting=3")
      try #require(try service.knows(screens: 1))
      let early = try submit(service, SubmitRequest(handler: "note", quietPeriod: "0", notBefore: "2s"))
      #expect(try service.update(early).blockers.map(\.code) == ["notBefore"])
      let expiring = try submit(service, SubmitRequest(handler: "note", deadline: "1s"))
      let pressing = try submit(service, SubmitRequest(handler: "note", deadline: "1s", onDeadline: "apply"))
      let refused = #expect(throws: ClientError.self) { try service.submit() }
      guard case .refused(status: 429, let problem) = refused else { return #expect(Bool(false), "\(refused as Any)") }
      #expect(problem.code == "queueFull")
      #expect(try service.end(expiring)?.state == "expired")
      #expect(eventually { service.isApplied(pressing) })
      #expect(!service.isApplied(early))
      #expect(eventually { service.isApplied(early) })
      let hurried = try service.submit()
      #expect(try service.update(hurried).blockers.map(\.code) == ["settling"])
      #expect(try Run(touchgate, ["apply", hurried, "--socket", "\(service.folder)/socket"]).status == 0)
      #expect(eventually { service.isApplied(hurried) })
      #expect(service.applied == [pressing, early, hurried])
      withExtendedLifetime(screen) {}
    }
  }
}
