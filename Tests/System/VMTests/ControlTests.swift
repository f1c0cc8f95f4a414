import Foundation
import Testing
import TouchgateAPI
import TouchgateClient
import VirtualTouch

extension VMTests {
  @Suite("Force, pause, retry and screens")
  struct ControlTests {
    private func command(_ service: ServiceUnderTest, _ arguments: [String], as user: String? = nil) throws -> Run {
      let all = arguments + ["--socket", "\(service.folder)/socket"]
      guard let user else { return try Run(touchgate, all) }
      return try Run("/usr/bin/setpriv", ["--reuid=\(user)", "--clear-groups", touchgate] + all)
    }

    /// Lets everybody open the service's socket.
    private func open(_ service: ServiceUnderTest) { chmod("\(service.folder)/socket", 0o666) }

    @Test("force applies during a touch, and the history records what it overrode; without the right it is refused")
    func force() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest(start: false)
      try service.configure("touchgate.conf", "[Gate]\nQuietPeriod=5s\n[Rights]\nForce=daemon\n")
      try service.start()
      open(service)
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let id = try service.submit()
      let refused = try command(service, ["force", id], as: "nobody")
      #expect(refused.status == 77 && refused.errors.contains("Force="), "\(refused.errors)")
      let atDeadline = ["submit", "note", "--deadline", "1s", "--on-deadline", "force"]
      #expect(try command(service, atDeadline, as: "nobody").status == 77)
      #expect(service.applied == [] && service.log.contains("forced") == false)
      #expect(try command(service, ["force", id], as: "daemon").status == 0)
      #expect(eventually { service.isApplied(id) })
      #expect(try service.end(id)?.state == "applied")
      #expect(try service.update(id).overrode == ["touched"])
      #expect(try command(service, ["show", id]).output.contains("over touched"))
      let timed = try command(service, atDeadline, as: "daemon").output.trimmingCharacters(in: .newlines)
      #expect(eventually(within: .seconds(4)) { service.isApplied(timed) })
      #expect(try service.status().touched)
    }

