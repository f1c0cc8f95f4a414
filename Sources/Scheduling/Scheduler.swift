public import Timeline

/// Which update is applied next, when to look again, and what blocks what waits.
///
/// A value: inputs in, actions out, time as an argument. It asks for a durable write and goes on only when it is told
/// `stored`; so an update is on disk before it is accepted, and marked as being applied before its handler starts.
public struct Scheduler: Sendable {
  public enum Action: Equatable, Sendable {
    /// Make this durable, then call `stored` or `storeFailed`.
    case store(StoreWrite)
    /// It is durable: answer 202.
    case accepted(UpdateID)
    /// It could not be made durable: answer with this reason. Nothing of it is kept.
    case refused(UpdateID, reason: String)
    /// Read the kernel's tables of all screens, tell what changed, then call `looked`.
    case lookAgain
    /// The last look before the handler starts: drain, read the tables, tell what changed, then call `verified`.
    case verify(UpdateID)
    /// Start its handler; then, some time, call `handlerEnded`. `releasedAt`: when the touch ended that it waited
    /// for; nil where it did not wait for one.
    case start(Update, attempt: Int, releasedAt: Instant?)
    /// Is the handler that a former run of the service started still running? Then call `probed`.
    case probe(UpdateID)
    /// It has ended, and that is durable.
    case ended(UpdateID, UpdateResult)
  }

  private struct Entry: Sendable {
    let update: Update
    var attempts: Int
    let acceptedTick: Int
    let acceptedAt: Instant
    var durable: Bool
  }

  /// The one update that is being applied.
  private enum Current: Sendable {
    case marking(UpdateID)
    case verifying(UpdateID, releasedAt: Instant?)
    case running(UpdateID)
    /// Started by a former run of the service; not known whether its handler still runs.
    case orphan(UpdateID)
    /// Back to waiting; the write is on its way.
    case returning(UpdateID, attempts: Int)
    case finishing(UpdateID, UpdateResult)

    var id: UpdateID {
      switch self {
      case .marking(let id), .verifying(let id, releasedAt: _), .running(let id), .orphan(let id),
        .returning(let id, attempts: _), .finishing(let id, _):
        id
      }
    }
  }

  private struct Place: Comparable, Sendable {
    let sequence: Int64
    let id: UpdateID

    static func < (a: Place, b: Place) -> Bool { a.sequence < b.sequence }
    static func == (a: Place, b: Place) -> Bool { a.sequence == b.sequence }
  }

  public let quietPeriod: Duration
  /// How often it looks again while anything waits.
  public let interval: Duration
  private var entries: [UpdateID: Entry] = [:]
  private var queue = Heap<Place>()
  private var current: Current?
  private var currentSince: Instant = .distantPast
  private var passages: [String: Passage] = [:]
  private var ticks = 0
  private var nextTick: Instant?
  /// A write failed then; nothing is started until the next look.
  private var storeTrouble: (since: Instant, reason: String)?
  private var stoppingSince: Instant?

  public init(quietPeriod: Duration, interval: Duration) {
    self.quietPeriod = quietPeriod
    self.interval = interval
  }

  // MARK: Questions

  /// The update that is being applied: its handler runs, or is about to.
  public var applying: UpdateID? { current?.id }

  /// A handler was started and its end has not been stored yet.
  public var isRunning: Bool {
    switch current {
    case .running, .finishing: true
    case nil, .marking, .verifying, .orphan, .returning: false
    }
  }

  public var isStopping: Bool { stoppingSince != nil }

  public var waitingCount: Int { queue.count }

  /// The first that waits, by order of arrival.
  public var oldestWaiting: UpdateID? { queue.first?.id }

  public func attempts(of id: UpdateID) -> Int? { entries[id]?.attempts }

  /// How often the service looked again since it accepted (or, after a restart, loaded) the update.
  public func checks(of id: UpdateID) -> Int? {
    entries[id].map { ticks - $0.acceptedTick }
  }

  /// When `timePassed` is due; nil: nothing waits, and no timer runs.
  public var nextDeadline: Instant? {
    var deadline = nextTick
    if let opens = opensAt, queue.first != nil, current == nil, storeTrouble == nil, stoppingSince == nil {
      deadline = min(deadline ?? opens, opens)
    }
    return deadline
  }

