public import Timeline
public import TouchModel

/// How one touch device is read: events and slot tables in, contact changes out.
///
/// A value without a descriptor or a clock. Each input is passed the source, reads from it what it needs, and returns
/// what follows from that, in order. The owner calls `readable` when the device has events, `timePassed` when
/// `nextDeadline` has come, `recheck` before a decision that depends on the device, and `distrust` after anything that
/// may have changed the device unnoticed. A new reader wants its first slot table at once, so its deadline has passed.
///
/// The rules are in docs/touch.md.
public struct DeviceReader: Sendable {
  /// What followed from an input.
  public enum Output: Equatable, Sendable {
    case change(ContactChange)
    /// The first slot table was read, or the first after `unreadable`; its contacts were reported before.
    case ready
    /// The slot table cannot be read. The reader retries; `ready` follows when that succeeds.
    case unreadable
    /// This number of differences between frames and slot table was found and repaired.
    case repaired(Int)
    /// This number of contacts was found stuck.
    case stuck(Int)
    /// The device is gone, and with it this number of contacts, whose ends are not reported one by one. The last output:
    /// inputs after it do nothing.
    case gone(contacts: Int)
  }

  /// Most events read per input, so that a device that floods cannot keep the loop busy.
  public static let mostEvents = 4096
  /// The pause before a slot table that could not be read is tried again.
  public static let tableRetry: Duration = .milliseconds(50)
  /// Under a foreign grab only the slot table shows a touch. It is read this often, so that a tap of 60 ms is seen.
  public static let sampling: Duration = .milliseconds(50)
  /// Rechecks give up after this number of attempts that were disturbed by events.
  static let mostAttempts = 10
  /// A table has settled if two reads agree; reading it gives up after this number of pairs.
  static let mostPairs = 20

  private enum Condition {
    case starting
    case ready
    case unreadable
    case gone
  }

  /// The contacts of the device.
  public private(set) var tracker: ContactTracker
  /// Whether updates wait. Without any the device is not sampled.
  public var somethingWaits: Bool

  private var condition = Condition.starting
  private var assembler = FrameAssembler()
  private var lastStamp = Instant.distantPast
  /// When to read the slot table next, if one is wanted and could not be read yet.
  private var tableDue: Instant? = .distantPast
  /// When the slot table was last compared with the frames.
  private var lastComparison = Instant.distantPast
  private var positions = PositionMask()
  private var outputs: [Output] = []

  public init(
    profile: ScreenProfile, stuckAfter: Duration = .seconds(600), onStuck: ContactTracker.StuckPolicy = .ignore,
    somethingWaits: Bool = false
  ) {
    tracker = ContactTracker(profile: profile, stuckAfter: stuckAfter, onStuck: onStuck)
    self.somethingWaits = somethingWaits
  }

  // MARK: State

  /// `uncertain` until the first slot table was read, and while it cannot be read.
  public var verdict: ContactTracker.Verdict {
    switch condition {
    case .ready: tracker.verdict
    case .starting, .unreadable: .uncertain
    case .gone: .idle
    }
  }

  /// A slot table is wanted and could not be read yet.
  public var isAwaitingTable: Bool { tableDue != nil }

  /// When a frame that the kernel cut counts as complete, unless the rest of it arrives before; nil: no frame is cut.
  public var cutFrameDue: Instant? { assembler.cutSince.map { $0 + ContactTracker.secondRead } }

  /// When to call `timePassed`; nil: only after another input.
  public var nextDeadline: Instant? {
    if condition == .gone { return nil }
    // While a table is due, comparisons are not made, so none is waited for.
    let reads = tableDue.map { [$0] } ?? [comparisonDue].compactMap(\.self)
    return (reads + [tracker.nextDeadline, cutFrameDue, positions.due].compactMap(\.self)).min()
  }

  // MARK: Inputs

  /// Another process holds the device: a grab was refused. The device is sampled until its next frame.
  public mutating func noteForeignGrab() { tracker.noteForeignGrab() }

  /// The device has events, or is gone: reads at most `mostEvents`. If more are queued, the source stays readable.
  public mutating func readable(_ source: some FrameSource, at now: Instant) -> [Output] {
    readEvents(source, now)
    return takeOutputs()
  }

  /// Compares the slot table with the frames and repairs differences.
  public mutating func recheck(_ source: some FrameSource, at now: Instant) -> [Output] {
    compare(source, now)
    return takeOutputs()
  }

  /// Does what is due by now: completes a cut frame, reads a table, compares it, ends contacts, masks positions.
  public mutating func timePassed(_ source: some FrameSource, at now: Instant) -> [Output] {
    if let due = cutFrameDue, due <= now, !readEvents(source, now),
      let output = assembler.finishCutFrame(at: stamp(now, now))
    {
      emit(tracker.handle(output))
      tune(source, now)
    }
    if let due = tableDue, due <= now { adoptTable(source, now) }
    if let due = comparisonDue, due <= now { compare(source, now) }
    if condition != .gone { emit(tracker.timePassed(now)) }
    if let due = positions.due, due <= now { mask(source, now) }
    return takeOutputs()
  }

  /// Reads the slot table anew, because the device may have changed unnoticed: the machine has slept.
  public mutating func distrust(_ source: some FrameSource, at now: Instant) -> [Output] {
    if condition != .gone { emit(tracker.handle(.lost(now))) }
    adoptTable(source, now)
    return takeOutputs()
  }

