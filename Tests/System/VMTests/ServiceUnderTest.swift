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

/// Waits until `condition` holds; false where it does not within the limit.
func eventually(within limit: Duration = .seconds(10), _ condition: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + limit
  while true {
    if try condition() { return true }
    if ContinuousClock.now >= end { return false }
    usleep(5000)
  }
}

/// Looks all the time; false where `condition` does not hold at any moment of `span`.
func always(for span: Duration, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + span
  while ContinuousClock.now < end {
    if try !condition() { return false }
    usleep(5000)
  }
  return true
}

/// The real service in a folder of its own, with a handler `note` that writes the id of each update it applies to a
/// file, and the real socket.
final class ServiceOnTrial {
  let folder: String
  let connection: TouchgateConnection
  private var process: ChildProcess?

  init(quiet: String? = nil, gate: String = "", start: Bool = true) throws {
    folder = "/tmp/touchgate-\(UUID().uuidString)"
    connection = TouchgateConnection(path: "\(folder)/socket", timeout: .seconds(5))
    try FileManager.default.createDirectory(atPath: "\(folder)/handlers.d", withIntermediateDirectories: true)
    try configure("touchgate.conf", "[Gate]\nQuietPeriod=\(quiet ?? "0")\n\(gate)\n")
    try handler("note", exec: #"/bin/sh -c "echo $TOUCHGATE_UPDATE_ID >> \#(folder)/applied""#)
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

  /// Starts the service, as root or as another user, and waits until it answers.
  func start(as user: String? = nil) throws {
    var command = [touchgated, "--config", folder, "--state", "\(folder)/state", "--socket", "\(folder)/socket"]
    if let user {
      _ = try Run("/bin/chown", ["-R", user, folder])
      command = ["/usr/bin/setpriv", "--reuid=\(user)", "--clear-groups"] + command
    }
    process = try ChildProcess(command[0], Array(command.dropFirst()), errors: "\(folder)/log")
    let ready = eventually { (try? connection.status()) != nil }
    try #require(ready, "the service does not answer; its log: \(log)")
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
    try connection.submit(SubmitRequest(handler: handler, id: id)).id
  }

  func update(_ id: String) throws -> UpdateReply { try connection.update(id) }
  func status() throws -> StatusReply { try connection.status() }

  func isApplied(_ id: String) -> Bool { applied.contains(id) }

  /// Waits until the service sees so many contacts.
  func sees(_ contacts: Int, within limit: Duration = .seconds(5)) throws -> Bool {
    try eventually(within: limit) { try status().contacts == contacts }
  }

  /// Waits until the service knows so many screens, all with their state read.
  func knows(screens: Int) throws -> Bool {
    try eventually {
      let status = try status()
      return status.screens.count == screens && status.screens.allSatisfy { $0.state != "unknown" }
    }
  }
}

/// A program run to its end.
struct Run {
  let status: Int32
  let output: String
  let errors: String

  init(_ program: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors, stdin) = (Pipe(), Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = stdin
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try stdin.fileHandleForWriting.close()
    self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    self.errors = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }
}
