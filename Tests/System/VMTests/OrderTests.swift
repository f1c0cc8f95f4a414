import Foundation
import Testing
import TouchgateAPI
import TouchgateClient
import VirtualTouch

extension VMTests {
  @Suite("What the queue does with what waits")
  struct OrderTests {
    private func submit(_ service: ServiceOnTrial, _ request: SubmitRequest) throws -> String {
      try service.connection.submit(request).id
    }

    @Test("a handler that needs a long quiet does not delay one that needs none, and says what it waits for")
    func quietPeriods() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceOnTrial(start: false)
      try service.handler(
        "reboot", exec: #"/bin/sh -c "echo $TOUCHGATE_UPDATE_ID >> \#(service.folder)/applied""#, more: "QuietPeriod=3s"
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

    @Test("the newest of a key takes the place of the one that waits, which ends as superseded; priority goes first")
    func keys() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceOnTrial()
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
      #expect(try eventually { try service.status().updates["applied"] == 3 })
      #expect(service.applied == [urgent, new, other], "the new one keeps the old one's place, also over a restart")
    }

    @Test("a handler that fails is tried again after a pause, as often as Attempts= says; 75 is no failure")
    func attempts() throws {
      let service = try ServiceOnTrial(gate: "FirstScreenTimeout=0", start: false)
      let tries = "\(service.folder)/tries"
      try service.handler(
        "third", exec: #"/bin/sh -c "echo x >> \#(tries); test $(wc -l < \#(tries)) -ge 3""#,
        more: "Attempts=3\nBackoff=200ms")
      try service.handler(
        "later", exec: #"/bin/sh -c "test -e \#(service.folder)/go || exit 75""#, more: "Backoff=200ms")
      try service.handler("never", exec: "/bin/false", more: "Attempts=2\nBackoff=200ms")
      try service.start()
      let third = try service.submit("third")
      #expect(try eventually { try service.update(third).state == "applied" })
      #expect(try service.update(third).attempts == 3)
      let never = try service.submit("never")
      #expect(try eventually { try service.update(never).state == "failed" })
      #expect(try service.update(never).attempts == 2)
      let later = try service.submit("later")
      #expect(try eventually { try service.update(later).blockers.first?.code == "backoff" })
      #expect(FileManager.default.createFile(atPath: "\(service.folder)/go", contents: nil))
      #expect(try eventually { try service.update(later).state == "applied" })
      #expect(try service.update(later).attempts == 1)
    }

    @Test("notBefore holds back, a deadline ends what still waits, apply hurries, and a full queue refuses")
    func times() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceOnTrial(quiet: "1h", gate: "[Queue]\nMaxWaiting=3")
      try #require(try service.knows(screens: 1))
      let early = try submit(service, SubmitRequest(handler: "note", quietPeriod: "0", notBefore: "2s"))
      #expect(try service.update(early).blockers.map(\.code) == ["notBefore"])
      let expiring = try submit(service, SubmitRequest(handler: "note", deadline: "1s"))
      let pressing = try submit(service, SubmitRequest(handler: "note", deadline: "1s", onDeadline: "apply"))
      let refused = #expect(throws: ClientError.self) { try service.submit() }
      guard case .refused(status: 429, let problem) = refused else { return #expect(Bool(false), "\(refused as Any)") }
      #expect(problem.code == "queueFull")
      #expect(try eventually { try service.update(expiring).state == "expired" })
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
