import EventLoop
import Foundation
import Linux
import Scheduling
import ServiceLog
import Testing
import Timeline

@testable import Handlers

/// Real children of the test process, in a loop of their own.
@Suite("Exec= handlers", .serialized)
struct HandlerProcessTests {
  let folder = NSTemporaryDirectory() + "touchgate-handler-\(UUID().uuidString)"

  init() throws {
    EventLoop.blockSignals([SIGCHLD])
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private var lock: String { "\(folder)/lock" }

  private func prepare(_ script: String, payload: String = "") throws(HandlersError) -> PreparedProcess {
    try prepare(command: ["/bin/sh", "-c", script], payload: payload)
  }

  private func prepare(command: [String], payload: String = "") throws(HandlersError) -> PreparedProcess {
    let environment = HandlerEnvironment(["PATH=/usr/bin:/bin", "NOTIFY_SOCKET=/run/x", "TOUCHGATE_SECRET=1", "KEPT=1"])
    return try PreparedProcess(
      command: command, update: update(), attempt: 2, environment: environment, payload: Array(payload.utf8),
      lockPath: lock)
  }

  private func update() -> Update {
    Update(
      id: UpdateID("a") ?? UpdateID(time: WallTime(millisecondsSinceEpoch: 0), randomHigh: 0, randomLow: 0),
      handler: "page", parameters: ["url": "x y"], createdAt: WallTime(millisecondsSinceEpoch: 0),
      submitter: Submitter(uid: 1, pid: 2), sequence: 1, clientID: ClientID("menu-7"))
  }

  /// Starts it and runs the loop until it has ended.
  private func end(_ prepared: consuming PreparedProcess, timeout: Duration = .seconds(20)) throws -> HandlerEnd? {
    let loop = try EventLoop()
    var end: HandlerEnd?
    let start = HandlerStart(update(), attempt: 2, timeout: timeout, releasedAt: nil)
    let process = try HandlerProcess(prepared, start, loop: loop, log: Log(), now: SystemClock.monotonic) {
      [loop] its, _ in
      end = its
      loop.stop(0)
    }
    let timer = try loop.timer(.timers) { now in process.timePassed(now) }
    loop.afterEach = { _ in timer.arm(process.nextDeadline) }
    timer.arm(process.nextDeadline)
    _ = try loop.run()
    withExtendedLifetime(timer) {}
    return end
  }

  @Test("the program gets the payload, the parameters and the service's environment without its private variables")
  func everything() throws {
    let script = "cat > \(folder)/payload; env > \(folder)/env"
    let end = try end(try prepare(script, payload: "two\nlines"))
    #expect(end?.result.state == .applied && end?.result.message == "exit 0")
    #expect(try String(contentsOfFile: "\(folder)/payload", encoding: .utf8) == "two\nlines")
    let environment = try String(contentsOfFile: "\(folder)/env", encoding: .utf8).split(separator: "\n")
    for entry in [
      "TOUCHGATE_PARAM_URL=x y", "TOUCHGATE_UPDATE_ID=a", "TOUCHGATE_CLIENT_ID=menu-7", "TOUCHGATE_ATTEMPT=2", "KEPT=1",
    ] {
      #expect(environment.contains(Substring(entry)))
    }
    #expect(!environment.contains { $0.hasPrefix("NOTIFY_SOCKET") || $0.hasPrefix("TOUCHGATE_SECRET") })
  }

  @Test("a prepared handler holds its lock; a discarded one leaves nothing behind and starts nothing")
  func discarded() throws {
    let prepared = try prepare("touch \(folder)/ran")
    #expect(HandlerLock.isHeld(lock))
    #expect(throws: HandlersError.self) { _ = try prepare("true") }
    prepared.discard()
    #expect(!FileManager.default.fileExists(atPath: lock))
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/ran"))
  }

  @Test("the lock is held while the program runs, and free after it")
  func lockHeld() throws {
    let script = "flock -n \(lock) true && echo free || echo held"
    let end = try end(try prepare("[ \"$(\(script))\" = held ]"))
    #expect(end?.result.state == .applied, "\(String(describing: end))")
    #expect(!HandlerLock.isHeld(lock))
  }

  @Test("a failure has the exit status and the end of the output; 75 means try again later")
  func failures() throws {
    let failed = try end(try prepare("echo broken >&2; exit 3"))
    #expect(failed?.result.exitCode == 3 && failed?.triesLater == false)
    #expect(failed?.result.message == "/bin/sh exited with status 3; last output: broken\n")
    #expect(try end(try prepare("exit 75"))?.triesLater == true)
  }

  @Test("a program that exceeds its timeout is terminated with its whole group")
  func timeout() throws {
    let end = try end(try prepare("sleep 600 & wait"), timeout: .milliseconds(50))
    #expect(end?.result.state == .failed)
    #expect(end?.result.message == "stopped after its timeout of 50 ms by signal 15")
  }

  @Test("a program that does not exist is reported with its path, and its lock is released")
  func missing() throws {
    #expect(throws: HandlersError("cannot start /nowhere/program: No such file or directory")) {
      try end(prepare(command: ["/nowhere/program"]))
    }
    #expect(!FileManager.default.fileExists(atPath: lock))
  }
}
