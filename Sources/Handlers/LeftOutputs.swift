public import EventLoop
import Glibc
import Linux
public import ServiceLog
public import Timeline

/// The output of programs that handlers have left running. Somebody must read it: without a reader they would end by SIGPIPE
/// at their next line, and if nobody read they would stop at a full pipe. It is discarded.
public final class LeftOutputs {
  /// Outputs at once; beyond that the oldest is closed.
  static let most = 16
  /// After each read, so that a program that writes without end wakes nobody more often.
  static let rest: Duration = .milliseconds(100)

  private final class Output {
    let pipe: HandlerPipe
    var watch: Source?
    /// When it is read again; nil: whenever something arrives.
    var restsUntil: Instant?

    init(_ pipe: HandlerPipe) { self.pipe = pipe }
  }

  private var all: [Output] = []
  private let loop: EventLoop
  private let log: Log

  public init(loop: EventLoop, log: Log) {
    self.loop = loop
    self.log = log
  }

  public var nextDeadline: Instant? { all.compactMap(\.restsUntil).min() }

  /// Reads again what has rested long enough.
  public func timePassed(_ now: Instant) {
    for output in all {
      guard let end = output.restsUntil, end <= now else { continue }
      output.restsUntil = nil
      watch(output)
    }
  }

  /// Takes the output of a handler that has ended, unless nothing has its other end.
  func adopt(_ pipe: HandlerPipe, of handler: String) {
    // POLLHUP: nothing was left running, or it has closed its output.
    var entry = pollfd(fd: pipe.raw, events: 0, revents: 0)
    if poll(&entry, 1, 0) == 1 { return }
    log.notice(
      "handler '\(handler)' has left programs running; what they write is discarded, and they end with the service. "
        + "What is to run on belongs in a unit of its own (Unit=)")
    if all.count == Self.most { all.removeFirst() }
    let output = Output(pipe)
    all.append(output)
    watch(output)
  }

  private func watch(_ output: Output) {
    output.watch = try? loop.watch(output.pipe.raw, .requests) { [unowned self, unowned output] now in
      discard(output, now)
    }
    // Without memory for the watch it is closed.
    if output.watch == nil { all.removeAll { $0 === output } }
  }

  private func discard(_ output: Output, _ now: Instant) {
    var buffer = [UInt8](repeating: 0, count: HandlerOutput.atOnce)
    let count = retry { read(output.pipe.raw, &buffer, buffer.count) }
    output.watch = nil
    if count == 0 {
      all.removeAll { $0 === output }
    } else {
      output.restsUntil = now + Self.rest
    }
  }
}
