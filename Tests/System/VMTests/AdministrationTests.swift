import Foundation
import Glibc
import Testing
import TouchgateAPI
import VirtualTouch

extension SystemdTests {
  /// What an administrator relies on.
  @Suite("Administration of the installed service")
  struct Administration {
    let service: InstalledService
    let folder = "/run/touchgate-test-\(UUID().uuidString)"

    init() throws {
      service = try InstalledService()
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      _ = try Run("/bin/chmod", ["777", folder])
      try service.handler(
        "note",
        "Exec=/bin/sh -c \"echo ${TOUCHGATE_CLIENT_ID:-$TOUCHGATE_UPDATE_ID} >> \\\"$STATE_DIRECTORY/notes\\\"\"")
    }

    private func notes() -> [String] { contents("/var/lib/touchgate/notes").split(separator: "\n").map(String.init) }

    @Test("systemd-analyze security rates the unit 1.2 or better")
    func exposure() throws {
      let analysis = try Run("/usr/bin/systemd-analyze", ["security", "--no-pager", "touchgated.service"]).output
      let line = analysis.split(separator: "\n").last { $0.contains("Overall exposure level") } ?? ""
      let words = line.split(separator: " ").compactMap { Double($0) }
      #expect((words.first ?? 10) <= 1.2, "\(line)")
      print("service-test exposure \(words.first ?? -1)")
    }

