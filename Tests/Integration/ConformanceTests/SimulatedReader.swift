import Timeline
import TouchModel

/// What `TouchDevice` and `TouchInput` do with a device, step by step, on a simulated one.
final class SimulatedReader {
  private(set) var tracker: ContactTracker
  private(set) var begins = 0
  private(set) var ends = 0
  /// A table was wanted and not to be had; tried again then.
  private(set) var tableDue: Instant?
  /// The first table was read. Before it the gate is `unknown`.
  private(set) var isReady = false
  /// A table was taken over in the middle of a frame; it is looked at again within 20 ms.
  private(set) var adoptedInFrame: Instant?
  /// Most events that were read before anything else had its turn.
  private(set) var mostReadAtOnce = 0
  /// So many more times the device does not come to rest for a settled table.
  var restless = 0

  private let kernel: SimulatedKernel
  private let chunk: Int
  private var assembler = FrameAssembler()
  private var lastLook = Instant.distantPast
  private var lastStamp = Instant.distantPast
  private var outputs: [FrameAssembler.Output] = []

  /// Opens the device; reads at most `chunk` events at a time.
  init(_ kernel: SimulatedKernel, _ profile: ScreenProfile, chunk: Int, now: Instant) {
    self.kernel = kernel
    self.chunk = chunk
    tracker = ContactTracker(profile: profile)
    _ = kernel.wantPositions(false)
    adoptTable(now)
  }

  /// Idle only where the gate would say so of this device.
  var verdict: ContactTracker.Verdict { isReady ? tracker.verdict : .uncertain }

  var nextDeadline: Instant? {
    // A table that is due comes before all other looks at it.
    let tables = tableDue.map { [$0] } ?? [tracker.secondReadDue, sampleDue].compactMap(\.self)
    return (tables + [tracker.nextDeadline, cutDue].compactMap(\.self)).min()
  }

  /// The descriptor is readable: the loop comes back as long as it is.
  func wake(_ now: Instant) {
    while kernel.hasQueued { _ = pump(now) }
  }

  func timePassed(_ now: Instant) {
    if let due = cutDue, due <= now { finishCutFrame(now) }
    if let due = tableDue, due <= now { adoptTable(now) }
    if [tracker.secondReadDue, sampleDue].contains(where: { $0.map { $0 <= now } ?? false }) { look(now) }
    count(tracker.timePassed(now))
  }

  /// The table is compared, each second and before each verdict.
  func look(_ now: Instant) {
    for _ in 0..<10 {
      if pump(now) { continue }
      if tableDue != nil { return }
      let table = kernel.table()
      if kernel.hasQueued { continue }
      lastLook = now
      count(tracker.verify(table, at: now))
      if kernel.wantPositions(tracker.wantsPositions) { adoptTable(now) }
      return
    }
  }

  /// Since when a frame is open that the kernel cut.
  var cutSince: Instant? { assembler.cutSince }
  private var cutDue: Instant? { cutSince.map { $0 + ContactTracker.secondRead } }

  /// Nothing more came of it for 20 ms: it is over.
  private func finishCutFrame(_ now: Instant) {
    if pump(now) { return }
    lastStamp = max(lastStamp, now)
    guard let output = assembler.finishCutFrame(at: lastStamp) else { return }
    count(tracker.handle(output))
    tune(now)
  }

  /// Under a foreign grab the table is all there is.
  private var sampleDue: Instant? {
    tracker.mayBeGrabbed ? lastLook + .milliseconds(50) : nil
  }

  func unplugged(_ now: Instant) {
    count(tracker.removed(at: now))
    isReady = false
  }

  private func pump(_ now: Instant) -> Bool {
    outputs.removeAll(keepingCapacity: true)
    var needsTable = false
    var count = 0
    while count < 4096 && !needsTable {
      let size = kernel.read(chunk) { event in
        if needsTable { return }
        var event = event
        lastStamp = event.time >= lastStamp ? min(event.time, now) : now
        event.time = lastStamp
        guard let output = assembler.add(event) else { return }
        outputs.append(output)
        if case .resync = output { needsTable = true }
      }
      if size == 0 { break }
      count += size
    }
    mostReadAtOnce = max(mostReadAtOnce, count)
    let heard = !outputs.isEmpty
    for output in outputs { self.count(tracker.handle(output)) }
    if needsTable { adoptTable(now) } else if heard { tune(now) }
    return heard
  }

  private func tune(_ now: Instant) {
    if kernel.wantPositions(tracker.wantsPositions) { adoptTable(now) }
    if tracker.isAtRest {
      let table = kernel.table()
      if !kernel.hasQueued { tracker.rest(table) }
    }
  }

  private func adoptTable(_ now: Instant) {
    guard let table = settledTable() else {
      tableDue = now + .milliseconds(50)
      count(tracker.handle(.lost(now)))  // What was queued is thrown away.
      return
    }
    tableDue = nil
    count(tracker.adopt(table, at: now))
    adoptedInFrame = kernel.isInFrame ? now : nil
    isReady = true
  }

  private func settledTable() -> KernelTable? {
    if restless > 0 {
      restless -= 1
      kernel.discardQueued()
      assembler.reset()
      return nil
    }
    for _ in 0..<20 {
      kernel.discardQueued()
      assembler.reset()
      let first = kernel.table()
      if kernel.hasQueued { continue }
      let second = kernel.table()
      if first == second && !kernel.hasQueued { return second }
    }
    return nil
  }

  private func count(_ changes: [ContactChange]) {
    for change in changes {
      switch change {
      case .began: begins += 1
      case .ended: ends += 1
      case .activity, .stuck, .unstuck, .becameUncertain, .becameCertain: break
      }
    }
  }
}
