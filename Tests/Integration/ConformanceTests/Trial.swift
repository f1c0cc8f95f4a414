import Timeline
import TouchModel

/// One run of a plan: the recorded device writes, the reader reads, the judge decides. Ends at the first wrong verdict.
final class Trial {
  struct WrongVerdict: Equatable, CustomStringConvertible {
    let frame: Int
    let at: Instant
    let objection: String
    var description: String { "frame \(frame), \(at): \(objection)" }
  }

  private(set) var wrong: WrongVerdict?
  var injected = 0
  /// What happened, line by line; empty without `traces`.
  private(set) var trace: [String] = []

  let plan: Plan
  let traces: Bool
  var now: Instant
  var reader: ReaderUnderTest
  var kernel: SimulatedKernel
  var judge: Judge
  var frame: Int
  /// The delay of the recording because of faults.
  var shift = Duration.zero
  var nextTick: Instant

  // What faults have begun; see Trial+Faults.swift.
  var pausedFrames = 0
  var grabbedFrames = 0
  var bouncingFrames = 0
  var grabLasts = Duration.zero
  var grabWasUnseen = false
  var later: [(frame: Int, slot: Int, code: UInt16, value: Int32)] = []
  var stampsBack = Duration.zero
  var isReleased = false
  var isReadingTable = false
  var nextID: Int32 = 70_000
  private var lastStamp = Instant.distantPast
  private var earlierBegins = 0

  init(_ plan: Plan, traces: Bool = false) {
    self.plan = plan
    self.traces = traces
    let stream = plan.stream
    frame = plan.firstFrame
    now = stream.events[stream.frames[plan.firstFrame].lowerBound].time
    nextTick = now + .seconds(1)
    kernel = SimulatedKernel(
      stream.snapshots[plan.firstFrame / Stream.snapshotStep], stream.profile.touchProtocol, plan.shape)
    judge = Judge(stream.profile, kernel.wholeTable, at: now)
    judge.isButtonMasked = kernel.masksButton
    reader = ReaderUnderTest(kernel, stream.profile, chunk: plan.chunk, now: now)
    note { "opened; \(plan.shape)" }
  }

  var begins: Int { earlierBegins + reader.begins }
  var isPaused: Bool { pausedFrames > 0 }

  func run() {
    var next = 0
    while frame < plan.firstFrame + plan.frameCount && wrong == nil {
      let range = plan.stream.frames[frame]
      advance(to: plan.stream.events[range.upperBound - 1].time + shift)
      var faults: [Fault] = []
      while next < plan.faults.count, plan.faults[next].frame == frame {
        faults.append(plan.faults[next].fault)
        next += 1
      }
      play(range, faults)
      if frame % 8 == 0 { recheck() }
      frame += 1
    }
    if wrong == nil { finish() }
  }

  // MARK: Time

  /// Timers, and the tick of each second while something waits, in their order.
  func advance(to target: Instant) {
    var spins = 0
    while !isPaused && wrong == nil {
      let due = min(nextTick, reader.nextDeadline ?? nextTick)
      if due > target { break }
      spins = due > now ? 0 : spins + 1
      if spins > 20 { return fail("a timer that is due again at once, forever") }
      now = max(now, due)
      if now >= nextTick {
        nextTick = now + .seconds(1)
        recheck()
      }
      reader.timePassed(now)
      check(.read)
    }
    now = max(now, target)
  }

  /// Compares the table, and judges the verdict.
  func recheck(_ occasion: Judge.Occasion = .rechecked) {
    if isPaused { return }
    reader.recheck(now)
    note { "rechecked: \(summary)" }
    check(occasion)
  }

  func check(_ occasion: Judge.Occasion) {
    if wrong != nil || isPaused { return }
    if reader.verdict != .idle && reader.isAwaitingTable { return }  // A device that does not come to rest.
    if occasion == .read, let adopted = reader.adoptedInFrame, now - adopted <= ContactTracker.secondRead { return }
    // The gate is shut while a frame is cut, at most 20 ms.
    if reader.isFrameCut { return }
    if let objection = judge.objection(to: reader.verdict, occasion, isGrabbed: kernel.isGrabbed, at: now) {
      fail("\(objection), after it was \(occasion)")
    } else if occasion != .read {
      checkBalance()
    }
  }

