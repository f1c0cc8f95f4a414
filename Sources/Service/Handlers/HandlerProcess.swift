import CLinux
import EventLoop
import Glibc
import Linux
import Scheduling
import ServiceConfiguration
import ServiceLog
import Timeline

/// A running `Exec=` handler: a process group of its own, the payload on standard input, its output in the log, and
/// a locked descriptor that tells a later run of the service whether it still runs.
final class HandlerProcess: RunningHandler {
  /// Between SIGTERM and SIGKILL after the time-out.
  static let killGrace: Duration = .seconds(5)

  enum Phase {
    case running
    /// The time-out passed; SIGTERM was sent to the whole group.
    case terminating
    case killed
  }

  let update: Update
  let started: Instant
  let releasedAt: Instant?
  private let pid: pid_t
  private let definition: HandlerDefinition
  private let program: String
  private var phase = Phase.running
  private var phaseEnds: Instant
  private let output: CInt
  private var written = HandlerOutput()
  private let log: Log
  private var outputWatch: Source?
  private var childWatch: Source?

  struct CannotStart: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts the handler's program. `ended` is called once.
  init(
    _ definition: HandlerDefinition, command: [String], _ update: Update, attempt: Int, payload: [UInt8], lock: String,
    releasedAt: Instant?, loop: EventLoop, log: Log, now: Instant,
    ended: @escaping (HandlerEnd, Instant) -> Void
  ) throws {
    let input = try Self.file(of: payload)
    defer { close(input) }
    let lockDescriptor = try Self.takeLock(lock)
    defer { close(lockDescriptor) }  // The child has its own; the lock lives as long as that.
    var pipe: [CInt] = [0, 0]
    guard tg_pipe(&pipe) == 0 else { throw CannotStart(description: "pipe: \(Errno())") }
    defer { close(pipe[1]) }

    let program = command.first ?? ""
    var child: pid_t = 0
    let code = withCStrings(command) { arguments in
      withCStrings(Self.environment(definition, update, attempt)) { environment in
        tg_spawn(&child, program, arguments, environment, input, pipe[1], lockDescriptor)
      }
    }
    guard code == 0 else {
      close(pipe[0])
      unlink(lock)
      throw CannotStart(description: "\(program) cannot be started: \(Errno(code))")
    }
    self.definition = definition
    self.program = program
    self.update = update
    self.releasedAt = releasedAt
    self.log = log
    pid = child
    started = now
    phaseEnds = now + definition.timeout
    output = pipe[0]
    _ = tg_set_nonblocking(output)
    outputWatch = try loop.watch(output, .requests) { [unowned self] _ in readOutput() }
    childWatch = try loop.child(child) { [unowned self] end, now in
      readOutput(atMost: HandlerOutput.pipeBytes)
      if let line = written.lastLine() { write(line) }
      outputWatch = nil
      sweep()
      ended(HandlerEnd(result: result(end, at: SystemClock.wall), triesLater: asksToTryLater(end)), now)
    }
  }

  deinit { close(output) }

  /// Its output, and its end, are told to nobody else.
  var canBeLeft: Bool { false }

  var nextDeadline: Instant? {
    switch phase {
    case .running, .terminating: phaseEnds
    case .killed: nil
    }
  }

  func timePassed(_ now: Instant) {
    guard let due = nextDeadline, due <= now else { return }
    switch phase {
    case .running:
      phase = .terminating
      phaseEnds = now + Self.killGrace
      let timeout = TimeSpan.describe(definition.timeout)
      log.warning("handler '\(definition.name)' for \(update.id): no end in \(timeout); SIGTERM")
      kill(-pid, SIGTERM)
    case .terminating:
      phase = .killed
      log.warning("handler '\(definition.name)' for \(update.id): SIGKILL")
      kill(-pid, SIGKILL)
    case .killed:
      break
    }
  }

  /// The program has ended after its time-out: whatever else is left of its group has had its SIGTERM.
  private func sweep() {
    switch phase {
    case .running: break
    case .terminating, .killed: kill(-pid, SIGKILL)
    }
  }

