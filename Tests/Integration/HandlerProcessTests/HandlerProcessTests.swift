import EventLoop
import Foundation
import Glibc
import Linux
import Scheduling
import ServiceLog
import Testing
import Timeline

@testable import Handlers

/// Real children of the test process, in a loop of their own.
@Suite("Exec= handlers", .serialized)
final class HandlerProcessTests {
  let folder = NSTemporaryDirectory() + "touchgate-handler-\(UUID().uuidString)"

  init() throws {
    EventLoop.blockSignals([SIGCHLD])
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

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

  /// Starts it and runs the loop until it has ended; and longer while `goesOn`.
  private func end(
    _ prepared: consuming PreparedProcess, timeout: Duration = .seconds(20), goesOn: @escaping () -> Bool = { false }
  ) throws -> HandlerEnd? {
    let loop = try EventLoop()
    var end: HandlerEnd?
    let start = HandlerStart(update(), attempt: 2, timeout: timeout, releasedAt: nil)
    let left = LeftOutputs(loop: loop, log: Log())
    let process = try HandlerProcess(
      prepared, start, loop: loop, boot: "boot", log: Log(), left: left, now: SystemClock.monotonic
    ) { [loop] its, _ in
      end = its
      if !goesOn() { loop.stop(0) }
    }
    let timer = try loop.timer(.timers) { now in
      process.timePassed(now)
      left.timePassed(now)
    }
    loop.afterEach = { _ in
      if end != nil && !goesOn() { loop.stop(0) }
      timer.arm([process.nextDeadline, left.nextDeadline].compactMap(\.self).min())
    }
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

  @Test("a program that the handler leaves running goes on writing, more than a pipe holds, and ends by itself")
  func outputOfWhatIsLeft() throws {
    let done = "\(folder)/done"
    // 200 kB; SIGPIPE would end it before the last command.
    let script = "(sleep 0.2; head -c 200000 /dev/zero; echo $? > \(done)) & exit 0"
    let end = try end(try prepare(script), goesOn: { !FileManager.default.fileExists(atPath: done) })
    #expect(end?.result.state == .applied)
    #expect(try String(contentsOfFile: done, encoding: .utf8) == "0\n")
  }

  private var holder: HandlerLock.Holder { HandlerLock.holder(lock, boot: "boot") }

  @Test("a prepared handler holds its lock; a discarded one leaves nothing behind and starts nothing")
  func discarded() throws {
    let prepared = try prepare("touch \(folder)/ran")
    #expect(holder == .unknown)
    prepared.discard()
    #expect(!FileManager.default.fileExists(atPath: lock))
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/ran"))
  }

  @Test("the lock is held while the program runs, and free after it")
  func lockHeld() throws {
    let script = "flock -n \(lock) true && echo free || echo held"
    let end = try end(try prepare("[ \"$(\(script))\" = held ]"))
    #expect(end?.result.state == .applied, "\(String(describing: end))")
    #expect(holder == .nobody)
  }

  /// A handler that leaves `sleep` running, which inherits the lock; its process id is in `left`.
  private static let leaves = "(exec sleep 600 > /dev/null 2>&1) & echo $! > left"

  private func killWhatIsLeft() throws {
    let pid = try String(contentsOfFile: "\(folder)/left", encoding: .utf8).filter(\.isNumber)
    kill(try #require(Int32(pid)), SIGKILL)
  }

  @Test("what a handler leaves running keeps no later attempt from starting, and does not count as the handler")
  func leftRunning() throws {
    for _ in 1...2 {
      let end = try end(try prepare("cd \(folder); \(Self.leaves); exit 1"))
      #expect(end?.result.state == .failed && end?.result.exitCode == 1, "\(String(describing: end))")
      #expect(flock(open(lock, O_RDONLY | O_CLOEXEC), LOCK_EX | LOCK_NB) != 0, "it has inherited the lock")
      #expect(holder == .nobody, "the handler itself has ended")
      try killWhatIsLeft()
    }
    #expect(!FileManager.default.fileExists(atPath: lock))
  }

  /// As a run of the service that is gone would leave it.
  private func orphan(_ script: String, timeout: Duration, _ body: (OrphanProcess?, Instant, pid_t) throws -> Void)
    throws
  {
    let now = SystemClock.monotonic
    let (pid, pipe) = try prepare(script).spawn(boot: "boot", now: now)
    let start = HandlerStart(update(), attempt: 1, timeout: timeout, releasedAt: nil)
    try body(OrphanProcess(lock, boot: "boot", start, log: Log(), now: now), now, pid)
    kill(-pid, SIGKILL)
    var status: CInt = 0
    waitpid(pid, &status, 0)
    withExtendedLifetime(pipe) {}
  }

  /// Until the process has ended; it is not waited for.
  private func waitForEnd(of pid: pid_t) {
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
  }

  @Test("a handler of a former run is the process with this number and start time: it runs, or it has ended")
  func identity() throws {
    try orphan("exec sleep 600", timeout: .seconds(60)) { process, now, pid in
      let process = try #require(process)
      #expect(process.ask(now) == .running)
      guard case .handler(let identity) = holder else { throw HandlersError("no identity") }
      #expect(identity.pid == pid && identity.started == now && identity.isAlive)
      #expect(!ProcessIdentity(pid: pid, startTicks: identity.process.startTicks + 1).isAlive, "reused number")
      #expect(HandlerLock.holder(lock, boot: "another") == .unknown)
      kill(pid, SIGKILL)
      waitForEnd(of: pid)
      #expect(!identity.isAlive, "it has ended, although nobody has waited for it")
      #expect(process.ask(now + .seconds(1)) == .ended)
      #expect(!FileManager.default.fileExists(atPath: lock))
    }
  }

  @Test("Timeout= applies to a handler of a former run, from its start: SIGTERM, then SIGKILL")
  func orphanTimeout() throws {
    try #require(mkfifo("\(folder)/ready", 0o600) == 0)
    try orphan(ignoresTerm, timeout: .seconds(60)) { process, now, pid in
      let process = try #require(process)
      _ = try readFile("\(folder)/ready", limit: 1)  // Returns when the program has opened it.
      #expect(process.ask(now + .seconds(59)) == .running)
      #expect(process.ask(now + .seconds(60)) == .running, "SIGTERM")
      #expect(process.ask(now + .seconds(64)) == .running)
      guard case .handler(let identity) = holder else { throw HandlersError("no identity") }
      #expect(identity.isAlive, "no SIGKILL before its time")
      #expect(process.ask(now + .seconds(65)) == .running, "SIGKILL")
      waitForEnd(of: pid)
      guard case .timedOut(let end) = process.ask(now + .seconds(66)) else { throw HandlersError("still running") }
      #expect(end.result.state == .failed && end.result.message == "stopped after its timeout of 1 min")
    }
  }

  @Test("a lock whose process is not known is waited for, no longer than Timeout=")
  func unknownOrphan() throws {
    let prepared = try prepare("true")
    let start = HandlerStart(update(), attempt: 1, timeout: .seconds(60), releasedAt: nil)
    let now = SystemClock.monotonic
    let process = try #require(OrphanProcess(lock, boot: "boot", start, log: Log(), now: now))
    #expect(process.ask(now + .seconds(59)) == .running)
    guard case .timedOut(let end) = process.ask(now + .seconds(60)) else { throw HandlersError("still running") }
    #expect(end.result.message.contains("a process that holds its lock did not end within its timeout of 1 min"))
    #expect(OrphanProcess(lock, boot: "boot", start, log: Log(), now: now) == nil, "it is forgotten")
    prepared.discard()
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

  /// A program that reports through a FIFO that it ignores SIGTERM.
  private var ignoresTerm: String { "trap '' TERM; echo > \(folder)/ready; while :; do sleep 600; done" }

  @Test("a program that ignores SIGTERM gets SIGKILL 5 s later, with its whole group", .timeLimit(.minutes(1)))
  func ignored() throws {
    try #require(mkfifo("\(folder)/ready", 0o600) == 0)
    let loop = try EventLoop()
    var end: HandlerEnd?
    let start = HandlerStart(update(), attempt: 2, timeout: .seconds(20), releasedAt: nil)
    let now = SystemClock.monotonic
    let process = try HandlerProcess(
      try prepare(ignoresTerm), start, loop: loop, boot: "boot", log: Log(),
      left: LeftOutputs(loop: loop, log: Log()), now: now
    ) { [loop] its, _ in
      end = its
      loop.stop(0)
    }
    _ = try readFile("\(folder)/ready", limit: 1)
    process.timePassed(now + .seconds(20))
    #expect(process.nextDeadline == now + .seconds(25))
    process.timePassed(now + .seconds(24))
    process.timePassed(now + .seconds(25))
    #expect(process.nextDeadline == nil)
    _ = try loop.run()
    #expect(end?.result.message == "stopped after its timeout of 20 s by signal 9")
  }

  @Test("a program that does not exist is reported with its path, and its lock is released")
  func missing() throws {
    #expect(throws: HandlersError("cannot start /nowhere/program: No such file or directory")) {
      try end(prepare(command: ["/nowhere/program"]))
    }
    #expect(!FileManager.default.fileExists(atPath: lock))
  }
}
