import Foundation
import Glibc
import Testing
import TouchgateAPI
import VirtualTouch

extension SystemdTests {
  /// Systemd units as handlers, started by the installed service: not as root, in its sandbox, allowed by polkit.
  @Suite("Unit= handlers")
  struct UnitHandlers {
    /// `make service-test`; `make test` takes fewer cases.
    static let all = ProcessInfo.processInfo.environment["TOUCHGATE_SERVICE_TEST"] == "all"

    let service: InstalledService
    /// For what the units write.
    let folder = "/run/touchgate-test-\(UUID().uuidString)"

    init() throws {
      service = try InstalledService()
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    @Test("an update waits for a finger and is applied by a unit that runs as root and reads payload and parameters")
    func waitsAndApplies() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      try service.unit(
        "touchgate-hello@.service",
        "id -un > \(folder)/who; touchgate show --payload -- %i > \(folder)/payload; touchgate show --param name -- %i > \(folder)/name"
      )
      try service.handler("hello", "Unit=touchgate-hello@.service\nParam=name")
      try service.start()
      screen.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try service.becomes { try Run("/usr/bin/touchgate", ["status"]).output.contains("1 contact on Lobby") })
      let id = try service.submit("hello", "name=a b", payload: "x\u{0}y\n")
      #expect(try service.update(id).blockers.first?.code == "touched")
      #expect(contents("\(folder)/who") == "")
      screen.up(slot: 0)
      let end = try service.end(id)
      #expect(end?.state == "applied", "\(String(describing: end))\(service.journal)")
      #expect(contents("\(folder)/who") == "root\n")
      #expect(contents("\(folder)/payload") == "x\u{0}y\n")
      #expect(contents("\(folder)/name") == "a b\n")
      #expect(try Run("/bin/ps", ["-o", "user=", "-p", "\(service.pid)"]).output.contains("touchga"))
      #expect(try service.update(id).result?.releaseToStartMs != nil)
    }

    @Test("the update reports what went wrong with its unit, and is tried up to Attempts= times")
    func refusals() throws {
      try service.unit("other.service", "true")
      try service.unit("touchgate-fails.service", "exit 3")
      try service.unit("touchgate-stays.service", "true", "RemainAfterExit=yes")
      try service.unit("touchgate-hidden.service", "true")
      try service.unit("touchgate-nowhere.service", "true")
      // Somebody else could write what root runs.
      try #require(chown("/etc/systemd/system/other.service", 65534, 65534) == 0)
      let cases = [
        ("refused", "other.service", "not allowed to start unit other.service"),
        ("missing", "touchgate-nowhere.service", "touchgate-nowhere.service does not exist"),
        ("masked", "touchgate-hidden.service", "touchgate-hidden.service is masked"),
        ("fails", "touchgate-fails.service", "touchgate-fails.service failed: exit-code, exit status 3"),
        ("stays", "touchgate-stays.service", "was already active"),
      ]
      for (name, unit, _) in cases { try service.handler(name, "Unit=\(unit)\nAttempts=2\nBackoff=100ms") }
      try service.start()
      for name in ["touchgate-hidden.service", "touchgate-nowhere.service"] {
        _ = try Run("/bin/rm", ["/etc/systemd/system/\(name)"])
      }
      _ = try service.systemctl("mask", "touchgate-hidden.service")
      _ = try service.systemctl("daemon-reload")
      let pid = try service.pid
      _ = try service.systemctl("start", "touchgate-stays.service")
      for (name, _, message) in cases {
        let id = try service.submit(name)
        let end = try service.end(id)
        #expect(end?.state == "failed" && end?.message.contains(message) == true, "\(name): \(String(describing: end))")
        #expect(try service.update(id).attempts == 2, "\(name)")
      }
      #expect(try service.pid == pid, "the service stays up")
      _ = try service.systemctl("unmask", "touchgate-hidden.service")
      _ = try service.systemctl("stop", "touchgate-stays.service")
    }

    /// What a handler could do: a call of systemd's manager as the service's user.
    private func call(_ words: String...) throws -> Run {
      try Run(
        "/usr/bin/setpriv",
        [
          "--reuid", "touchgate", "--regid", "touchgate", "--clear-groups", "busctl", "call",
          "org.freedesktop.systemd1",
          "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
        ] + words)
    }

