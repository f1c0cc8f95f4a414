import Foundation
import Testing
import TouchgateAPI
import TouchgateClient

/// The installed service under systemd, with the test's handlers and units; everything is removed in `deinit`.
final class InstalledService: Observed {
  private static let handlers = "/etc/touchgate/handlers.d"
  private static let units = "/etc/systemd/system"
  private var files: [String] = []
  private var feed: ServiceEvents?
  let connection = TouchgateConnection(path: TouchgateConnection.defaultPath, timeout: .seconds(30))

  init() throws {
    stop()
    try? FileManager.default.removeItem(atPath: Self.handlers)
    try FileManager.default.createDirectory(atPath: Self.handlers, withIntermediateDirectories: true)
    for file in (try? FileManager.default.contentsOfDirectory(atPath: "/var/lib/touchgate")) ?? [] {
      try? FileManager.default.removeItem(atPath: "/var/lib/touchgate/\(file)")
    }
    // Tests without a screen do not wait for one.
    try write(
      "/etc/touchgate/touchgate.conf.d/base.conf", "[Gate]\nQuietPeriod=0\nFirstScreenTimeout=0\nMissingScreenGrace=0\n"
    )
  }

  deinit {
    stop()
    for file in files { try? FileManager.default.removeItem(atPath: file) }
    _ = try? systemctl("daemon-reload")
  }

  private func stop() {
    _ = try? systemctl("stop", "touchgated.service", "touchgated.socket")
    _ = try? systemctl("reset-failed")
  }

  func systemctl(_ words: String...) throws -> Run { try Run("/usr/bin/systemctl", words) }

  // MARK: What the administrator writes

  func handler(_ name: String, _ lines: String) throws {
    try write("\(Self.handlers)/\(name).conf", "[Handler]\n\(lines)\n")
  }

  func forget(handler name: String) throws {
    try FileManager.default.removeItem(atPath: "\(Self.handlers)/\(name).conf")
  }

  /// A unit of Type=oneshot that runs a shell command as root.
  func unit(_ name: String, _ command: String, _ more: String = "") throws {
    try write("\(Self.units)/\(name)", "[Service]\nType=oneshot\nExecStart=/bin/sh -c '\(command)'\n\(more)\n")
    _ = try systemctl("daemon-reload")
  }

  func dropIn(_ lines: String, of unit: String = "touchgated.service") throws {
    try FileManager.default.createDirectory(atPath: "\(Self.units)/\(unit).d", withIntermediateDirectories: true)
    try write("\(Self.units)/\(unit).d/test.conf", lines)
    _ = try systemctl("daemon-reload")
  }

  func settings(_ lines: String) throws { try write("/etc/touchgate/touchgate.conf.d/test.conf", lines) }

  private func write(_ path: String, _ text: String) throws {
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    files.append(path)
  }

  // MARK: What it does

  func start() throws {
    feed = nil
    let started = try systemctl("start", "touchgated.service")
    try #require(started.status == 0, "\(started.errors)\(journal)")
  }

  /// Those of its present run, from the first use on: a test that does not use them leaves the service alone. After a
  /// start other than by `start`, the test calls `wasRestarted` first.
  var events: ServiceEvents {
    get throws {
      if let feed { return feed }
      let events = try ServiceEvents(socket: connection.path)
      try #require(events.isOpen(within: .seconds(30)) { true }, "\(journal)")
      feed = events
      return events
    }
  }

  func wasRestarted() { feed = nil }

  var pid: Int32 {
    get throws {
      Int32(try systemctl("show", "touchgated.service", "-P", "MainPID").output.trimmingCharacters(in: .newlines)) ?? 0
    }
  }

  var journal: String { (try? Run("/usr/bin/journalctl", ["-u", "touchgated", "-n", "60"]).output) ?? "" }

  func submit(_ words: String..., payload: String? = nil) throws -> String {
    let payloadWords = payload == nil ? [] : ["--payload", "-"]
    let submitted = try Run("/usr/bin/touchgate", ["submit"] + words + payloadWords, input: payload ?? "")
    try #require(submitted.status == 0, "\(submitted.errors)\(journal)")
    if let option = words.firstIndex(of: "--id") { return words[option + 1] }
    return submitted.output.trimmingCharacters(in: .newlines)
  }

  func update(_ id: String) throws -> UpdateReply {
    let shown = try Run("/usr/bin/touchgate", ["show", id, "--json"])
    return try JSONDecoder().decode(UpdateReply.self, from: Data(shown.output.utf8))
  }

  /// How it ended; nil: not within the limit. One request, which stays open.
  func end(_ id: String, within limit: Duration = .seconds(15)) throws -> (state: String, message: String)? {
    let waited = try Run("/usr/bin/touchgate", ["wait", id, "--timeout", "\(limit.components.seconds)s", "--json"])
    if waited.status == 75 { return nil }
    let reply = try update(id)
    return (reply.state, reply.result?.message ?? "")
  }
}

/// A file that handlers and units write.
func contents(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
