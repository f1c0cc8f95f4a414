import Scheduling
import Timeline

// What must hold whatever the test does. The judge knows the store, the world, and what it was told of each update; it
// never asks the scheduler.

extension Bench {
  /// What the judge remembers of one update.
  struct Note {
    enum Handler { case notStarted, started, failed, toBeTriedLater, lost, rebootDue }

    /// Since it was last marked as being applied.
    var handler = Handler.notStarted
    var setbacks = 0
    /// It may be started from the one on, and must not be passed over from the other on.
    var backoff: ClosedRange<Instant>?
    var skipsQuiet = false
    var skipsBackoff = false
    var isDeadlineMet = false
    var isCancelled = false
    var isAnnounced = false
    var wasStarted = false

    var isForced = false

    mutating func expedite(_ expedited: Expedited) {
      skipsQuiet = true
      skipsBackoff = true
      if expedited == .force { isForced = true }
    }
  }

  // MARK: Writing down

  mutating func noteEnd(_ id: UpdateID, _ state: FinalState, tryLater: Bool) {
    guard let update = store[id]?.update else { return }
    if state == .applied {
      if policy(update).rebootTimeout != nil { notes[id, default: Note()].handler = .rebootDue }
      return
    }
    var note = notes[id, default: Note()]
    note.handler = tryLater ? .toBeTriedLater : .failed
    if update.onDeadline != .expire, let deadline = update.deadline, hasCome(deadline) {
      note.isDeadlineMet = true
      if update.onDeadline == .force { note.isForced = true }
    }
    note.setbacks += 1
    let longest = HandlerPolicy.longestBackoff
    let whole = min(policy(update).backoff * (1 << min(note.setbacks - 1, 30)), longest)
    note.backoff = (now + whole * 0.8)...(now + min(whole * 1.2, longest))
    note.skipsQuiet = note.isDeadlineMet || note.isForced
    note.skipsBackoff = false
    notes[id] = note
  }

  /// `onDeadline=apply` or `force`: from its deadline on, by the clock that the scheduler knows.
  mutating func noteDeadlines() {
    for (id, stored) in store where stored.update.onDeadline != .expire && !stored.isFinished {
      guard let deadline = stored.update.deadline, hasCome(deadline) else { continue }
      if notes[id, default: Note()].isDeadlineMet { continue }
      // One of a former run is known only when it waits again, and the clock may be set back before then.
      let handler = notes[id, default: Note()].handler
      if stored.state == .applying && (handler == .lost || handler == .rebootDue) { continue }
      notes[id, default: Note()].isDeadlineMet = true
      notes[id, default: Note()].expedite(stored.update.onDeadline == .force ? .force : .apply)
    }
  }

  /// What is stored is all that is left; jitter can be told from the backoff that is stored.
  mutating func noteRestart() {
    for (id, stored) in store {
      let old = notes[id, default: Note()]
      var note = Note()
      note.isAnnounced = old.isAnnounced
      note.wasStarted = old.wasStarted
      note.isCancelled = old.isCancelled
      if stored.expedited >= .apply { note.expedite(stored.expedited) }
      if let backoff = stored.backoff {
        note.setbacks = backoff.setbacks
        note.skipsBackoff = false
        let left = min(max(backoff.until - steady, .zero), HandlerPolicy.longestBackoff)
        note.backoff = (now + left + .milliseconds(-1))...(now + left + .milliseconds(1))
      }
      if stored.state == .applying { note.handler = policy(stored.update).rebootTimeout == nil ? .lost : .rebootDue }
      notes[id] = note
    }
  }

  // MARK: Judging