    @Test("the service's user may start and stop the units of handlers, and no other unit, instance or transient unit")
    func permissions() throws {
      for name in ["touchgate-named", "touchgate-t@", "touchgate-unnamed"] {
        try service.unit("\(name).service", "echo %p >> \(folder)/ran")
      }
      try service.handler("named", "Unit=touchgate-named.service")
      try service.handler("template", "Unit=touchgate-t@.service")
      try service.start()
      for unit in ["touchgate-unnamed.service", "touchgate-t@-x.service", "ssh.service", "touchgate-x.service"] {
        let refused = try call("StartUnit", "ss", unit, "replace")
        #expect(refused.status != 0, "\(unit)")
      }
      for unit in ["touchgate-x.service", "touchgate-named.service", "touchgate-t@x.service"] {
        let refused = try call(
          "StartTransientUnit", "ssa(sv)a(sa(sv))", unit, "fail", "1", "ExecStart", "a(sasb)", "1", "/bin/sh", "3",
          "/bin/sh", "-c", "echo transient >> \(folder)/ran", "false", "0")
        #expect(refused.status != 0, "\(unit)")
      }
      for verb in ["RestartUnit", "ReloadUnit"] {
        #expect(try call(verb, "ss", "touchgate-named.service", "replace").status != 0, "\(verb)")
      }
      #expect(contents("\(folder)/ran") == "")
      for unit in ["touchgate-named.service", "touchgate-t@01J9Z.service"] {
        let started = try call("StartUnit", "ss", unit, "replace")
        #expect(started.status == 0, "\(unit): \(started.errors)")
      }
      #expect(eventually { contents("\(folder)/ran").split(separator: "\n").count == 2 })
      #expect(try call("StopUnit", "ss", "touchgate-named.service", "replace").status == 0)
      // A handler that is gone takes its permission with it.
      try service.forget(handler: "named")
      #expect(try service.systemctl("reload", "touchgated.service").status == 0, "\(service.journal)")
      #expect(try eventually { try call("StartUnit", "ss", "touchgate-named.service", "replace").status != 0 })
    }

    @Test("exit status 75 of a unit means later, not failed")
    func later() throws {
      try service.unit(
        "touchgate-later.service", "[ -e \(folder)/done ] || { touch \(folder)/done; exit 75; }")
      try service.handler("later", "Unit=touchgate-later.service\nBackoff=100ms")
      try service.start()
      let id = try service.submit("later")
      #expect(try service.end(id)?.state == "applied", "\(service.journal)")
      #expect(try service.update(id).attempts == 1)
    }