  /// Everything that keeps an update from being applied; empty while it is being applied, and for an unknown id.
  public func blockers(of id: UpdateID, at now: Instant) -> [Blocker] {
    guard let entry = entries[id], current?.id != id else { return [] }
    var blockers: [Blocker] = []
    if let since = stoppingSince {
      blockers.append(Blocker(code: .stopping, since: since, clears: "when the service has been started again"))
    }
    if let trouble = storeTrouble {
      blockers.append(
        Blocker(
          code: .storeFull, since: trouble.since, reason: trouble.reason, clears: "when the queue can be written"))
    }
    let shut = passages.sorted { $0.key < $1.key }.compactMap { _, passage -> Blocker? in
      if case .shut(let blocker) = passage { blocker } else { nil }
    }
    blockers += shut
    if shut.isEmpty, let since = clearSince, now < since + quietPeriod {
      let left = TimeSpan.describe(since + quietPeriod - now)
      blockers.append(
        Blocker(code: .settling, since: since, clears: "in \(left), if nobody touches before then"))
    }
    if let current {
      blockers.append(
        Blocker(
          code: .applying, since: currentSince, owner: current.id.text, clears: "when \(current.id) has ended"))
    }
    if let first = queue.first, first.id != id {
      blockers.append(
        Blocker(code: .order, since: entry.acceptedAt, owner: first.id.text, clears: "when its turn has come"))
    }
    return blockers
  }

  // MARK: Inputs

  /// What the store held at start, in order of arrival.
  public mutating func recover(_ stored: [StoredUpdate], at now: Instant) -> [Action] {
    for item in stored {
      entries[item.update.id] = Entry(
        update: item.update, attempts: item.attempts, acceptedTick: ticks, acceptedAt: now, durable: true)
      switch item.state {
      case .waiting:
        queue.push(Place(sequence: item.update.sequence, id: item.update.id))
      case .applying:
        setCurrent(.orphan(item.update.id), at: now)
      case .finished:
        entries[item.update.id] = nil
      }
    }
    if case .orphan(let id) = current {
      armTick(at: now)
      return [.probe(id)]
    }
    return evaluate(at: now)
  }

  /// A new update, already checked: its handler exists and its id is not in use.
  public mutating func submit(_ update: Update, payload: [UInt8], at now: Instant) -> [Action] {
    entries[update.id] = Entry(update: update, attempts: 0, acceptedTick: ticks, acceptedAt: now, durable: false)
    return [.store(.accept(update, payload: payload))]
  }

  public mutating func stored(_ write: StoreWrite, at now: Instant) -> [Action] {
    storeTrouble = nil
    switch write {
    case .accept(let update, payload: _):
      entries[update.id]?.durable = true
      queue.push(Place(sequence: update.sequence, id: update.id))
      return [.accepted(update.id)] + evaluate(at: now)
    case .beginApplying(let id, let attempt):
      guard case .marking(id) = current, let entry = entries[id] else { return [] }
      entries[id]?.attempts = attempt
      let waited = clearSince.flatMap { $0 > entry.acceptedAt ? $0 : nil }
      setCurrent(.verifying(id, releasedAt: waited), at: now)
      return [.verify(id)]
    case .backToWaiting(let id, let attempts):
      guard case .returning(id, attempts: _) = current, let entry = entries[id] else { return [] }
      entries[id]?.attempts = attempts
      queue.push(Place(sequence: entry.update.sequence, id: id))
      current = nil
      return evaluate(at: now)
    case .finish(let id, let result):
      guard case .finishing(id, _) = current else { return [] }
      entries[id] = nil
      current = nil
      return [.ended(id, result)] + evaluate(at: now)
    }
  }

  public mutating func storeFailed(_ write: StoreWrite, reason: String, at now: Instant) -> [Action] {
    switch write {
    case .accept(let update, payload: _):
      entries[update.id] = nil
      return [.refused(update.id, reason: reason)]
    case .beginApplying(let id, attempt: _):
      guard case .marking(id) = current, let entry = entries[id] else { return [] }
      queue.push(Place(sequence: entry.update.sequence, id: id))
      current = nil
    case .backToWaiting, .finish:
      break  // Tried again at the next look.
    }
    storeTrouble = (storeTrouble?.since ?? now, reason)
    armTick(at: now)
    return []
  }

