import Foundation
import Testing
import TouchgateAPI
import TouchgateClient
import VirtualTouch

extension VMTests {
  @Suite("Waits, turns, holds and events")
  struct SocketCallTests {
    private func arguments(_ service: ServiceUnderTest, _ words: [String]) -> [String] {
      guard let dashes = words.firstIndex(of: "--") else { return words + ["--socket", "\(service.folder)/socket"] }
      return words[..<dashes] + ["--socket", "\(service.folder)/socket"] + words[dashes...]
    }

    private func command(_ service: ServiceUnderTest, _ words: [String]) throws -> Run {
      try Run(touchgate, arguments(service, words))
    }

    /// Starts the command and does not wait for it.
    private func start(_ service: ServiceUnderTest, _ words: [String]) throws -> Process {
      let process = Process()
      process.executableURL = URL(filePath: touchgate)
      process.arguments = arguments(service, words)
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      return process
    }

    private func touched() throws -> (VirtualTouchscreen, ServiceUnderTest) {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      return (screen, service)
    }

    @Test(
      "submit --wait and wait ID return at the end: 0 applied, 75 not yet; --dry-run and --if-quiet store nothing")
    func waiting() throws {
      let (screen, service) = try touched()
      #expect(try command(service, ["submit", "note", "--wait=300ms"]).status == 75)
      let dry = try command(service, ["submit", "note", "--dry-run"])
      #expect(dry.status == 0 && dry.output.hasPrefix("it would wait: touched"), "\(dry.output)")
      let now = try command(service, ["submit", "note", "--if-quiet"])
      #expect(now.status == 75 && now.errors.contains("touched"), "\(now.errors)")
      #expect(try service.status().updates["waiting"] == 1)
      let id = try service.submit()
      #expect(try command(service, ["wait", id, "--timeout", "0"]).status == 75)
      #expect(try command(service, ["wait", "nobody"]).status == 4)
      let waiter = try start(service, ["wait", id])
      #expect(always(for: .milliseconds(300)) { waiter.isRunning })
      screen.up(slot: 0)
      #expect(eventually { !waiter.isRunning })
      #expect(waiter.terminationStatus == 0)
      #expect(try command(service, ["submit", "note", "--if-quiet", "--wait"]).status == 0)
      #expect(try command(service, ["submit", "note", "--dry-run"]).output == "it would be applied now\n")
    }

    @Test("wait --quiet returns 75 at its time-out during a touch, and 0 as soon as the quiet is long enough")
    func quiet() throws {
      let (screen, service) = try touched()
      let refused = try command(service, ["wait", "--quiet", "1s", "--timeout", "0"])
      #expect(refused.status == 75 && refused.errors.contains("touched"), "\(refused.errors)")
      let waiter = try start(service, ["wait", "--quiet", "1s"])
      #expect(always(for: .milliseconds(500)) { waiter.isRunning })
      screen.up(slot: 0)
      let lifted = ContinuousClock.now
      #expect(eventually { !waiter.isRunning })
      #expect(waiter.terminationStatus == 0)
      #expect(ContinuousClock.now - lifted >= .seconds(1))
      #expect(try command(service, ["wait", "--timeout", "0"]).status == 0)
    }

    @Test("run: the command runs in its turn, nothing is applied meanwhile, and its exit status is returned")
    func turn() throws {
      let (screen, service) = try touched()
      let marker = "\(service.folder)/ran"
      let runner = try start(service, ["run", "--", "/bin/sh", "-c", "touch \(marker); sleep 1; exit 7"])
      #expect(always(for: .milliseconds(500)) { !FileManager.default.fileExists(atPath: marker) })
      let id = try service.submit()
      screen.up(slot: 0)
      #expect(eventually { FileManager.default.fileExists(atPath: marker) })
      #expect(always(for: .milliseconds(500)) { service.applied == [] })
      #expect(try service.update(id).blockers.map(\.code) == ["turn"])
      #expect(eventually { !runner.isRunning } && runner.terminationStatus == 7)
      #expect(eventually { service.isApplied(id) })
      #expect(try command(service, ["run", "--", "/no/such"]).status == 127)
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      #expect(try command(service, ["run", "--timeout", "100ms", "--", "/bin/true"]).status == 75)
      service.kill(SIGTERM)
      #expect(try command(service, ["run", "--", "/bin/true"]).status == 125)
      #expect(try command(service, ["hold", "--why", "x", "--", "/bin/true"]).status == 125)
      let anyway = try command(service, ["hold", "--why", "x", "--or-run", "--", "/bin/sh", "-c", "exit 7"])
      #expect(anyway.status == 7 && anyway.errors.contains("updates may be applied while the command runs"))
    }

