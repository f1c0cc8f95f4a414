public import EventLoop
import Glibc
import Linux
public import Scheduling
public import ServiceLog
public import Timeline

/// A running `Exec=` handler: a process group of its own, whose output goes to the log.
public final class HandlerProcess: RunningHandler {
  /// Between SIGTERM and SIGKILL after the timeout.
  static let killGrace: Duration = .seconds(5)

  enum Phase {
    case running
    /// The timeout has passed; SIGTERM was sent to the whole group.
    case terminating
    case killed
  }

  public let started: Instant
  private let start: HandlerStart
  private let pid: pid_t
  private let program: String
  private var phase = Phase.running
  private var phaseEnds: Instant
  private let pipe: HandlerPipe
  private var output = HandlerOutput()
  private let log: Log
  private var outputWatch: Source?
  private var childWatch: Source?

  /// Starts what was prepared. `boot`: the boot id. `left`: who reads on what it leaves running. `ended` is called once,
  /// later. Throws `HandlersError` or
  /// `EventLoop.Failure`.
  public init(
    _ prepared: consuming PreparedProcess, _ start: HandlerStart, loop: EventLoop, boot: String, log: Log,
    left: LeftOutputs, now: Instant, ended: @escaping (HandlerEnd, Instant) -> Void
  ) throws {
    program = prepared.program
    (pid, pipe) = try prepared.spawn(boot: boot, now: now)
    self.start = start
    self.log = log
    started = now
    phaseEnds = now + start.timeout
    outputWatch = try loop.watch(pipe.raw, .requests) { [unowned self] _ in readOutput() }
    childWatch = try loop.child(pid) { [unowned self] end, now in
      readOutput(atMost: HandlerOutput.pipeBytes)
      if let line = output.lastLine() { write(line) }
      outputWatch = nil
      killRest()
      left.adopt(pipe, of: update.handler)
      ended(HandlerEnd(result: result(end, at: SystemClock.wall), triesLater: asksToTryLater(end)), now)
    }
  }

  public var update: Update { start.update }

  /// Only this object reads its output and learns how it ends.
  public var survivesService: Bool { false }

  public var nextDeadline: Instant? {
    switch phase {
    case .running, .terminating: phaseEnds
    case .killed: nil
    }
  }

  public func timePassed(_ now: Instant) {
    guard let due = nextDeadline, due <= now else { return }
    switch phase {
    case .running:
      phase = .terminating
      phaseEnds = now + Self.killGrace
      log.warning(
        "handler '\(update.handler)' for \(update.id) exceeded its timeout of \(TimeSpan.describe(start.timeout)); "
          + "sending SIGTERM")
      kill(-pid, SIGTERM)
    case .terminating:
      phase = .killed
      log.warning("handler '\(update.handler)' for \(update.id) ignores SIGTERM; sending SIGKILL")
      kill(-pid, SIGKILL)
    case .killed:
      break
    }
  }

  /// The program has ended after its timeout: the rest of its group has had its SIGTERM.
  private func killRest() {
    switch phase {
    case .running: break
    case .terminating, .killed: kill(-pid, SIGKILL)
    }
  }

  /// What the end means for the update.
  private func result(_ end: EventLoop.ChildEnd, at wall: WallTime) -> UpdateResult {
    let timeout = "stopped after its timeout of \(TimeSpan.describe(start.timeout))"
    let state: FinalState
    let exitCode: Int?
    var message: String
    switch (end, phase) {
    case (.exited(0), .running):
      (state, exitCode, message) = (.applied, 0, "exit 0")
    case (.exited(let code), .running):
      (state, exitCode, message) = (.failed, Int(code), "\(program) exited with status \(code)")
    case (.exited(let code), .terminating), (.exited(let code), .killed):
      (state, exitCode, message) = (.failed, Int(code), "\(timeout) (exit status \(code))")
    case (.killed(let signal), .running):
      (state, exitCode, message) = (.failed, nil, "\(program) was killed by signal \(signal)")
    case (.killed(let signal), .terminating), (.killed(let signal), .killed):
      (state, exitCode, message) = (.failed, nil, "\(timeout) by signal \(signal)")
    }
    if state == .failed && !output.tail.isEmpty {
      message += "; last output: \(String(decoding: output.tail, as: UTF8.self))"
    }
    return start.result(state, message, exitCode: exitCode, started: started, at: wall)
  }

  private func asksToTryLater(_ end: EventLoop.ChildEnd) -> Bool {
    switch phase {
    case .running: end == .exited(75)
    case .terminating, .killed: false
    }
  }

  // MARK: Output

  private func readOutput(atMost limit: Int = HandlerOutput.atOnce) {
    switch output.read(from: pipe.raw, atMost: limit) {
    case .more(let lines):
      lines.forEach(write)
    case .end(let lines):
      lines.forEach(write)
      outputWatch = nil  // An end of file would stay readable.
    }
  }

  private func write(_ line: String) { log.info("\(update.handler) \(update.id): \(line)") }
}