  /// All screens with what their gates say, and the machine itself under the empty name. All at once, so that no
  /// decision falls between two of them.
  public mutating func screens(_ all: [String: Passage], at now: Instant) -> [Action] {
    if all == passages { return [] }
    passages = all
    return evaluate(at: now)
  }

  public mutating func timePassed(_ now: Instant) -> [Action] {
    guard let due = nextTick, due <= now else { return evaluate(at: now) }
    ticks += 1
    // On the same grid of seconds; a service that was stopped for a while looks once, not once for every second.
    let missed = (now - due).wholeNanoseconds / max(1, interval.wholeNanoseconds)
    nextTick = due + .nanoseconds((missed + 1) * interval.wholeNanoseconds)
    return [.lookAgain]
  }

  /// The look that `lookAgain` asked for is done, and its changes have been told.
  public mutating func looked(at now: Instant) -> [Action] {
    storeTrouble = nil
    switch current {
    case .returning(let id, let attempts):
      return [.store(.backToWaiting(id, attempts: attempts))]
    case .finishing(let id, let result):
      return [.store(.finish(id, result))]
    case .orphan(let id):
      return [.probe(id)]
    case nil, .marking, .verifying, .running:
      return evaluate(at: now)
    }
  }

  /// The last look is done, and what it changed has been told: start, or wait again if something is in the way now.
  public mutating func verified(_ id: UpdateID, at now: Instant) -> [Action] {
    guard case .verifying(id, let releasedAt) = current, let entry = entries[id] else { return [] }
    if mayStart(at: now) {
      setCurrent(.running(id), at: now)
      return [.start(entry.update, attempt: entry.attempts, releasedAt: releasedAt)]
    }
    // An attempt that did not come to a start is not counted.
    return giveBack(id, attempts: entry.attempts - 1, at: now)
  }

  public mutating func handlerEnded(_ id: UpdateID, _ result: UpdateResult, at now: Instant) -> [Action] {
    guard case .running(id) = current else { return [] }
    setCurrent(.finishing(id, result), at: now)
    return [.store(.finish(id, result))]
  }

  /// `stillRunning`: the handler of a former run has not ended; it is asked again at the next look.
  public mutating func probed(_ id: UpdateID, stillRunning: Bool, at now: Instant) -> [Action] {
    guard case .orphan(id) = current, !stillRunning, let entry = entries[id] else { return [] }
    // Whether it had done its work is not known: it is applied again (at least once).
    return giveBack(id, attempts: entry.attempts, at: now)
  }

  /// Nothing is started any more; what runs is waited for by the caller.
  public mutating func stop(at now: Instant) {
    stoppingSince = stoppingSince ?? now
  }

  // MARK: Decision

  private mutating func evaluate(at now: Instant) -> [Action] {
    armTick(at: now)
    guard current == nil, mayStart(at: now), let first = queue.first, let entry = entries[first.id] else {
      return []
    }
    _ = queue.pop()
    setCurrent(.marking(first.id), at: now)
    armTick(at: now)
    return [.store(.beginApplying(first.id, attempt: entry.attempts + 1))]
  }

  private func mayStart(at now: Instant) -> Bool {
    guard storeTrouble == nil, stoppingSince == nil, let opens = opensAt else { return false }
    return opens <= now
  }

  /// Since when nothing at all is in the way; nil while anything is, and before the first word of any screen.
  private var clearSince: Instant? {
    var latest: Instant?
    for passage in passages.values {
      guard case .clear(let since) = passage else { return nil }
      latest = max(latest ?? since, since)
    }
    return latest
  }

  private var opensAt: Instant? { clearSince.map { $0 + quietPeriod } }

  /// A timer runs only while there is something to look for.
  private mutating func armTick(at now: Instant) {
    if needsLooks {
      nextTick = nextTick ?? now + interval
    } else {
      nextTick = nil
    }
  }

  private var needsLooks: Bool {
    if queue.first != nil || storeTrouble != nil { return true }
    switch current {
    case .orphan, .returning: return true
    case nil, .marking, .verifying, .running, .finishing: return false
    }
  }

  private mutating func giveBack(_ id: UpdateID, attempts: Int, at now: Instant) -> [Action] {
    setCurrent(.returning(id, attempts: attempts), at: now)
    return [.store(.backToWaiting(id, attempts: attempts))]
  }

  private mutating func setCurrent(_ next: Current, at now: Instant) {
    if current?.id != next.id { currentSince = now }
    current = next
  }
}