    @Test("a unit that does not end within Timeout= is stopped")
    func timeout() throws {
      try service.unit("touchgate-slow.service", "sleep 1000")
      try service.handler("slow", "Unit=touchgate-slow.service\nTimeout=1s")
      try service.start()
      let end = try service.end(try service.submit("slow"))
      #expect(
        end?.state == "failed" && end?.message.contains("timeout of 1 s, stopped by systemd") == true,
        "\(String(describing: end))")
      #expect(try service.systemctl("is-active", "touchgate-slow.service").output != "activating\n")
    }

    @Test("without D-Bus a unit's start fails and is tried again when D-Bus is back; the service keeps running")
    func busGone() throws {
      try service.unit("touchgate-note.service", "echo x >> \(folder)/notes")
      try service.handler("note", "Unit=touchgate-note.service\nAttempts=50\nBackoff=200ms")
      try service.start()
      let pid = try service.pid
      _ = try service.systemctl("stop", "dbus.socket", "dbus.service")
      let id = try service.submit("note")
      #expect(
        try service.becomes {
          try service.update(id).blockers.contains { $0.code == "backoff" && $0.reason?.contains("D-Bus") == true }
        }, "\(service.journal)")
      _ = try service.systemctl("start", "dbus.socket", "dbus.service")
      #expect(try service.end(id, within: .seconds(30))?.state == "applied", "\(service.journal)")
      #expect(contents("\(folder)/notes") == "x\n", "\(service.journal)")
      #expect(try service.pid == pid)
    }

    @Test(
      "if D-Bus goes away while a unit runs, systemd's record says how the unit ended",
      arguments: Self.all ? [true, false] : [false])
    func busGoneMeanwhile(succeeds: Bool) throws {
      try service.unit(
        "touchgate-long.service",
        "echo x >> \(folder)/started; until [ -e \(folder)/go ]; do sleep 0.05; done; exit \(succeeds ? 0 : 4)")
      try service.handler("long", "Unit=touchgate-long.service")
      try service.start()
      let id = try service.submit("long")
      #expect(eventually { contents("\(folder)/started") == "x\n" })
      _ = try service.systemctl("stop", "dbus.socket", "dbus.service")
      try "".write(toFile: "\(folder)/go", atomically: true, encoding: .utf8)
      #expect(try eventually { try service.systemctl("is-active", "touchgate-long.service").output != "activating\n" })
      #expect(try service.update(id).state == "applying")
      _ = try service.systemctl("start", "dbus.socket", "dbus.service")
      let end = try service.end(id, within: .seconds(30))
      #expect(end?.state == (succeeds ? "applied" : "failed"), "\(String(describing: end))\(service.journal)")
      #expect(contents("\(folder)/started") == "x\n")
    }

    /// Requests would hide what this is about: whether the service comes back by itself to what it has to do.
    @Test(
      "D-Bus goes away and comes back while a unit runs and nobody asks: the unit's end is noticed, and the watchdog is fed"
    )
    func busGoneAndNobodyAsks() throws {
      try service.dropIn("[Service]\nWatchdogSec=4s\n")
      try service.unit(
        "touchgate-long.service",
        "echo x >> \(folder)/started; until [ -e \(folder)/go ]; do sleep 0.05; done; cat /proc/uptime > \(folder)/end")
      try service.handler("long", "Unit=touchgate-long.service")
      try service.start()
      let began = Int(Date().timeIntervalSince1970)
      let pid = try service.pid
      let id = try service.submit("long")
      #expect(eventually { contents("\(folder)/started") == "x\n" })
      // The last question for now; its answer comes with the end.
      let waiter = try ChildProcess(
        "/bin/sh",
        [
          "-c", "touchgate wait \(id) --timeout 40s; echo $? > \(folder)/status; cat /proc/uptime > \(folder)/returned",
        ],
        errors: "\(folder)/errors")
      hold(for: .seconds(1))
      _ = try service.systemctl("stop", "dbus.socket", "dbus.service")
      hold(for: .seconds(1))
      _ = try service.systemctl("start", "dbus.socket", "dbus.service")
      // Longer than the watchdog lets the service be silent.
      hold(for: .seconds(7))
      #expect(try service.pid == pid, "the watchdog leaves it alone: \(service.journal)")
      try "".write(toFile: "\(folder)/go", atomically: true, encoding: .utf8)
      try #require(eventually { !contents("\(folder)/end").isEmpty })
      let isAnswered = eventually(within: .seconds(30)) { !waiter.isRunning }
      try #require(isAnswered, "\(service.journal)")
      #expect(contents("\(folder)/status") == "0\n", "\(contents("\(folder)/errors"))\(service.journal)")
      let delay = try uptime("\(folder)/returned") - uptime("\(folder)/end")
      print("D-Bus back, nobody asks: the end of a unit is seen after \(Int(delay * 1000)) ms")
      #expect(delay < 1.5, "\(service.journal)")
      #expect(try service.pid == pid, "\(service.journal)")
      let journal = try Run("/usr/bin/journalctl", ["-u", "touchgated", "--since", "@\(began)"]).output
      let withheld = journal.split(separator: "\n").filter { $0.lowercased().contains("watchdog") }
      #expect(withheld == [], "\(withheld)")
      #expect(try service.update(id).state == "applied")
      #expect(contents("\(folder)/started") == "x\n")
    }

    /// Seconds since the machine was started, as /proc/uptime has them.
    private func uptime(_ file: String) throws -> Double {
      try #require(contents(file).split(separator: " ").first.flatMap { Double($0) })
    }

    @Test(
      "a unit outlives a kill or stop of the service: its record decides, and it is not started again",
      arguments: Self.all
        ? [("SIGKILL", true), ("SIGKILL", false), ("SIGTERM", true), ("SIGTERM", false)]
        : [("SIGKILL", false), ("SIGTERM", true)])
    func serviceGone(how: String, succeeds: Bool) throws {
      try service.unit(
        "touchgate-long@.service",
        "echo x >> \(folder)/started; until [ -e \(folder)/go ]; do sleep 0.05; done; exit \(succeeds ? 0 : 4)")
      try service.handler("long", "Unit=touchgate-long@.service\nOnInterrupted=fail")
      try service.start()
      let pid = try service.pid
      let id = try service.submit("long")
      let waiting = try service.submit("long")
      #expect(eventually { contents("\(folder)/started") == "x\n" })
      if how == "SIGKILL" {
        _ = kill(pid, SIGKILL)
      } else {
        #expect(try service.systemctl("stop", "touchgated.service").status == 0)
        #expect(try service.systemctl("is-active", "touchgate-long@\(id).service").output == "activating\n")
        try service.start()
      }
      // The service is back, and waits for the unit.
      #expect(try eventually(within: .seconds(15)) { try ![0, pid].contains(service.pid) })
      #expect(try service.update(id).state == "applying")
      #expect(try service.update(waiting).state == "waiting")
      try "".write(toFile: "\(folder)/go", atomically: true, encoding: .utf8)
      let end = try service.end(id)
      #expect(end?.state == (succeeds ? "applied" : "failed"), "\(String(describing: end))\(service.journal)")
      #expect(end?.message.contains(succeeds ? "succeeded" : "exit status 4") == true, "\(String(describing: end))")
      #expect(try service.end(waiting) != nil)
      #expect(contents("\(folder)/started") == "x\nx\n", "once each")
      #expect(try service.update(id).attempts == 1)
    }
  }
}
