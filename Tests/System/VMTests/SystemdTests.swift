import Foundation
import Testing
import TouchgateClient
import VirtualTouch

/// `Tests/Tools/run systemd` boots the VM with systemd, installs the programs as `make install` does and runs these.
@Suite(
  "Under systemd",
  .enabled(
    if: isInVM && FileManager.default.fileExists(atPath: "/run/systemd/system"), "runs in the test VM: make test"),
  .serialized)
struct SystemdTests {
  private var journal: String { (try? Run("/usr/bin/journalctl", ["-u", "touchgated"]).output) ?? "" }

  @Test(
    "systemctl start returns when the service is ready, StatusText= shows its state, and touchgate status its exit status"
  )
  func startAndStop() throws {
    _ = try Run("/usr/bin/systemctl", ["stop", "touchgated.service", "touchgated.socket"])
    #expect(try Run("/usr/bin/touchgate", ["status"]).status == 3)
    let started = try Run("/usr/bin/systemctl", ["start", "touchgated.service"])
    #expect(started.status == 0, "\(started.errors)\(journal)")
    let status = try Run("/usr/bin/touchgate", ["status"])
    #expect(status.status == 0, "\(status.errors)")
    let unit = try Run("/usr/bin/systemctl", ["show", "touchgated.service", "-P", "StatusText"])
    #expect(unit.output.contains("0 updates waiting"))
    #expect(try Run("/usr/bin/systemctl", ["stop", "touchgated.service"]).status == 0)
  }

  @Test("the installed service finds a screen, lets an update wait and applies it, not as root and in its sandbox")
  func installed() throws {
    let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
    try FileManager.default.createDirectory(atPath: "/etc/touchgate/handlers.d", withIntermediateDirectories: true)
    try "[Handler]\nExec=/bin/sh -c \"id -un > /var/lib/touchgate/who\"\n".write(
      toFile: "/etc/touchgate/handlers.d/who.conf", atomically: true, encoding: .utf8)
    let started = try Run("/usr/bin/systemctl", ["restart", "touchgated.service"])
    try #require(started.status == 0, "\(started.errors)\(journal)")
    screen.down(slot: 0, x: 0.5, y: 0.5)
    let events = try ServiceEvents(socket: TouchgateConnection.defaultPath)
    try #require(events.isOpen(within: .seconds(10)) { true })
    #expect(try events.becomes { try Run("/usr/bin/touchgate", ["status"]).output.contains("1 contact on Lobby") })
    let submitted = try Run("/usr/bin/touchgate", ["submit", "who"])
    try #require(submitted.status == 0, "\(submitted.errors)")
    let id = submitted.output.trimmingCharacters(in: .newlines)
    #expect(try Run("/usr/bin/touchgate", ["show", id]).output.contains("waiting"))
    screen.up(slot: 0)
    #expect(try Run("/usr/bin/touchgate", ["wait", id, "--timeout", "10s"]).status == 0)
    #expect(try Run("/usr/bin/touchgate", ["show", id]).output.contains("applied"))
    let who = try String(contentsOfFile: "/var/lib/touchgate/who", encoding: .utf8)
    #expect(who == "touchgate\n")
  }

  @Test("a request sent while the service is stopped waits in the socket and starts it")
  func socketActivation() throws {
    _ = try Run("/usr/bin/systemctl", ["stop", "touchgated.service"])
    try #require(try Run("/usr/bin/systemctl", ["start", "touchgated.socket"]).status == 0)
    let status = try Run("/usr/bin/touchgate", ["status"])
    #expect(status.status == 0, "\(status.errors)")
    #expect(try Run("/usr/bin/systemctl", ["is-active", "touchgated.service"]).status == 0)
  }
}