  /// Of updates and turns alike.
  mutating func judgeStart(of work: Work) {
    let note = work.update.map { notes[$0.id, default: Note()] } ?? Note()
    if !note.isForced && lookedLast != work.id { violate("\(work.id) started, and not right after its last look") }
    if isStopping { violate("\(work.id) started while the service stops") }
    if let running { violate("\(work.id) started while \(running) runs") }
    if let turnRunning { violate("\(work.id) started while turn \(turnRunning) lasts") }
    if note.isForced { return }
    for (screen, gateState) in world where isInScope(screen, work.screen) {
      switch gateState {
      case .clear(let since):
        if now < since + (note.skipsQuiet ? .zero : quiet(work)) {
          violate("\(work.id) started before the quiet period of '\(screen)' was over")
        }
      case .absent where work.screen == nil: break
      case .blocked, .absent: violate("\(work.id) started while '\(screen)' is shut")
      }
    }
    if pause != nil { violate("\(work.id) started while all is paused") }
    if let hold = holdInScope(work.screen) { violate("\(work.id) started in spite of \(hold)") }
    if let screen = work.screen, world[.screen(screen)] == nil { violate("\(work.id) started without its screen") }
  }

  mutating func judgeStart(_ update: Update, _ attempt: Int) {
    let stored = store[update.id]
    let note = notes[update.id, default: Note()]
    if stored?.state != .applying || stored?.attempts != attempt {
      violate("\(update.id) started (attempt \(attempt)) and stored as \(String(describing: stored))")
    }
    if deserted.contains(update.handler) { violate("\(update.id) started, and nobody is there to apply it") }
    if let time = update.notBefore, !hasCome(time), !note.skipsBackoff, !note.isForced, note.setbacks == 0 {
      violate("\(update.id) started before \(time), at \(knownWall.rfc3339), \(steady)")
    }
    if let backoff = note.backoff, now < backoff.lowerBound, !note.skipsBackoff {
      violate("\(update.id) started before its backoff was over")
    }
    if update.screen == nil, policy(update).coalescing == .latest, let newer = startedOfSameKey(after: update) {
      violate("\(update.id) started after \(newer), which is newer and about the same")
    }
    notes[update.id, default: Note()].wasStarted = true
  }

  mutating func judge(_ write: StoreWrite) {
    let old = write.id.flatMap { store[$0] }
    if old?.isFinished == true {
      if case .reopen = write {} else { violate("\(write.words): it had ended") }
    }
    switch write {
    case .accept(let update, payload: _):
      judgeNew(update)
      if policy(update).coalescing != .all, let other = waitingOfSameKey(update) {
        violate("\(update.id) waits beside \(other.update.id), which is about the same")
      }
    case .replace(let id, let result, with: let update, payload: _):
      judgeNew(update)
      let replaced = store[id]
      if replaced?.state != .waiting { violate("\(id) is replaced, and did not wait") }
      if policy(update).coalescing != .latest || replaced?.update.id != waitingOfSameKey(update)?.update.id {
        violate("\(id) is replaced by \(update.id), which is not about the same")
      }
      if update.place != replaced?.update.place { violate("\(update.id) did not get the place of \(id)") }
      if result.state != .superseded || result.successor != update.id { violate("\(id) does not name \(update.id)") }
    case .acceptEnded(let update, payload: _, let result):
      judgeNew(update)
      if policy(update).coalescing != .first || result.successor != waitingOfSameKey(update)?.update.id {
        violate("\(update.id) ended, and none waits that is about the same")
      }
      if result.state != .superseded { violate("\(update.id) ended at once as \(result.state)") }
    case .beginApplying(let id, let attempt, boot: _, overrode: _):
      guard let old, old.state == .waiting else { return violate("\(id) is marked, and did not wait") }
      if attempt != old.attempts + 1 { violate("\(id) is marked as attempt \(attempt) after \(old.attempts)") }
      judgeOrder(old.update)
    case .backToWaiting(let id, let attempts, backoff: _, interruptions: _):
      guard let old, old.state == .applying else { return violate("\(id) is given back, and was not being applied") }
      judgeAttempts(old, attempts)
    case .finish(_, let result):
      if let old { judgeEnd(old, result) }
    case .reopen(let update):
      guard case .finished(let result)? = old?.state, result.state != .applied else {
        return violate("\(update.id) is taken up again, and had not ended otherwise than applied")
      }
      if policy(update).coalescing != .all, let other = waitingOfSameKey(update) {
        violate("\(update.id) is taken up beside \(other.update.id), which is about the same")
      }
    case .retime(let update):
      if old == nil || update.isUnresolved { violate("\(update.id) is not resolved") }
    case .expedite, .pause, .hold, .bind, .release:
      break
    }
  }