  func checkBalance() {
    let contacts = reader.tracker.contacts.count
    if reader.begins - reader.ends != contacts {
      fail("\(reader.begins) begins, \(reader.ends) ends, \(contacts) contacts")
    }
  }

  func fail(_ objection: String) {
    wrong = wrong ?? WrongVerdict(frame: frame, at: now, objection: objection)
    note { "WRONG: \(objection)" }
  }

  /// Another device in its place: new kernel state, a new reader.
  func replug(_ kernel: SimulatedKernel) {
    earlierBegins += reader.begins
    self.kernel = kernel
    judge = Judge(plan.stream.profile, kernel.wholeTable, at: now)
    judge.isButtonMasked = kernel.masksButton
    reader = ReaderUnderTest(kernel, plan.stream.profile, chunk: plan.chunk, now: now)
    nextTick = now + .seconds(1)
  }

  // MARK: Frames

  private func play(_ range: Range<Int>, _ faults: [Fault]) {
    passFaults()
    for fault in faults { begin(fault) }
    sayLater()
    bounce()
    if faults.contains(.raced), !isPaused, !kernel.isGrabbed {
      injected += 1
      race { [unowned self] in write(range, faults) }
    } else {
      write(range, faults)
    }
    stampsBack = .zero
    advance(to: now)  // What is due already.
    check(.read)
  }

  private func write(_ range: Range<Int>, _ faults: [Fault]) {
    let isLiftLost = faults.contains(.liftLost)
    if isLiftLost { injected += 1 }
    for index in range {
      for fault in faults { happen(fault, after: index - range.lowerBound) }
      let event = plan.stream.events[index]
      if isLiftLost && event.type == EventType.abs && event.code == EventCode.trackingID && event.value == -1 {
        continue
      }
      if index == range.upperBound - 1 { repeatButton() }
      write(event.type, event.code, event.value)
    }
  }

  func write(_ type: UInt16, _ code: UInt16, _ value: Int32) {
    let event = InputEvent(time: now - stampsBack, type: type, code: code, value: value)
    let overflows = kernel.overflows
    guard kernel.write(event) else { return }
    judge.saw(event)
    note { "  \(event.name)\(kernel.isGrabbed ? " (grabbed)" : "")" }
    guard type == EventType.syn && code == EventCode.synReport else { return }
    let overflowed = kernel.overflows != overflows
    if overflowed { note { "  SYN_DROPPED for the reader" } }
    // As the reader stamps them.
    if !kernel.isGrabbed { lastStamp = event.time >= lastStamp ? event.time : now }
    let reached =
      !isPaused && !kernel.isGrabbed && !overflowed && !isReadingTable && !reader.isAwaitingTable
      && kernel.sendsPositions && !judge.isRepairing(at: now)
    judge.frameEnded(value: value, reached: reached, stamp: kernel.isGrabbed ? now : lastStamp, at: now)
    if overflowed { judge.lostFrames(at: now) }
    wake()
  }

  func report(_ value: Int32) { write(EventType.syn, EventCode.synReport, value) }

  /// The reader's descriptor may be readable.
  func wake() {
    if isPaused || isReadingTable || !kernel.hasQueued { return }
    reader.wake(now)
    note { "read: \(summary)" }
  }

  private var summary: String {
    let contacts = reader.tracker.contacts.map { "\($0.slot):\($0.id ?? -1)" }
    return "\(reader.verdict.rawValue) {\(contacts.joined(separator: ","))}"
  }

  func note(_ text: () -> String) {
    if traces { trace.append("\(now) \(text())") }
  }
}

extension InputEvent {
  /// As the touch scripts write it.
  var name: String {
    switch (type, code) {
    case (EventType.syn, EventCode.synReport): value == 0 ? "SYN" : "SYN!"
    case (EventType.syn, EventCode.synMTReport): "MTS"
    case (EventType.key, EventCode.buttonTouch): "B \(value)"
    case (EventType.abs, EventCode.slot): "S \(value)"
    case (EventType.abs, EventCode.trackingID): "T \(value)"
    case (EventType.abs, EventCode.toolType): "TT \(value)"
    case (EventType.abs, EventCode.distance): "D \(value)"
    default: "\(type)/\(code) \(value)"
    }
  }
}