    @Test("in its sandbox the service grabs a screen around the start of a handler, and releases it")
    func grab() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      try service.handler("grabbing", "Exec=/bin/true\nGuard=grab")
      try service.start()
      screen.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try service.becomes { try Run("/usr/bin/touchgate", ["status"]).output.contains("1 contact on Lobby") })
      let id = try service.submit("grabbing")
      screen.up(slot: 0)
      #expect(try service.end(id)?.state == "applied", "\(service.journal)")
      let status = try status()
      #expect(status.guard?.grabs == 1 && status.guard?.busy == 0, "\(service.journal)")
      screen.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try service.sees(1))
    }

    @Test("a service that hangs (SIGSTOP) is restarted by the watchdog, and no update is lost")
    func watchdog() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      try service.dropIn("[Service]\nWatchdogSec=2s\nRestartSec=100ms\n")
      try service.start()
      screen.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try service.becomes { try Run("/usr/bin/touchgate", ["status"]).output.contains("1 contact on Lobby") })
      let ids = try (0..<20).map { try service.submit("note", "--id", "w\($0)") }
      let pid = try service.pid
      #expect(try always(for: .seconds(3)) { try service.pid == pid }, "it is fed while all is well")
      kill(pid, SIGSTOP)
      #expect(try eventually(within: .seconds(30)) { try ![0, pid].contains(service.pid) })
      service.wasRestarted()
      for id in ids { #expect(try service.update(id).state == "waiting") }
      screen.up(slot: 0)
      #expect(try service.end("w19")?.state == "applied", "\(service.journal)")
      #expect(notes() == ids)
    }

    @Test("all requests sent while the service restarts are answered")
    func restarts() throws {
      try service.start()
      let senders = (0..<4).map { _ in
        """
        for i in $(seq 20); do touchgate status 2>&1 > /dev/null || echo failed; done; echo done
        """
      }
      for (number, script) in senders.enumerated() {
        _ = try Run(
          "/usr/bin/systemd-run",
          ["--no-block", "--unit", "sender-\(number)", "/bin/sh", "-c", "(\(script)) > \(folder)/sent-\(number)"])
      }
      for _ in 0..<3 { _ = try service.systemctl("restart", "touchgated.service") }
      for number in senders.indices {
        #expect(
          eventually(within: .seconds(30)) { contents("\(folder)/sent-\(number)") == "done\n" },
          "\(contents("\(folder)/sent-\(number)"))")
      }
    }

    @Test("udev rules name a screen or exclude a device, by event node or by device")
    func udev() throws {
      let rules = """
        SUBSYSTEM=="input", KERNEL=="event*", ATTRS{name}=="By node", ENV{TOUCHGATE_SCREEN}="counter"
        SUBSYSTEM=="input", KERNEL=="input*", ATTR{name}=="By device", ENV{TOUCHGATE_SCREEN}="lobby"
        SUBSYSTEM=="input", KERNEL=="event*", ATTRS{name}=="Mirror", ENV{TOUCHGATE_IGNORE}="1"

        """
      try rules.write(toFile: "/etc/udev/rules.d/71-touchgate.rules", atomically: true, encoding: .utf8)
      defer {
        try? FileManager.default.removeItem(atPath: "/etc/udev/rules.d/71-touchgate.rules")
        _ = try? Run("/usr/bin/udevadm", ["control", "--reload"])
      }
      _ = try Run("/usr/bin/udevadm", ["control", "--reload"])
      try service.start()
      let screens = try ["By node", "By device", "Mirror"].map { try VirtualTouchscreen(ScreenDescription($0)) }
      #expect(try service.becomes { try Set(status().screens.map(\.name)).isSuperset(of: ["counter", "lobby"]) })
      #expect(try Set(status().screens.map(\.name)) == ["counter", "lobby"], "\(service.journal)")
      let udev = try Run("/usr/bin/journalctl", ["-u", "systemd-udevd", "--no-pager"]).output
      #expect(!udev.contains("touchgate.rules"), "\(udev)")
      withExtendedLifetime(screens) {}
    }

    // MARK: Reload

    @Test("a reload applies a new handler and a new setting; waiting updates still wait, and none is lost")
    func reload() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      try service.handler("gone", "Exec=/bin/true")
      try service.start()
      screen.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try service.becomes { try Run("/usr/bin/touchgate", ["status"]).output.contains("1 contact on Lobby") })
      let waiting = try (0..<5).map { try service.submit("note", "--id", "r\($0)") }
      let orphan = try service.submit("gone")
      let pid = try service.pid
      try service.handler("more", "Exec=/bin/true\nQuietPeriod=1s")
      try service.forget(handler: "gone")
      try service.settings("[Gate]\nStuckAfter=1h\n[Queue]\nMaxWaiting=8\n")
      let reloaded = try service.systemctl("reload", "touchgated.service")
      #expect(reloaded.status == 0, "\(reloaded.errors)")
      let added = try Run("/usr/bin/touchgate", ["submit", "more", "--id", "m"])
      try #require(added.status == 0, "\(added.errors)\(service.journal)")
      #expect(try service.submit("note", "--id", "r5") == "r5")
      #expect(try Run("/usr/bin/touchgate", ["submit", "note"]).status == 75, "MaxWaiting=8")
      #expect(try service.update(orphan).state == "waiting", "only when its turn comes")
      #expect(try service.update("r0").blockers.contains { $0.code == "touched" }, "the finger is still known")
      screen.up(slot: 0)
      #expect(try service.end("m")?.state == "applied", "\(service.journal)")
      #expect(notes() == waiting + ["r5"])
      let end = try service.end(orphan)
      #expect(end?.state == "failed" && end?.message.contains("'gone' is no longer configured") == true)
      #expect(try service.pid == pid)
    }

    @Test("a reload with an error changes nothing, by systemctl reload and by SIGHUP")
    func badReload() throws {
      try service.start()
      try service.handler("more", "Exec=/bin/true")
      try service.settings("[Queue]\nMaxWaitin=1\n")
      let refused = try service.systemctl("reload", "touchgated.service")
      #expect(refused.status != 0)
      #expect(eventually { service.journal.contains("test.conf:2: unknown key 'MaxWaitin'") }, "\(service.journal)")
      kill(try service.pid, SIGHUP)
      #expect(eventually { service.journal.contains("the configuration was not reloaded because of 1 problem") })
      #expect(try Run("/usr/bin/touchgate", ["submit", "more"]).status != 0)
      #expect(try service.end(try service.submit("note"))?.state == "applied")
    }

    @Test("start, reload and --check-config give the same verdict, as the service's user")
    func sameVerdict() throws {
      let check = { try Run("/usr/sbin/touchgated", ["--check-config"]) }
      try service.handler("gone", "Exec=/no/such/program")
      try service.start()
      #expect(eventually { service.journal.contains("cannot execute /no/such/program") }, "\(service.journal)")
      #expect(try service.systemctl("reload", "touchgated.service").status == 0, "\(service.journal)")
      let warned = try check()
      #expect(warned.status == 0 && warned.errors.contains("warning: "), "\(warned.errors)")
      #expect(try service.end(try service.submit("note"))?.state == "applied")
      // Root can read this file, and the service cannot.
      try service.handler("secret", "Exec=/bin/true")
      try #require(chmod("/etc/touchgate/handlers.d/secret.conf", 0o600) == 0)
      let refused = try check()
      #expect(
        refused.status == 78 && refused.errors.contains("secret.conf: cannot be read: Permission denied"),
        "\(refused.errors)")
      #expect(try service.systemctl("reload", "touchgated.service").status != 0)
      #expect(try service.systemctl("restart", "touchgated.service").status != 0)
      try #require(chmod("/etc/touchgate/handlers.d/secret.conf", 0o644) == 0)
      #expect(try check().status == 0)
      try service.start()
    }

    // MARK: Stop

    @Test("SIGTERM while a handler runs: the service waits for it, and the update is applied once")
    func stopWaits() throws {
      try service.handler(
        "slow", "Exec=/bin/sh -c \"echo x >> $STATE_DIRECTORY/notes; sleep 2; echo y >> $STATE_DIRECTORY/notes\"")
      try service.start()
      let id = try service.submit("slow")
      #expect(eventually { notes() == ["x"] })
      #expect(try service.systemctl("stop", "touchgated.service").status == 0)
      #expect(notes() == ["x", "y"])
      try service.start()
      #expect(try service.update(id).state == "applied")
      #expect(notes() == ["x", "y"])
    }

    @Test("SIGTERM while a handler hangs: the handler is stopped after its time-out, then the service stops")
    func stopIsBounded() throws {
      try service.handler("hangs", "Exec=/bin/sh -c \"echo x > $STATE_DIRECTORY/notes; sleep 1000\"\nTimeout=2s")
      try service.start()
      let id = try service.submit("hangs")
      #expect(eventually { notes() == ["x"] })
      let before = ContinuousClock.now
      #expect(try service.systemctl("stop", "touchgated.service").status == 0)
      #expect(ContinuousClock.now - before < .seconds(20))
      #expect(try service.systemctl("show", "touchgated.service", "-P", "Result").output == "success\n")
      try service.start()
      #expect(try service.end(id)?.message.contains("timeout of 2 s") == true)
    }

    // MARK: Log

    @Test("the journal has fields and explained message ids, and no payloads or parameters")
    func journal() throws {
      try service.handler("secret", "Exec=/bin/false\nParam=code")
      try service.start()
      let good = try service.submit("note")
      #expect(try service.end(good)?.state == "applied")
      let bad = try service.submit("secret", "code=hunter2", payload: "hunter3")
      #expect(try service.end(bad)?.state == "failed")
      let started = try entries("TOUCHGATE_UPDATE_ID=\(good)", "MESSAGE_ID=335da04edd8a4e298578e6a27afd2bf1")
      #expect(started.count == 1 && started.first?["TOUCHGATE_HANDLER"] == "note", "\(started)")
      #expect(started.first?["TOUCHGATE_ATTEMPT"] == "1" && started.first?["PRIORITY"] == "6")
      #expect(started.first?["_SYSTEMD_UNIT"] == "touchgated.service")
      let failed = try entries("TOUCHGATE_UPDATE_ID=\(bad)", "TOUCHGATE_STATE=failed")
      #expect(failed.first?["TOUCHGATE_EXIT_STATUS"] == "1" && failed.first?["PRIORITY"] == "4", "\(failed)")
      let explained = try Run("/usr/bin/journalctl", ["-x", "TOUCHGATE_UPDATE_ID=\(bad)", "TOUCHGATE_STATE=failed"])
        .output
      #expect(
        explained.contains("Update \(bad) failed") && explained.contains("touchgate retry \(bad)"), "\(explained)")
      #expect(!(try Run("/usr/bin/journalctl", ["-o", "export"]).output.contains("hunter")))
    }

    private func entries(_ matches: String...) throws -> [[String: String]] {
      var found: [[String: String]] = []
      _ = try eventually {
        let text = try Run("/usr/bin/journalctl", ["-o", "json"] + matches).output
        found = text.split(separator: "\n").compactMap { line in
          (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?.compactMapValues {
            $0 as? String
          }
        }
        return !found.isEmpty
      }
      return found
    }

    // MARK: Sleep

    @Test("before suspend every screen is unknown and a running handler may end; after resume screens are read again")
    func sleep() throws {
      // A kernel with more than one CPU cannot suspend here: logind believes that it can, and its unit only waits.
      try "freeze mem\n".write(toFile: "\(folder)/power", atomically: true, encoding: .utf8)
      try #require(try Run("/bin/mount", ["--bind", "\(folder)/power", "/sys/power/state"]).status == 0)
      defer { _ = try? Run("/bin/umount", ["/sys/power/state"]) }
      try service.dropIn(
        "[Service]\nExecStart=\nExecStart=/bin/sh -c 'touch \(folder)/asleep; until [ -e \(folder)/wake ]; do sleep 0.05; done'\n",
        of: "systemd-suspend.service")
      _ = try service.systemctl("restart", "systemd-logind.service")
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      try service.handler(
        "slow",
        "Exec=/bin/sh -c \"echo x > $STATE_DIRECTORY/notes; until [ -e \(folder)/end ]; do sleep 0.05; done; echo y >> $STATE_DIRECTORY/notes\""
      )
      try service.start()
      #expect(
        try eventually { try Run("/usr/bin/systemd-inhibit", ["--list"]).output.contains("touchgate") },
        "\(service.journal)")
      let running = try service.submit("slow")
      #expect(eventually { notes() == ["x"] })
      let suspend = try service.systemctl("suspend", "--no-block")
      #expect(suspend.status == 0, "\(suspend.errors)")
      #expect(try service.becomes { try gate() == ["unknown", "the machine is going to sleep"] }, "\(service.journal)")
      // Suspend waits for the handler.
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/asleep"))
      let id = try service.submit("note")
      try "".write(toFile: "\(folder)/end", atomically: true, encoding: .utf8)
      #expect(eventually { FileManager.default.fileExists(atPath: "\(folder)/asleep") }, "\(service.journal)")
      #expect(try service.update(running).state == "applied")
      #expect(try service.stays(for: .seconds(2)) { try service.update(id).state == "waiting" })
      #expect(try service.update(id).blockers.contains { $0.reason == "the machine is going to sleep" })
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try "".write(toFile: "\(folder)/wake", atomically: true, encoding: .utf8)
      #expect(try service.becomes { try service.update(id).blockers.first?.code == "touched" }, "\(service.journal)")
      screen.up(slot: 0)
      #expect(try service.end(id)?.state == "applied", "\(service.journal)")
      #expect(
        try eventually { try Run("/usr/bin/systemd-inhibit", ["--list"]).output.contains("touchgate") }, "taken again")
    }

    private func gate() throws -> [String?] {
      let status = try status()
      return [status.gate.state, status.gate.reason]
    }

    private func status() throws -> StatusReply {
      let reply = try Run("/usr/bin/touchgate", ["status", "--json"]).output
      return try JSONDecoder().decode(StatusReply.self, from: Data(reply.utf8))
    }
  }
}