  private mutating func judgeNew(_ update: Update) {
    if store[update.id] != nil { violate("\(update.id) is stored twice") }
  }

  /// Only a start that ended in a failure is counted.
  private mutating func judgeAttempts(_ old: StoredUpdate, _ attempts: Int) {
    let id = old.update.id
    switch notes[id, default: Note()].handler {
    case .notStarted, .toBeTriedLater, .lost:
      if attempts != old.attempts - 1 { violate("\(id) had no failure, and that was counted") }
    case .failed:
      if attempts != old.attempts { violate("a failure of \(id) was not counted") }
      if attempts >= policy(old.update).attempts { violate("\(id) waits again, with no attempt left") }
    case .started, .rebootDue:
      violate("\(id) is given back while its handler runs")
    }
  }

  private mutating func judgeEnd(_ old: StoredUpdate, _ result: UpdateResult) {
    let update = old.update
    switch result.state {
    case .applied, .failed:
      if old.state != .applying { violate("\(update.id) is \(result.state), and was not being applied") }
      if notes[update.id]?.handler == .rebootDue, result.state == .applied, old.boot == "boot \(boots)" {
        violate("\(update.id) is applied, and the machine has not rebooted")
      }
      let isLost = notes[update.id]?.handler == .lost
      if isLost, result.state == .failed, policy(update).onInterrupted == .retry, old.interruptions < 2 {
        violate("\(update.id) has failed after \(old.interruptions + 1) interruptions")
      }
      if result.state == .failed, !isLost, old.attempts < policy(update).attempts {
        violate("\(update.id) has failed with attempts left")
      }
    case .cancelled:
      let isAsked = notes[update.id]?.isCancelled == true
      if old.state != .waiting || !isAsked { violate("\(update.id) was not to be cancelled") }
    case .expired:
      let isDue = update.deadline.map(hasCome) ?? false
      if old.state != .waiting || !isDue || update.onDeadline != .expire { violate("\(update.id) was not to expire") }
    case .superseded:
      if result.message.hasPrefix("satisfied by the reboot") { return judgeSatisfied(old, result) }
      let successor = result.successor.flatMap { store[$0] }
      if successor.map({ isSameKey($0.update, update) }) != true || update.key == nil {
        violate("\(update.id) is superseded by \(String(describing: result.successor))")
      }
    }
  }

  private mutating func judgeSatisfied(_ old: StoredUpdate, _ result: UpdateResult) {
    let by = result.successor.flatMap { store[$0] }?.update
    if old.state != .waiting || !policy(old.update).isSatisfiedByReboot {
      violate("\(old.update.id) is said to be satisfied by a reboot")
    }
    if by.map({ policy($0).rebootTimeout != nil }) != true {
      violate("\(old.update.id): no reboot by \(String(describing: by))")
    }
  }

  /// None that could be applied as well stands before it.
  private mutating func judgeOrder(_ update: Update) {
    for other in store.values where other.state == .waiting && other.update.id != update.id {
      let isBefore = (-other.update.priority, other.update.place) < (-update.priority, update.place)
      let isForced = notes[other.update.id]?.isForced == true
      if isForced && notes[update.id]?.isForced != true && isFree(other.update)
        || isBefore && isFree(other.update)
          && (isForced || notes[update.id]?.isForced != true)
      {
        violate("\(update.id) is marked before \(other.update.id)")
      }
    }
  }