    @Test("if a process with a turn or a hold is killed, both end before the next recheck")
    func killed() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0")
      for verb in [["run"], ["hold", "--why", "a test"]] {
        let began = "\(service.folder)/\(verb[0])"
        let holder = try start(service, verb + ["--", "/bin/sh", "-c", "touch \(began); exec sleep 60"])
        let code = verb[0] == "run" ? "turn" : "hold"
        try #require(eventually { FileManager.default.fileExists(atPath: began) })
        let next = try service.submit()
        #expect(try service.update(next).blockers.contains { $0.code == code })
        let killed = ContinuousClock.now
        kill(holder.processIdentifier, SIGKILL)
        #expect(eventually { service.isApplied(next) })
        #expect(ContinuousClock.now - killed < .milliseconds(900))
        _ = try Run("/bin/busybox", ["pkill", "-x", "sleep"])
      }
      #expect(try service.status().holds == [])
    }

    @Test("hold --for outlives its caller and a restart, is listed with its owner, and ends by itself or by release")
    func holds() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0")
      let held = try command(service, ["hold", "--why", "on stage", "--for", "1h"])
      #expect(held.status == 0, "\(held.errors)")
      let holdID = held.output.trimmingCharacters(in: .newlines)
      let short = try command(service, ["hold", "--why", "short", "--for", "2s"])
      #expect(short.status == 0)
      let id = try service.submit()
      service.kill(SIGKILL)
      try service.start()
      let list = try command(service, ["holds"])
      #expect(list.output.contains("\(holdID) by user 0") && list.output.contains("on stage"), "\(list.output)")
      #expect(try service.update(id).blockers.contains { $0.code == "hold" && $0.reason == "on stage" })
      // The end of a hold has no event.
      hold(for: .milliseconds(2500))
      #expect(try service.status().holds?.count == 1)
      #expect(service.applied == [])
      #expect(try command(service, ["release", holdID]).status == 0)
      #expect(eventually { service.isApplied(id) })
      #expect(try command(service, ["release", holdID]).status == 4)
      let long = try command(service, ["hold", "--why", "x", "--for", "2h"])
      #expect(long.status == 65 && long.errors.contains("MaxHold="), "\(long.errors)")
    }

    @Test("events report touches, screens and updates with growing numbers; since= continues after an event")
    func events() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      let stream = try TouchgateConnection(path: "\(service.folder)/socket", timeout: .seconds(5)).events()
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let id = try service.submit()
      screen.up(slot: 0)
      var seen: [EventReply] = []
      while !seen.contains(where: { $0.state == "applied" }) {
        let line = try #require(try stream.nextLine())
        seen.append(try JSONDecoder().decode(EventReply.self, from: Data(line)))
      }
      #expect(zip(seen, seen.dropFirst()).allSatisfy { $1.seq == $0.seq + 1 })
      #expect(seen.filter { $0.type == "touch" }.map(\.touched) == [true, false])
      #expect(seen.filter { $0.type == "screen" }.map(\.state) == ["touched", "clear"])
      #expect(seen.filter { $0.id == id }.map(\.state) == ["waiting", "applying", "applied"])
      let first = try #require(seen.first).seq
      let again = try TouchgateConnection(path: "\(service.folder)/socket", timeout: .seconds(5)).events(since: first)
      let line = try #require(try again.nextLine())
      #expect(try JSONDecoder().decode(EventReply.self, from: Data(line)) == seen[1])
      service.kill(SIGTERM)
      while try again.nextLine() != nil {}  // The service ends its streams; else this would time out.
    }

    @Test("why without an id lists what waits, and what was not applied with its blockers")
    func why() throws {
      let (screen, service) = try touched()
      let expired = try service.connection.submit(SubmitRequest(handler: "note", deadline: "1s")).id
      let waits = try service.submit()
      #expect(try service.end(expired, within: .seconds(3))?.state == "expired")
      let why = try command(service, ["why"])
      #expect(why.output.contains("\(waits) note"), "\(why.output)")
      #expect(why.output.contains("\(expired) note, expired: still waiting at its deadline"), "\(why.output)")
      #expect(why.output.contains("was blocked: touched"), "\(why.output)")
      #expect(try command(service, ["screens"]).output.contains("Lobby: touched, 1 contact"))
      withExtendedLifetime(screen) {}
    }
  }
}
