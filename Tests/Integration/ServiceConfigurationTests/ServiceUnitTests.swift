import ProjectFiles
import Testing

@Suite("touchgated.service")
struct ServiceUnitTests {
  let lines: [String]

  init() throws {
    lines = try ProjectFiles.text("systemd/touchgated.service").split(separator: "\n").map(String.init)
  }

  @Test("a handler that the OOM killer ends does not take the service with it")
  func oom() { #expect(lines.contains("OOMPolicy=continue")) }

  @Test("start and reload write the polkit rule as root, and no rule is installed")
  func polkit() {
    let step = "/usr/sbin/touchgated --allow-units /etc/polkit-1/rules.d/50-touchgate.rules"
    #expect(lines.contains("ExecStartPre=-+\(step)") && lines.contains("ExecReload=+\(step)"))
    #expect(lines.filter { $0.contains("--allow-units") }.count == 2)
    #expect((try? ProjectFiles.text("systemd/polkit/50-touchgate.rules")) == nil)
  }
}
