import CLibsystemd
import Glibc
import Linux
public import Timeline

/// The service's one loop, on sd-event: descriptors, timers, signals and children, with priorities.
///
/// Priorities are the reason for sd-event: if a touch and a due timer are pending together, the touch is handled first,
/// so that no decision uses stale state.
///
/// Every wake-up has one beginning and one end: `beforeEach` and `afterEach` run around every callback, whatever called
/// it. A callback itself never arms the timer of its program and never flushes anything.
public final class EventLoop {
  /// Lower values are handled first.
  public enum Priority: Int64, Sendable {
    case touch = -20
    case children = -10
    case requests = 0
    case timers = 10
  }

  public struct Failure: Error, CustomStringConvertible {
    public let call: String
    public let code: CInt

    public var description: String { "\(call): \(Errno(code))" }
  }

  /// Runs before every callback, with the time that the callback gets.
  public var beforeEach: (Instant) -> Void = { _ in }
  /// Runs after every callback, with the same time.
  public var afterEach: (Instant) -> Void = { _ in }

  private let event: OpaquePointer

  /// The sd-event itself, for what libsystemd attaches to it by its own call (`SystemBus`). Such callbacks go through
  /// `callback`.
  package var sdEvent: OpaquePointer { event }

  public init() throws(Failure) {
    var made: OpaquePointer?
    try check("sd_event_new", sd_event_new(&made))
    guard let made else { throw Failure(call: "sd_event_new", code: ENOMEM) }
    event = made
  }

  deinit {
    sd_event_unref(event)
  }

  /// Runs until `stop`; returns the value given there. Throws what a handler could not deal with.
  public func run() throws(Failure) -> CInt {
    let result = sd_event_loop(event)
    if result < 0 { throw Failure(call: "sd_event_loop", code: -result) }
    return result
  }

  /// Ends `run` after the present handler.
  public func stop(_ code: CInt) {
    sd_event_exit(event, code)
  }

  /// One callback of the loop: `beforeEach`, `body`, `afterEach`, all with the same reading of the clock.
  package func callback(_ body: (Instant) -> Void) {
    let now = SystemClock.monotonic
    beforeEach(now)
    body(now)
    afterEach(now)
  }

  // MARK: Sources. A source lives as long as the returned object.

  /// `readable` is called while there is something to read, and when the other end is gone.
  public func watch(
    _ descriptor: CInt, _ priority: Priority, readable: @escaping (Instant) -> Void
  ) throws(Failure) -> Source {
    let box = Handler(self) { now, _ in readable(now) }
    var source: OpaquePointer?
    let result = sd_event_add_io(
      event, &source, descriptor, UInt32(EPOLLIN.rawValue),
      { _, _, _, context in Handler.call(context, 0) }, box.context)
    return try keep("sd_event_add_io", result, source, box, priority)
  }

  /// A timer that is off until it is armed.
  public func timer(_ priority: Priority, due: @escaping (Instant) -> Void) throws(Failure) -> TimerSource {
    let timer = TimerSource()
    let box = Handler(self) { [unowned timer] now, _ in
      timer.due = nil
      due(now)
    }
    var source: OpaquePointer?
    // Accuracy of 1 us: the default of 250 ms would let updates wait for company.
    let result = sd_event_add_time(
      event, &source, CLOCK_MONOTONIC, UInt64.max, 1, { _, _, context in Handler.call(context, 0) }, box.context)
    timer.source = try keep("sd_event_add_time", result, source, box, priority)
    timer.arm(nil)
    return timer
  }

  /// The signal must be blocked in every thread: `blockSignals`.
  public func signal(_ number: CInt, received: @escaping (Instant) -> Void) throws(Failure) -> Source {
    let box = Handler(self) { now, _ in received(now) }
    var source: OpaquePointer?
    let result = sd_event_add_signal(
      event, &source, number, { _, _, context in Handler.call(context, 0) }, box.context)
    return try keep("sd_event_add_signal", result, source, box, .requests)
  }

  /// How a child ended.
  public enum ChildEnd: Equatable, Sendable {
    case exited(CInt)
    case killed(signal: CInt)
  }

  /// Called once when the child has ended; it is reaped. SIGCHLD must be blocked.
  public func child(_ pid: CInt, ended: @escaping (ChildEnd, Instant) -> Void) throws(Failure) -> Source {
    let box = Handler(self) { now, value in
      ended(value >= 0 ? .exited(CInt(value)) : .killed(signal: CInt(-value)), now)
    }
    var source: OpaquePointer?
    let result = sd_event_add_child(
      event, &source, pid, CInt(WEXITED),
      { _, info, context in
        guard let info else { return 0 }
        let status = info.pointee._sifields._sigchld.si_status
        return Handler.call(context, info.pointee.si_code == CInt(CLD_EXITED) ? Int(status) : -Int(status))
      }, box.context)
    return try keep("sd_event_add_child", result, source, box, .children)
  }

  /// Blocks signals that the loop will receive as events; SIGPIPE is ignored, because peers vanish.
  public static func blockSignals(_ numbers: [CInt]) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    Glibc.signal(SIGPIPE, SIG_IGN)
  }

  private func keep(
    _ call: String, _ result: CInt, _ source: OpaquePointer?, _ handler: Handler, _ priority: Priority
  ) throws(Failure) -> Source {
    try check(call, result)
    guard let source else { throw Failure(call: call, code: ENOMEM) }
    sd_event_source_set_priority(source, priority.rawValue)
    return Source(source, handler)
  }
}

private func check(_ call: String, _ result: CInt) throws(EventLoop.Failure) {
  if result < 0 { throw EventLoop.Failure(call: call, code: -result) }
}

/// What a C callback needs to reach a Swift closure; kept alive by its source.
final class Handler {
  private unowned let loop: EventLoop
  private let body: (Instant, Int) -> Void

  init(_ loop: EventLoop, _ body: @escaping (Instant, Int) -> Void) {
    self.loop = loop
    self.body = body
  }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func call(_ context: UnsafeMutableRawPointer?, _ value: Int) -> CInt {
    guard let context else { return 0 }
    // Retained for the call: the handler may drop its own source.
    let handler = Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue()
    handler.loop.callback { now in handler.body(now, value) }
    return 0
  }
}

/// One thing that the loop watches; the watch ends with the object.
public final class Source {
  fileprivate let pointer: OpaquePointer
  private let handler: Handler

  fileprivate init(_ pointer: OpaquePointer, _ handler: Handler) {
    self.pointer = pointer
    self.handler = handler
  }

  deinit {
    sd_event_source_set_enabled(pointer, CInt(SD_EVENT_OFF))
    sd_event_source_unref(pointer)
  }
}

/// A one-shot timer.
public final class TimerSource {
  fileprivate var source: Source?
  /// When it is due; nil: it is off.
  public fileprivate(set) var due: Instant?

  fileprivate init() {}

  /// Sets when it is due; nil: never. Setting the same again costs nothing.
  public func arm(_ instant: Instant?) {
    guard let pointer = source?.pointer else { return }
    guard let instant, instant != .distantFuture else {
      due = nil
      sd_event_source_set_enabled(pointer, CInt(SD_EVENT_OFF))
      return
    }
    if due == instant { return }
    due = instant
    // Rounded up: a timer that fires a microsecond early would find nothing due.
    sd_event_source_set_time(pointer, UInt64(max(0, instant.nanoseconds / 1000 + 1)))
    sd_event_source_set_enabled(pointer, CInt(SD_EVENT_ONESHOT))
  }
}
