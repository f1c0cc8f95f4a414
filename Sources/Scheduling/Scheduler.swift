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
    /// It was to be ended on request, and that could not be stored: it goes on waiting.
    case notEnded(UpdateID, reason: String)
  }

  private struct Entry: Sendable {
    let update: Update
    var attempts: Int
    let acceptedTick: Int
    let acceptedAt: Instant
    var stage: Stage
    /// Neither quiet period nor pauses count any more: its deadline said so, or somebody.
    var isUrgent = false
    /// `onDeadline` was followed; it is told once.
    var isDeadlineMet = false
    /// Failures and requests to try later in a row; the pause doubles with each.
    var setbacks = 0
    var backoffUntil: Instant?
    var backoffSince: Instant?
    /// What the handler said last, where it was not the end.
    var lastFailure: String?
  }

  private enum Stage: Equatable, Sendable {
    /// On its way into the store.
    case arriving
    case waiting
    /// On its way out: its end is being stored.
    case leaving
    case applying
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

  /// The service's own, for handlers that say nothing.
  public let policy: HandlerPolicy
  public let policies: [String: HandlerPolicy]
  /// How often it looks again while anything waits.
  public let interval: Duration
  private var entries: [UpdateID: Entry] = [:]
  private var line = WaitingLine()
  private var current: Current?
  private var currentSince: Instant = .distantPast
  private var passages: [String: Passage] = [:]
  private var ticks = 0
  private var nextTick: Instant?
  /// A write failed then; nothing is started until the next look.
  private var storeTrouble: (since: Instant, reason: String)?
  private var stoppingSince: Instant?
  /// Wall clock minus monotonic clock.
  private var wallOffset: Duration = .zero
  private var random: SplitMix64

  /// `seed` of the jitter in pauses, so that a test knows them.
  public init(policy: HandlerPolicy, policies: [String: HandlerPolicy] = [:], interval: Duration, seed: UInt64) {
    self.policy = policy
    self.policies = policies
    self.interval = interval
    random = SplitMix64(state: seed)
  }

  public init(quietPeriod: Duration, interval: Duration) {
    self.init(policy: HandlerPolicy(quietPeriod: quietPeriod), interval: interval, seed: 0)
  }

  func policy(of update: Update) -> HandlerPolicy { policies[update.handler] ?? policy }

  func quietPeriod(of update: Update) -> Duration { update.quietPeriod ?? policy(of: update).quietPeriod }

  private func quietPeriod(of entry: Entry) -> Duration {
    entry.isUrgent || entry.isDeadlineMet ? .zero : quietPeriod(of: entry.update)
  }

  private func wall(_ now: Instant) -> WallTime {
    WallTime(millisecondsSinceEpoch: ((now - Instant(nanoseconds: 0)) + wallOffset).wholeMilliseconds)
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

  public var waitingCount: Int { line.count }

  /// The first that waits, by order of arrival.
  public var oldestWaiting: UpdateID? { line.oldest }

  public func attempts(of id: UpdateID) -> Int? { entries[id]?.attempts }

  /// How often the service looked again since it accepted (or, after a restart, loaded) the update.
  public func checks(of id: UpdateID) -> Int? {
    entries[id].map { ticks - $0.acceptedTick }
  }

  /// So many wait of one user.
  public func waitingCount(of user: UInt32) -> Int { line.count(of: user) }

  /// The one that waits with this key; nil: none, or it is only on its way into the store.
  public func waiting(handler: String, key: String) -> UpdateID? { line.member(handler: handler, key: key) }

  public func isWaiting(_ id: UpdateID) -> Bool { line.contains(id) }

  /// When `timePassed` is due; nil: nothing waits, and no timer runs.
  public var nextDeadline: Instant? {
    let mayStart = current == nil && storeTrouble == nil && stoppingSince == nil
    let due = line.nextDeadline(offset: wallOffset, ends: storeTrouble == nil) { mayStart ? opensAt($0) : nil }
    guard let due else { return nextTick }
    return min(nextTick ?? due, due)
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
    switch line.waiting(id) {
    case .notBefore(let time):
      blockers.append(
        Blocker(code: .notBefore, since: entry.acceptedAt, clears: "at \(time.rfc3339)"))
    case .backoff(let until):
      blockers.append(
        Blocker(
          code: .backoff, since: entry.backoffSince ?? entry.acceptedAt, reason: entry.lastFailure,
          clears: "in \(TimeSpan.describe(until - now)), after \(entry.setbacks) starts without success"))
    case .turn(let quiet):
      guard shut.isEmpty, let since = clearSince, now < since + quiet else { break }
      let left = TimeSpan.describe(since + quiet - now)
      blockers.append(
        Blocker(code: .settling, since: since, clears: "in \(left), if nobody touches before then"))
    case nil:
      break
    }
    if let current {
      blockers.append(
        Blocker(
          code: .applying, since: currentSince, owner: current.id.text, clears: "when \(current.id) has ended"))
    }
    if let first = line.ahead(of: id) {
      blockers.append(
        Blocker(code: .order, since: entry.acceptedAt, owner: first.text, clears: "when its turn has come"))
    }
    return blockers
  }

  // MARK: Inputs

  /// What the wall clock says. To be told at start and whenever it may have been set; deadlines and `notBefore` follow.
  public mutating func setWallClock(_ wall: WallTime, at now: Instant) {
    wallOffset = .milliseconds(wall.millisecondsSinceEpoch) - (now - Instant(nanoseconds: 0))
    for update in line.takeUnripe(wall: wall) { enqueue(update.id, at: now) }
  }

  /// What the store held at start, in order of arrival.
  public mutating func recover(_ stored: [StoredUpdate], at now: Instant) -> [Action] {
    for item in stored {
      entries[item.update.id] = Entry(
        update: item.update, attempts: item.attempts, acceptedTick: ticks, acceptedAt: now, stage: .waiting)
      switch item.state {
      case .waiting:
        enqueue(item.update.id, at: now)
      case .applying:
        entries[item.update.id]?.stage = .applying
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
    var update = update
    var write = StoreWrite.accept(update, payload: payload)
    if let key = update.key, let old = line.member(handler: update.handler, key: key), let entry = entries[old] {
      switch policy(of: update).coalescing {
      case .latest:
        update.place = entry.update.place
        write = .replace(old, superseded(by: update.id, at: now), with: update, payload: payload)
        line.remove(old)
        entries[old]?.stage = .leaving
      case .first:
        write = .acceptEnded(update, payload: payload, superseded(by: old, at: now))
      case .all:
        break
      }
    }
    entries[update.id] = Entry(
      update: update, attempts: 0, acceptedTick: ticks, acceptedAt: now, stage: .arriving)
    return [.store(write)]
  }

  /// Ends an update that waits: cancelled, on request. Nothing where it does not wait.
  public mutating func cancel(_ id: UpdateID, reason: String, at now: Instant) -> [Action] {
    end(id, .cancelled, reason, at: now)
  }

  /// It no longer waits for its quiet period, for `notBefore` or after a failure; for all else it does.
  public mutating func hurry(_ id: UpdateID, at now: Instant) -> [Action] {
    guard line.remove(id) != nil else { return [] }
    entries[id]?.isUrgent = true
    enqueue(id, at: now)
    return evaluate(at: now)
  }

  public mutating func stored(_ write: StoreWrite, at now: Instant) -> [Action] {
    storeTrouble = nil
    switch write {
    case .accept(let update, payload: _):
      enqueue(update.id, at: now)
      return [.accepted(update.id)] + evaluate(at: now)
    case .replace(let old, let result, with: let update, payload: _):
      entries[old] = nil
      enqueue(update.id, at: now)
      return [.ended(old, result), .accepted(update.id)] + evaluate(at: now)
    case .acceptEnded(let update, payload: _, let result):
      entries[update.id] = nil
      return [.accepted(update.id), .ended(update.id, result)] + evaluate(at: now)
    case .beginApplying(let id, let attempt):
      guard case .marking(id) = current, let entry = entries[id] else { return [] }
      entries[id]?.attempts = attempt
      let waited = clearSince.flatMap { $0 > entry.acceptedAt ? $0 : nil }
      setCurrent(.verifying(id, releasedAt: waited), at: now)
      return [.verify(id)]
    case .backToWaiting(let id, let attempts):
      guard case .returning(id, attempts: _) = current else { return [] }
      entries[id]?.attempts = attempts
      current = nil
      enqueue(id, at: now)
      return evaluate(at: now)
    case .finish(let id, let result):
      if case .finishing(id, _) = current {
        current = nil
      } else if entries[id]?.stage != .leaving {
        return []
      }
      entries[id] = nil
      return [.ended(id, result)] + evaluate(at: now)
    }
  }

  public mutating func storeFailed(_ write: StoreWrite, reason: String, at now: Instant) -> [Action] {
    switch write {
    case .accept(let update, payload: _), .acceptEnded(let update, payload: _, _):
      entries[update.id] = nil
      return [.refused(update.id, reason: reason)]
    case .replace(let old, _, with: let update, payload: _):
      entries[update.id] = nil
      enqueue(old, at: now)
      armTick(at: now)
      return [.refused(update.id, reason: reason)]
    case .beginApplying(let id, attempt: _):
      guard case .marking(id) = current else { return [] }
      current = nil
      enqueue(id, at: now)
    case .finish(let id, _) where current?.id != id:
      enqueue(id, at: now)
      // Ends are tried again at the next look, not at once.
      storeTrouble = (storeTrouble?.since ?? now, reason)
      armTick(at: now)
      return [.notEnded(id, reason: reason)]
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
      return giveBack(id, attempts: attempts, at: now) + evaluate(at: now)
    case .finishing(let id, let result):
      return [.store(.finish(id, result))] + evaluate(at: now)
    case .orphan(let id):
      return [.probe(id)] + evaluate(at: now)
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

  /// `tryLater`: the handler asked for that (exit status 75); it has not failed.
  public mutating func handlerEnded(
    _ id: UpdateID, _ result: UpdateResult, tryLater: Bool = false, at now: Instant
  ) -> [Action] {
    guard case .running(id) = current, let entry = entries[id] else { return [] }
    if result.state == .failed && (tryLater || entry.attempts < policy(of: entry.update).attempts) {
      let pause = pause(after: entry.setbacks + 1, policy(of: entry.update))
      entries[id]?.setbacks += 1
      entries[id]?.lastFailure = result.message
      entries[id]?.backoffSince = now
      entries[id]?.backoffUntil = now + pause
      entries[id]?.isUrgent = false
      // Past its deadline it no longer waits for quiet, but after a failure it does.
      if entry.update.onDeadline == .apply, let deadline = entry.update.deadline, deadline <= wall(now) {
        entries[id]?.isDeadlineMet = true
      }
      // Waiting never uses up attempts, and neither does an attempt that the handler put off itself.
      return giveBack(id, attempts: tryLater ? entry.attempts - 1 : entry.attempts, at: now)
    }
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
    for update in line.takeRipe(at: now, wall: wall(now)) { enqueue(update.id, at: now) }
    let ended = storeTrouble == nil ? meetDeadlines(at: now) : []
    armTick(at: now)
    guard current == nil, storeTrouble == nil, stoppingSince == nil,
      let id = line.next(at: now, opens: opensAt), let entry = entries[id]
    else { return ended }
    line.remove(id)
    entries[id]?.stage = .applying
    setCurrent(.marking(id), at: now)
    armTick(at: now)
    return ended + [.store(.beginApplying(id, attempt: entry.attempts + 1))]
  }

  private mutating func meetDeadlines(at now: Instant) -> [Action] {
    var actions: [Action] = []
    for update in line.takeOverdue(wall: wall(now)) {
      switch update.onDeadline {
      case .expire:
        actions += end(update.id, .expired, "still waiting at its deadline", at: now)
      case .apply:
        line.remove(update.id)
        entries[update.id]?.isDeadlineMet = true
        entries[update.id]?.isUrgent = true
        enqueue(update.id, at: now)
      }
    }
    return actions
  }

  private mutating func end(_ id: UpdateID, _ state: FinalState, _ reason: String, at now: Instant) -> [Action] {
    guard line.remove(id) != nil else { return [] }
    entries[id]?.stage = .leaving
    let result = UpdateResult(
      state: state, exitCode: nil, message: reason, finishedAt: wall(now), releaseToStartMilliseconds: nil)
    return [.store(.finish(id, result))]
  }

  private func superseded(by successor: UpdateID, at now: Instant) -> UpdateResult {
    UpdateResult(
      state: .superseded, exitCode: nil, message: "superseded by \(successor)", finishedAt: wall(now),
      releaseToStartMilliseconds: nil, successor: successor)
  }

  /// Puts an update where it waits: for a time that has not come, or in the lane of its quiet period.
  private mutating func enqueue(_ id: UpdateID, at now: Instant) {
    guard let entry = entries[id] else { return }
    entries[id]?.stage = .waiting
    let update = entry.update
    if entry.isUrgent {
      line.insert(
        update, quiet: .zero, notBefore: nil, backoff: nil, isUrgent: true, isDeadlineMet: entry.isDeadlineMet)
    } else {
      line.insert(
        update, quiet: quietPeriod(of: entry),
        notBefore: update.notBefore.flatMap { $0 > wall(now) ? $0 : nil },
        backoff: entry.backoffUntil.flatMap { $0 > now ? $0 : nil }, isDeadlineMet: entry.isDeadlineMet)
    }
  }

  /// Doubles with every setback, up to a bound, and varies by a fifth, so that many machines do not strike together.
  private mutating func pause(after setbacks: Int, _ policy: HandlerPolicy) -> Duration {
    let whole = min(policy.backoff * (1 << min(setbacks - 1, 20)), HandlerPolicy.longestBackoff)
    let jitter = Double(random.next() >> 11) / Double(1 << 53)
    return whole * (0.8 + 0.4 * jitter)
  }

  private func mayStart(at now: Instant) -> Bool {
    guard storeTrouble == nil, stoppingSince == nil, let id = current?.id, let entry = entries[id] else { return false }
    return opensAt(quietPeriod(of: entry)).map { $0 <= now } == true
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

  private func opensAt(_ quiet: Duration) -> Instant? { clearSince.map { $0 + quiet } }

  /// A timer runs only while there is something to look for.
  private mutating func armTick(at now: Instant) {
    if needsLooks {
      nextTick = nextTick ?? now + interval
    } else {
      nextTick = nil
    }
  }

  private var needsLooks: Bool {
    if line.count > 0 || storeTrouble != nil { return true }
    switch current {
    case .orphan, .returning: return true
    case nil, .marking, .verifying, .running, .finishing: return false
    }
  }

  private mutating func giveBack(_ id: UpdateID, attempts: Int, at now: Instant) -> [Action] {
    // What came meanwhile about the same thing is newer: applied again, this one would undo it.
    if let update = entries[id]?.update, let key = update.key, policy(of: update).coalescing != .all,
      let newer = line.member(handler: update.handler, key: key)
    {
      let result = superseded(by: newer, at: now)
      setCurrent(.finishing(id, result), at: now)
      return [.store(.finish(id, result))]
    }
    setCurrent(.returning(id, attempts: attempts), at: now)
    return [.store(.backToWaiting(id, attempts: attempts))]
  }

  private mutating func setCurrent(_ next: Current, at now: Instant) {
    if current?.id != next.id { currentSince = now }
    current = next
  }
}
