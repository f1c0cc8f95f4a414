import Foundation
import Scheduling
import Timeline
import TouchgateAPI
import TouchgateClient
import UpdateStore

/// A service with updates that wait for an hour of quiet, and a handler that does nothing.
final class ServiceWithQueue {
  struct Failed: Error {
    let message: String
  }

  let folder: String
  let connection: TouchgateConnection
  private let program: String
  private var process: Process?

  init(program: String, waiting: Int) throws {
    self.program = program
    folder = NSTemporaryDirectory() + "touchgate-bench-\(UUID().uuidString)"
    connection = TouchgateConnection(path: "\(folder)/socket", timeout: .seconds(30))
    for name in ["handlers.d", "state"] {
      try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    let bounds = "MaxWaiting=1000000\nMaxWaitingPerUser=1000000\nMaxWaitingBytes=1G\nMaxWaitingBytesPerUser=1G\n"
    try write("touchgate.conf", "[Gate]\nFirstScreenTimeout=0\n[Queue]\n\(bounds)")
    try write("handlers.d/page.conf", "[Handler]\nExec=/bin/true\nParam=url\n")
    let store = try QueueStore(path: "\(folder)/state/queue.sqlite", now: Self.now)
    for start in stride(from: 0, to: waiting, by: 1000) {
      try store.perform((start..<min(waiting, start + 1000)).map { try Self.accept($0) })
    }
    try store.close()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static var now: WallTime { WallTime(millisecondsSinceEpoch: Int64(Date.now.timeIntervalSince1970 * 1000)) }

  private static func accept(_ number: Int) throws -> StoreWrite {
    guard let id = UpdateID("waiting-\(number)") else { throw Failed(message: "no id") }
    let update = Update(
      id: id, handler: "page", parameters: ["url": "https://example.org/page/\(number)"], createdAt: now,
      submitter: Submitter(uid: UInt32(number % 7), pid: 1), sequence: Int64(number + 1), quietPeriod: .seconds(3600),
      size: 40, content: "0123456789abcdef0123456789abcdef")
    return .accept(update, payload: Array("payload \(number)".utf8))
  }

  private func write(_ file: String, _ text: String) throws {
    try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
  }

  /// Returns when the service answers.
  func start() throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = ["--config", folder, "--state", "\(folder)/state", "--socket", "\(folder)/socket"]
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
    while (try? connection.status()) == nil {
      if !process.isRunning { throw Failed(message: "\(program) ended") }
      usleep(500)
    }
  }

  func stop() {
    process?.terminate()
    process?.waitUntilExit()
    process = nil
  }

  /// Private resident memory (RssAnon), in KiB.
  var memory: Int {
    let text = (try? String(contentsOfFile: "/proc/\(process?.processIdentifier ?? 0)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
    return Int(line.split(whereSeparator: { !$0.isNumber }).first ?? "0") ?? 0
  }

  /// An update that keeps waiting.
  func submit(_ id: String) throws {
    _ = try connection.submit(SubmitRequest(handler: "page", id: id, quietPeriod: "1h"))
  }

  func apply(_ id: String) throws {
    _ = try connection.submit(SubmitRequest(handler: "page", id: id))
    while try connection.update(id).result == nil { usleep(200) }
  }
}