    @Test("while paused nothing is applied, also after kill -9, and status says who and why; resume applies at once")
    func pause() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0")
      open(service)
      #expect(try command(service, ["pause"], as: "nobody").status == 77)
      #expect(try command(service, ["resume"]).status == 65, "nothing is paused")
      #expect(try command(service, ["pause", "--why", "inventory"]).status == 0)
      let id = try service.submit()
      service.kill(SIGTERM)
      try service.start()
      #expect(try service.update(id).blockedMs?["paused"] != nil, "it adds up across a restart")
      service.kill(SIGKILL)
      try service.start()
      #expect(always(for: .seconds(1)) { service.applied == [] })
      #expect(try service.update(id).blockers.map(\.code).contains("paused"))
      #expect(try command(service, ["status"]).output.contains("inventory"))
      #expect(try command(service, ["resume"]).status == 0)
      #expect(eventually(within: .seconds(2)) { service.isApplied(id) })
      #expect(try service.end(id)?.state == "applied")
      #expect(try #require(try service.update(id).blockedMs?["paused"]) >= 1000)
    }

    @Test(
      "a restart of the service ends neither hold nor turn while their command runs; its owner's death does, at once")
    func commandsOverRestart() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0")
      func start(_ words: String...) throws -> ChildProcess {
        try ChildProcess(
          touchgate, words + ["--socket", "\(service.folder)/socket", "--", "/bin/sleep", "1000"],
          errors: "\(service.folder)/\(words[0]).errors")
      }
      let turn = try start("run", "--why", "flashing")
      try #require(eventually { try service.connection.turns().contains { $0.startedAt != nil } })
      let hold = try start("hold", "--why", "payment")
      try #require(eventually { try service.connection.holds().holds.count == 1 })
      func ids() throws -> Set<String> { Set(try service.connection.holds().holds.map(\.id)) }
      let before = try ids().union(try service.connection.turns().map(\.id))
      // A client that does not come back, because it is stopped: it is waited for, and an update with it.
      kill(turn.pid, SIGSTOP)
      service.kill(SIGTERM)
      try service.start()
      let id = try service.submit()
      #expect(try ids() == before)
      #expect(try service.update(id).blockers.map(\.code) == ["hold", "hold"])
      try #require(eventually { try service.connection.holds().holds.contains { $0.until == nil } }, "taken again")
      #expect(try ids() == before && service.applied == [])
      service.kill(SIGKILL)
      try service.start()
      #expect(try ids() == before && service.applied == [])
      kill(turn.pid, SIGKILL)
      #expect(try eventually(within: .seconds(5)) { try ids().count == 1 })
      service.kill(SIGTERM)
      kill(hold.pid, SIGKILL)
      _ = hold.waitUntilExit()
      try service.start()
      #expect(eventually(within: .seconds(5)) { service.isApplied(id) }, "nobody holds it any more")
      #expect(try ids() == [])
      _ = try Run("/usr/bin/pkill", ["-f", "sleep 1000"])
    }

    @Test("retry takes a failed update; not one that was applied, nor one replaced by a newer update with its key")
    func retry() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0", start: false)
      try service.handler("flaky", exec: #"/bin/sh -c "test -e \#(service.folder)/mended""#)
      try service.start()
      let id = try service.connection.submit(SubmitRequest(handler: "flaky", key: "menu")).id
      #expect(try service.end(id)?.state == "failed")
      _ = FileManager.default.createFile(atPath: "\(service.folder)/mended", contents: nil)
      #expect(try command(service, ["retry", id]).status == 0)
      #expect(try service.end(id)?.state == "applied")
      #expect(try command(service, ["retry", id]).status == 65)
      try FileManager.default.removeItem(atPath: "\(service.folder)/mended")
      let old = try service.connection.submit(SubmitRequest(handler: "flaky", key: "menu")).id
      #expect(try service.end(old)?.state == "failed")
      _ = FileManager.default.createFile(atPath: "\(service.folder)/mended", contents: nil)
      let new = try service.connection.submit(SubmitRequest(handler: "flaky", key: "menu")).id
      #expect(try service.end(new)?.state == "applied")
      let refused = try command(service, ["retry", old])
      #expect(refused.status == 65 && refused.errors.contains(new), "\(refused.errors)")
    }

    @Test(
      "an update for one screen does not wait for a finger on the other; an unknown screen is refused by name")
    func screens() throws {
      let lobby = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let till = try VirtualTouchscreen(ScreenDescription("Till"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 2))
      lobby.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let forLobby = try service.connection.submit(SubmitRequest(handler: "note", screen: "Lobby")).id
      let forAll = try service.submit()
      let forTill = try service.connection.submit(SubmitRequest(handler: "note", screen: "Till")).id
      #expect(eventually { service.isApplied(forTill) })
      #expect(always(for: .milliseconds(500)) { service.applied == [forTill] })
      let refused = try command(service, ["submit", "note", "--screen", "Door"])
      #expect(refused.status == 65 && refused.errors.contains("'Lobby', 'Till'"), "\(refused.errors)")
      till.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(2))
      lobby.up(slot: 0)
      #expect(eventually { service.isApplied(forLobby) })
      till.up(slot: 0)
      #expect(eventually { service.applied == [forTill, forLobby, forAll] })
    }

    @Test("OnInterrupted=fail: if the service is killed while the handler runs, the update fails and never runs again")
    func interrupted() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0", start: false)
      try service.handler(
        "once", exec: #"/bin/sh -c "echo started >> \#(service.folder)/once; sleep 1""#, more: "OnInterrupted=fail")
      try service.start()
      let id = try service.submit("once")
      let started = "\(service.folder)/once"
      #expect(eventually { FileManager.default.fileExists(atPath: started) })
      service.kill(SIGKILL)
      try service.start()
      #expect(try service.end(id)?.state == "failed")
      #expect(try #require(try service.update(id).result?.message).contains("OnInterrupted=fail"))
      #expect(try String(contentsOfFile: started, encoding: .utf8) == "started\n")
    }

    @Test("a handler that should reboot the machine and does not: its update fails after RebootTimeout=")
    func noReboot() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0", start: false)
      try service.handler("os", exec: "/bin/true", more: "Reboots=yes\nRebootTimeout=1s")
      try service.start()
      let id = try service.submit("os")
      let next = try service.submit()
      #expect(try service.becomes { try service.update(next).blockers.map(\.code) == ["applying"] })
      #expect(try service.update(id).state == "applying")
      #expect(try service.end(id, within: .seconds(4))?.state == "failed")
      #expect(try #require(try service.update(id).result?.message).contains("did not reboot"))
      #expect(eventually { service.isApplied(next) })
    }

    @Test(
      "the clock is set back and forward a year: deadlines that are times follow it, spans do not, and rechecks go on"
    )
    func clock() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest(gate: "[Clock]\nTrust=always")
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let year: TimeInterval = 365 * 86400
      func submit(_ deadline: String) throws -> String {
        try service.connection.submit(SubmitRequest(handler: "note", deadline: deadline, onDeadline: "force")).id
      }
      func time(_ days: Double) -> String {
        ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: days * 86400))
      }
      let soon = try service.connection.submit(SubmitRequest(handler: "note", deadline: "2s")).id
      let span = try submit("300d")
      let late = try service.connection.submit(SubmitRequest(handler: "note", deadline: time(300))).id
      let never = try service.connection.submit(SubmitRequest(handler: "note", deadline: time(700))).id
      let kept = try service.submit()
      setClock(by: -year)
      defer { setClock(by: year) }
      #expect(try service.end(soon, within: .seconds(4))?.state == "expired", "a span of 2 s, neither more nor less")
      hold(for: .seconds(1))
      #expect(try #require(try service.update(kept).checks) >= 2, "rechecks go on each second")
      setClock(by: 2 * year)
      defer { setClock(by: -2 * year) }
      #expect(try service.end(late, within: .seconds(3))?.state == "expired")
      #expect(try service.update(never).state == "waiting" && service.update(span).state == "waiting")
      let checks = try #require(try service.update(kept).checks)
      hold(for: .seconds(3))
      #expect(try service.update(kept).checks ?? 0 >= checks + 2)
      screen.up(slot: 0)
      #expect(eventually(within: .seconds(2)) { service.applied.sorted() == [span, never, kept].sorted() })
    }

    @Test("a clock that was set back while nothing waited: notBefore still holds, and a deadline does not pass at once")
    func clockSetBackWhileIdle() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0")
      setClock(by: -3600)
      defer { setClock(by: 3600) }
      let later = try service.connection.submit(
        SubmitRequest(handler: "note", notBefore: "10min", deadline: "20min")
      ).id
      #expect(try service.stays(for: .seconds(3)) { try service.update(later).state == "waiting" })
      #expect(try service.update(later).blockers.first?.code == "notBefore")
    }

    private func setClock(by seconds: TimeInterval) {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      time.tv_sec += Int(seconds)
      #expect(clock_settime(CLOCK_REALTIME, &time) == 0)
    }
  }
}
