import Foundation
import Testing
import Timeline
import TouchgateAPI
import TouchgateClient

/// True inside the test VM, where `Tests/Tools/run` runs these.
let isInVM = ProcessInfo.processInfo.environment["TOUCHGATE_IN_VM"] != nil

/// The folder with the programs as `make install` lays them out.
private let programs = ProcessInfo.processInfo.environment["TOUCHGATE_PROGRAMS"] ?? "/"
let touchgated = "\(programs)/usr/sbin/touchgated"
let touchgate = "\(programs)/usr/bin/touchgate"

/// The real service in a folder of its own, with a handler `note` that writes the id of each update it applies to a
/// file, and the real socket.
final class ServiceUnderTest: Observed {
  let folder: String
  let connection: TouchgateConnection
  private var process: ChildProcess?
  private var feed: ServiceEvents?

  init(quiet: String? = nil, gate: String = "", start: Bool = true) throws {
    folder = "/tmp/touchgate-\(UUID().uuidString)"
    connection = TouchgateConnection(path: "\(folder)/socket", timeout: .seconds(5))
    try FileManager.default.createDirectory(atPath: "\(folder)/handlers.d", withIntermediateDirectories: true)
    try configure("touchgate.conf", "[Gate]\nQuietPeriod=\(quiet ?? "0")\n\(gate)\n")
    try handler("note", exec: #"/bin/sh -c "echo ${TOUCHGATE_CLIENT_ID:-$TOUCHGATE_UPDATE_ID} >> \#(folder)/applied""#)
    if start { try self.start() }
  }

  deinit {
    kill(SIGKILL)
    try? FileManager.default.removeItem(atPath: folder)
  }

  func configure(_ file: String, _ text: String) throws {
    try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
  }

  func handler(_ name: String, exec: String, more: String = "") throws {
    try configure("handlers.d/\(name).conf", "[Handler]\nExec=\(exec)\n\(more)\n")
  }

  // MARK: The process

  var pid: pid_t { process?.pid ?? 0 }

  /// Starts the service, as root or as another user, and waits until it answers. `wrapper`: a command that replaces
  /// itself with the service, as its arguments.
  func start(as user: String? = nil, wrapper: [String] = []) throws {
    var command =
      wrapper + [touchgated, "--config", folder, "--state", "\(folder)/state", "--socket", "\(folder)/socket"]
    if let user {
      _ = try Run("/bin/chown", ["-R", user, folder])
      command = ["/usr/bin/setpriv", "--reuid=\(user)", "--clear-groups"] + command
    }
    process = try ChildProcess(command[0], Array(command.dropFirst()), errors: "\(folder)/log")
    let events = try ServiceEvents(socket: "\(folder)/socket")
    feed = events
    let isReady = events.isOpen(within: .seconds(10)) { process?.isRunning == true }
    try #require(isReady, "the service does not answer; its log: \(log)")
  }

  /// Those of its present run.
  var events: ServiceEvents {
    get throws { try #require(feed, "the service was not started") }
  }

  func signal(_ number: Int32) { _ = Glibc.kill(pid, number) }

  /// Sends a signal and waits for the end; returns the exit status.
  @discardableResult
  func kill(_ number: Int32) -> Int32 {
    guard let process, process.isRunning else { return -1 }
    signal(SIGCONT)
    signal(number)
    self.process = nil
    return process.waitUntilExit()
  }

  var log: String { (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "" }

  // MARK: What it did

  /// The ids that the handler `note` has applied, in order.
  var applied: [String] {
    let text = (try? String(contentsOfFile: "\(folder)/applied", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  func submit(_ handler: String = "note", id: String? = nil) throws -> String {
    let update = try connection.submit(SubmitRequest(handler: handler, clientId: id))
    return id ?? update.id
  }

  /// The update once it has ended, however it ended; nil: not within the limit. One request, which stays open.
  func end(_ id: String, within limit: Duration = .seconds(15)) throws -> UpdateReply? {
    let patient = TouchgateConnection(path: connection.path, timeout: limit + .seconds(10))
    let milliseconds = limit.components.seconds * 1000 + limit.components.attoseconds / 1_000_000_000_000_000
    let ended = Result { () throws(ClientError) in try patient.wait(for: id, timeout: "\(milliseconds)ms") }
    if case .failure(.refused(status: 408, _)) = ended { return nil }
    return try ended.get()
  }

  func update(_ id: String) throws -> UpdateReply { try connection.update(id) }
  func status() throws -> StatusReply { try connection.status() }

  func isApplied(_ id: String) -> Bool { applied.contains(id) }
}