  // MARK: Events

  /// Reads and applies what is queued. Returns whether that completed a frame or showed a loss.
  @discardableResult
  private mutating func readEvents(_ source: some FrameSource, _ now: Instant) -> Bool {
    if condition == .gone { return false }
    var left = Self.mostEvents
    var progressed = false
    while left > 0 {
      let events: [InputEvent]
      switch source.read(limit: left, at: now) {
      case .events(let read): events = read
      case .gone:
        leave(now)
        return progressed
      }
      if events.isEmpty { break }
      left -= events.count
      for event in events {
        guard let output = assembler.add(stamped(event, now)) else { continue }
        progressed = true
        emit(tracker.handle(output))
        guard case .resync = output else { continue }
        adoptTable(source, now)  // Discards the events after it, which the table includes.
        return true
      }
    }
    if progressed { tune(source, now) }
    return progressed
  }

  private mutating func leave(_ now: Instant) {
    let contacts = tracker.contacts.count
    _ = tracker.removed(at: now)
    assembler.reset()
    condition = .gone
    tableDue = nil
    outputs.append(.gone(contacts: contacts))
  }

  private mutating func stamped(_ event: InputEvent, _ now: Instant) -> InputEvent {
    var event = event
    event.time = stamp(event.time, now)
    return event
  }

  /// A stamp that is never in the future and never goes back. If the driver's stamp does, the time of reading replaces
  /// it.
  private mutating func stamp(_ time: Instant, _ now: Instant) -> Instant {
    lastStamp = time >= lastStamp ? min(time, now) : now
    return lastStamp
  }

  /// After frames: sets which events the kernel sends from now on, and remembers the table of a device at rest.
  private mutating func tune(_ source: some FrameSource, _ now: Instant) {
    if tracker.wantsPlacement { emit(tracker.place(source.table(), at: now)) }
    mask(source, now)
    if tracker.isAtRest, let table = source.table(), !source.hasQueued { tracker.rest(table) }
  }

  /// Lets positions through or masks them. Queued events were filtered by the mask before, so a change needs a table.
  private mutating func mask(_ source: some FrameSource, _ now: Instant) {
    let wanted = positions.letsThrough(wanted: tracker.wantsPositions, at: now)
    if source.wantPositions(wanted) { adoptTable(source, now) }
  }

  // MARK: Slot tables

  /// Takes over the slot table as the truth; if it cannot be read, nothing is known until it can.
  private mutating func adoptTable(_ source: some FrameSource, _ now: Instant) {
    if condition == .gone { return }
    guard let table = settledTable(source) else {
      tableDue = now + Self.tableRetry
      emit(tracker.handle(.lost(now)))  // Queued events were discarded.
      return
    }
    tableDue = nil
    emit(tracker.adopt(table, at: now))
    if condition == .ready { return }
    condition = .ready
    outputs.append(.ready)
  }

  /// The slot table at a moment when nothing is queued that is older, or unread: discards what is queued and reads until
  /// two reads agree with nothing queued in between. Nil if the device does not come to rest, or is gone.
  private mutating func settledTable(_ source: some FrameSource) -> KernelTable? {
    for _ in 0..<Self.mostPairs {
      assembler.reset()
      guard source.discardQueued() else { return nil }
      guard let first = source.table(), !source.hasQueued, let second = source.table() else { continue }
      if first == second && !source.hasQueued { return second }
    }
    return nil
  }

  /// When the slot table must be compared again: a second read, or a sample under a foreign grab.
  private var comparisonDue: Instant? {
    let sample = somethingWaits && tracker.mayBeGrabbed ? lastComparison + Self.sampling : nil
    return [tracker.secondReadDue, sample].compactMap(\.self).min()
  }

  /// A table is compared only if no frame arrived around its reading: an old table would bring back what a frame has
  /// ended. A device that never pauses that long is followed by its frames alone.
  private mutating func compare(_ source: some FrameSource, _ now: Instant) {
    for _ in 0..<Self.mostAttempts {
      if readEvents(source, now) { continue }
      if condition == .gone || tableDue != nil { return }
      guard let table = source.table() else { return giveUp(source, now) }
      if source.hasQueued { continue }
      lastComparison = now
      let before = (drift: tracker.drift, stuck: tracker.stuckTotal)
      emit(tracker.verify(table, at: now))
      mask(source, now)
      if tracker.drift != before.drift { outputs.append(.repaired(tracker.drift - before.drift)) }
      if tracker.stuckTotal != before.stuck { outputs.append(.stuck(tracker.stuckTotal - before.stuck)) }
      return
    }
  }

  /// The slot table cannot be read: the device is gone, or its state is unknown until a retry succeeds.
  private mutating func giveUp(_ source: some FrameSource, _ now: Instant) {
    if source.read(limit: Self.mostEvents, at: now) == .gone { return leave(now) }
    condition = .unreadable
    tableDue = now + Self.tableRetry
    outputs.append(.unreadable)
  }

  // MARK: Outputs

  private mutating func emit(_ changes: [ContactChange]) {
    for change in changes { outputs.append(.change(change)) }
  }

  private mutating func takeOutputs() -> [Output] {
    defer { outputs = [] }
    return outputs
  }
}