  /// What the end means for the update.
  private func result(_ end: EventLoop.ChildEnd, at wall: WallTime) -> UpdateResult {
    let state: FinalState
    let exitCode: Int?
    var message: String
    switch (end, phase) {
    case (.exited(0), .running):
      (state, exitCode, message) = (.applied, 0, "exit 0")
    case (.exited(let code), .running):
      (state, exitCode, message) = (.failed, Int(code), "\(program) ended with exit status \(code)")
    case (.exited(let code), .terminating), (.exited(let code), .killed):
      (state, exitCode) = (.failed, Int(code))
      message = "stopped after its time-out of \(TimeSpan.describe(definition.timeout)) (exit status \(code))"
    case (.killed(let signal), .running):
      (state, exitCode, message) = (.failed, nil, "\(program) was ended by signal \(signal)")
    case (.killed(let signal), .terminating), (.killed(let signal), .killed):
      (state, exitCode) = (.failed, nil)
      message = "stopped after its time-out of \(TimeSpan.describe(definition.timeout)) by signal \(signal)"
    }
    if state == .failed && !written.tail.isEmpty {
      message += "; last output: \(String(decoding: written.tail, as: UTF8.self))"
    }
    return UpdateResult(
      state: state, exitCode: exitCode, message: message, finishedAt: wall,
      releaseToStartMilliseconds: releasedAt.map { (started - $0).wholeMilliseconds })
  }

  private func asksToTryLater(_ end: EventLoop.ChildEnd) -> Bool {
    switch phase {
    case .running: end == .exited(75)
    case .terminating, .killed: false
    }
  }

  // MARK: Output

  private func readOutput(atMost limit: Int = HandlerOutput.atOnce) {
    switch written.read(from: output, atMost: limit) {
    case .more(let lines):
      lines.forEach(write)
    case .end(let lines):
      lines.forEach(write)
      outputWatch = nil  // End of file would be readable for ever.
    }
  }

  private func write(_ line: String) {
    log.info("\(definition.name) \(update.id): \(line)")
  }

  // MARK: What the child gets

  /// The service's own environment without what is meant for the service alone, and what the update says.
  private static func environment(_ definition: HandlerDefinition, _ update: Update, _ attempt: Int) -> [String] {
    let own = [
      "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "JOURNAL_STREAM",
    ]
    var result: [String] = []
    var entry = tg_environment()
    while let pointer = entry?.pointee {
      let text = String(cString: pointer)
      entry = entry?.successor()
      let name = String(text.prefix { $0 != "=" })
      if own.contains(name) || name.hasPrefix("TOUCHGATE_") { continue }
      result.append(text)
    }
    result.append("TOUCHGATE_UPDATE_ID=\(update.id)")
    result.append("TOUCHGATE_HANDLER=\(definition.name)")
    result.append("TOUCHGATE_ATTEMPT=\(attempt)")
    for (name, value) in update.parameters.sorted(by: { $0.key < $1.key }) {
      result.append("TOUCHGATE_PARAM_\(name.uppercased())=\(value)")
    }
    return result
  }

  /// The payload as a file in memory, read from its beginning: no pipe that could block either side.
  private static func file(of payload: [UInt8]) throws -> CInt {
    let descriptor = tg_memory_file("touchgate-payload")
    guard descriptor >= 0 else { throw CannotStart(description: "memfd_create: \(Errno())") }
    var written = 0
    while written < payload.count {
      let size = payload[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if size < 0 && errno == EINTR { continue }
      if size <= 0 {
        let code = errno
        close(descriptor)
        throw CannotStart(description: "payload: \(Errno(code))")
      }
      written += size
    }
    lseek(descriptor, 0, SEEK_SET)
    return descriptor
  }

  private static func takeLock(_ path: String) throws -> CInt {
    let descriptor = tg_open_lock(path)
    guard descriptor >= 0 else { throw CannotStart(description: "\(path): \(Errno())") }
    return descriptor
  }

  /// Whether a process that a former run of the service started still holds the lock. Removes the file where not.
  static func holdsLock(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return false }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK { return true }
    unlink(path)
    return false
  }
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings<R>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
  let pointers = strings.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  return body(pointers + [nil])
}
