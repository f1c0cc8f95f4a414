import Foundation
import Testing

/// The real service in a temporary folder, killed and started again and again (Tests/Tools/crash/boundaries.c).
final class CrashingService {
  /// What can go wrong besides the service's end at any moment.
  enum Failure {
    case none
    /// Somebody else fills the disk now and then.
    case fullDisk
    /// Its end is a power failure: writes that were not synchronized may be missing.
    case power
    /// The same, and nothing is synchronized: to show that the test notices.
    case powerUnsynchronized
  }

  let folder: String
  let failure: Failure
  private(set) var lives = 0
  private let tools: String
  private let program: String
  private var process: Process?

  var state: String { "\(folder)/state" }
  var socket: String { "\(folder)/socket" }
  var log: String { "\(folder)/applied" }
  private var trace: String { "\(folder)/boundaries" }

  init(tools: String, program: String, failure: Failure) throws {
    self.failure = failure
    self.tools = tools
    self.program = program
    folder = "/tmp/touchgate-crash-\(UUID().uuidString)"
    for name in ["state", "handlers.d"] {
      try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    try write(
      "touchgate.conf",
      "[Gate]\nQuietPeriod=0\nFirstScreenTimeout=0\n[Queue]\nRetryInterval=100ms\nMaxWaiting=100\n"
        + "KeepHistoryEntries=1000000\n")
    let handler = "[Handler]\nExec=\(tools)/handler\nParam=sleep\nParam=fails\nParam=later\nBackoff=100ms\n"
    for kind in Wanted.Kind.allCases {
      var more = ""
      if kind == .retry { more = "Attempts=\(Judge.attempts)\n" }
      if kind == .atMostOnce { more = "OnInterrupted=fail\n" }
      try write("handlers.d/\(kind.rawValue).conf", handler + more)
    }
    for file in [log, trace, "\(folder)/journal"] { _ = FileManager.default.createFile(atPath: file, contents: nil) }
  }

  deinit {
    kill(SIGKILL)
    umount2(state, CInt(MNT_DETACH))
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func write(_ file: String, _ text: String) throws {
    try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
  }

  /// Where it can be killed: system calls that others can see, or that leave traces for the next run.
  static let boundaries: [String] = [
    "pwrite queue.sqlite-wal", "fdatasync queue.sqlite-wal", "fallocate queue.sqlite-wal", "pwrite queue.sqlite",
    "fdatasync queue.sqlite", "ftruncate queue.sqlite", "pwrite queue.sqlite-shm", "ftruncate queue.sqlite-shm",
    "flock lock", "flock handler.lock", "unlink handler.lock", "spawn handler", "waitid handler", "recv socket",
    "sendmsg socket",
  ].flatMap { call in
    (call.hasPrefix("pwrite") ? ["before", "middle", "after"] : ["before", "after"]).map { "\(call) \($0)" }
  }

  /// Starts it, to be killed at the `number`-th boundary of this kind; nil: at none.
  func start(boundary: String? = nil, number: Int = 1) throws {
    lives += 1
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = ["--config", folder, "--state", state, "--socket", socket]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "LD_PRELOAD": "\(tools)/boundaries.so", "CRASH_AT": "\(number)", "CRASH_TRACE": trace, "CRASH_LOG": log,
      "CRASH_LIFE": "\(lives)",
    ]) { $1 }
    process.environment?["CRASH_KIND"] = boundary
    if [.power, .powerUnsynchronized].contains(failure) { process.environment?["CRASH_POWER"] = "\(lives)" }
    if failure == .powerUnsynchronized { process.environment?["CRASH_UNSYNCED"] = "1" }
    let journal = FileHandle(forWritingAtPath: "\(folder)/journal")
    _ = try journal?.seekToEnd()
    process.standardError = journal
    process.standardInput = FileHandle.nullDevice
    try process.run()
    self.process = process
  }

  /// Waits until it has ended, or until the limit.
  func waitForEnd(within limit: Duration) {
    let end = ContinuousClock.now + limit
    while let process, process.isRunning, ContinuousClock.now < end { usleep(1000) }
  }

  /// Returns the signal that ended it; 0: it had exited.
  @discardableResult
  func kill(_ number: Int32) -> Int32 {
    guard let process else { return 0 }
    if process.isRunning { _ = Glibc.kill(process.processIdentifier, number) }
    process.waitUntilExit()
    self.process = nil
    return process.terminationReason == .uncaughtSignal ? process.terminationStatus : 0
  }

  var isRunning: Bool { process?.isRunning == true }

  /// The kinds of boundary at which it was killed, with how often.
  func boundaries() throws -> [String: Int] {
    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    return Dictionary(lines.map { (String($0), 1) }, uniquingKeysWith: +)
  }

  func handlerLog() throws -> HandlerLog {
    try HandlerLog(text: try String(contentsOfFile: log, encoding: .utf8))
  }

  var journal: String { (try? String(contentsOfFile: "\(folder)/journal", encoding: .utf8)) ?? "" }
}