  /// Nothing of its own is in its way, as far as the scheduler knows.
  private func isFree(_ update: Update) -> Bool {
    // An update that is to expire, forced or not, only waits for a disk that can be written.
    if let deadline = update.deadline, hasCome(deadline), update.onDeadline == .expire { return false }
    // Past its deadline, but the clock was set back since: the service may have missed it, because the disk was full then.
    if let deadline = update.deadline, !hasCome(deadline), notes[update.id]?.isDeadlineMet == true { return false }
    if notes[update.id]?.isForced == true {
      if deserted.contains(update.handler) { return false }
      return notes[update.id]?.backoff.map { now >= $0.upperBound || notes[update.id]?.skipsBackoff == true } ?? true
    }
    if pause != nil || holdInScope(update.screen) != nil { return false }
    if let screen = update.screen, told[.screen(screen)] == nil { return false }
    if deserted.contains(update.handler) { return false }
    // Whether reboots are stopped, RebootTests say.
    if policy(update).rebootTimeout != nil { return false }
    for (screen, gateState) in told where isInScope(screen, update.screen) {
      if case .absent = gateState, update.screen == nil { continue }
      guard case .clear(let since) = gateState, since + quiet(.update(update)) <= now else { return false }
    }
    if let time = update.notBefore, !hasCome(time) { return false }
    if let backoff = notes[update.id]?.backoff, now < backoff.upperBound { return false }
    return true
  }

  private func isInScope(_ scope: GateScope, _ own: String?) -> Bool {
    own.map { [.machine, .screen($0)].contains(scope) } ?? true
  }

  private func holdInScope(_ screen: String?) -> HoldID? {
    let all =
      holds.values.filter { now < holdEnds[$0.id] ?? .distantPast }
      + boundHolds.values.filter { now < keptEnds[$0.id] ?? .distantFuture }
    return all.first { $0.screen == nil || screen == nil || $0.screen == screen }?.id
  }

  private func quiet(_ work: Work) -> Duration {
    switch work {
    case .update(let update): update.quietPeriod ?? policy(update).quietPeriod
    case .turn(let turn): turn.quietPeriod ?? scheduler.policy.quietPeriod
    }
  }

  /// One user's keys are not another's, unless the handler shares them.
  func isSameKey(_ one: Update, _ other: Update) -> Bool {
    one.handler == other.handler && one.key == other.key
      && (one.submitter.uid == other.submitter.uid || policy(one).sharesKeys || policy(one).key == one.key)
  }

  private func waitingOfSameKey(_ update: Update) -> StoredUpdate? {
    guard update.key != nil else { return nil }
    return store.values.first {
      $0.state == .waiting && isSameKey($0.update, update)
    }
  }

  private func startedOfSameKey(after update: Update) -> UpdateID? {
    guard update.key != nil else { return nil }
    return store.values.first {
      isSameKey($0.update, update) && $0.update.sequence > update.sequence
        && notes[$0.update.id]?.wasStarted == true && $0.state.name != "failed"
    }?.update.id
  }
}

extension StoredUpdate {
  var isFinished: Bool { if case .finished = state { true } else { false } }

  func with(_ state: State, attempts: Int) -> StoredUpdate {
    var new = self
    new.state = state
    new.attempts = attempts
    return new
  }
}

extension StoredUpdate {
  func with(_ update: Update) -> StoredUpdate {
    StoredUpdate(
      update: update, attempts: attempts, state: state, expedited: expedited, backoff: backoff,
      interruptions: interruptions, boot: boot, overrode: overrode, blocked: blocked)
  }
}

extension StoreWrite {
  var words: String { "\(kind)" + (id.map { " \($0)" } ?? "") }

  var kind: Bench.Write {
    switch self {
    case .accept: .accept
    case .replace: .replace
    case .acceptEnded: .acceptEnded
    case .beginApplying: .beginApplying
    case .backToWaiting: .backToWaiting
    case .finish: .finish
    case .expedite: .expedite
    case .reopen: .reopen
    case .retime: .retime
    case .pause: .pause
    case .hold: .hold
    case .bind: .bind
    case .release: .release
    }
  }
}
