import Scheduling
import Timeline

// What must hold whatever the test does. The judge knows the store, the world, and what it was told of each update; it
// never asks the scheduler.

extension Bench {
  /// What the judge remembers of one update.
  struct Note {
    enum Handler { case notStarted, started, failed, toBeTriedLater, lost }

    /// Since it was last marked as being applied.
    var handler = Handler.notStarted
    var setbacks = 0
    /// It may be started from the one on, and must not be passed over from the other on.
    var pause: ClosedRange<Instant>?
    var skipsQuiet = false
    var skipsPause = false
    var isDeadlineMet = false
    var isCancelled = false
    var isAnnounced = false
    var wasStarted = false

    mutating func hurry() {
      skipsQuiet = true
      skipsPause = true
    }
  }

  // MARK: Writing down

  mutating func noteEnd(_ id: UpdateID, _ state: FinalState, tryLater: Bool) {
    guard state == .failed, let update = store[id]?.update else { return }
    var note = notes[id, default: Note()]
    note.handler = tryLater ? .toBeTriedLater : .failed
    note.setbacks += 1
    let whole = min(policy(update).backoff * (1 << min(note.setbacks - 1, 30)), .seconds(600))
    note.pause = (now + whole * 0.8)...(now + whole * 1.2)
    note.skipsQuiet = note.isDeadlineMet
    note.skipsPause = false
    notes[id] = note
  }

  /// `onDeadline=apply`: from its deadline on, by the clock that the scheduler knows.
  mutating func noteDeadlines() {
    for (id, stored) in store where stored.update.onDeadline == .apply && !stored.isFinished {
      guard let deadline = stored.update.deadline, deadline <= knownWall else { continue }
      if notes[id, default: Note()].isDeadlineMet { continue }
      notes[id, default: Note()].isDeadlineMet = true
      notes[id, default: Note()].hurry()
    }
  }

  /// Pauses and hurry are not stored.
  mutating func noteRestart() {
    for (id, stored) in store {
      let old = notes[id, default: Note()]
      var note = Note()
      note.isAnnounced = old.isAnnounced
      note.wasStarted = old.wasStarted
      if stored.state == .applying { note.handler = .lost }
      notes[id] = note
    }
  }

  // MARK: Judging

  mutating func judgeStart(_ update: Update, _ attempt: Int) {
    let stored = store[update.id]
    let note = notes[update.id, default: Note()]
    if stored?.state != .applying || stored?.attempts != attempt {
      violate("\(update.id) started (attempt \(attempt)) and stored as \(String(describing: stored))")
    }
    if let running { violate("\(update.id) started while \(running) runs") }
    for (screen, passage) in world {
      switch passage {
      case .clear(let since):
        if now < since + (note.skipsQuiet ? .zero : quiet(update)) {
          violate("\(update.id) started before the quiet period of '\(screen)' was over")
        }
      case .shut:
        violate("\(update.id) started while '\(screen)' is shut")
      }
    }
    if let time = update.notBefore, knownWall < time, !note.skipsPause {
      violate("\(update.id) started before \(time.rfc3339), at \(knownWall.rfc3339)")
    }
    if let pause = note.pause, now < pause.lowerBound, !note.skipsPause {
      violate("\(update.id) started before its pause was over")
    }
    if policy(update).coalescing == .latest, let newer = startedOfSameKey(after: update) {
      violate("\(update.id) started after \(newer), which is newer and about the same")
    }
    notes[update.id, default: Note()].wasStarted = true
  }

  mutating func judge(_ write: StoreWrite) {
    let old = store[write.id]
    if old?.isFinished == true { violate("\(write.id) had ended and is written again") }
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
    case .beginApplying(let id, let attempt):
      guard let old, old.state == .waiting else { return violate("\(id) is marked, and did not wait") }
      if attempt != old.attempts + 1 { violate("\(id) is marked as attempt \(attempt) after \(old.attempts)") }
      judgeOrder(old.update)
    case .backToWaiting(let id, let attempts):
      guard let old, old.state == .applying else { return violate("\(id) is given back, and was not being applied") }
      judgeAttempts(old, attempts)
    case .finish(_, let result):
      if let old { judgeEnd(old, result) }
    }
  }

  private mutating func judgeNew(_ update: Update) {
    if store[update.id] != nil { violate("\(update.id) is stored twice") }
  }

  /// Only a start that ended in a failure, or in nobody knows what, is counted.
  private mutating func judgeAttempts(_ old: StoredUpdate, _ attempts: Int) {
    let id = old.update.id
    switch notes[id, default: Note()].handler {
    case .notStarted, .toBeTriedLater:
      if attempts != old.attempts - 1 { violate("\(id) had no failure, and that was counted") }
    case .failed:
      if attempts != old.attempts { violate("a failure of \(id) was not counted") }
      if attempts >= policy(old.update).attempts { violate("\(id) waits again, with no attempt left") }
    case .lost:
      if attempts != old.attempts { violate("\(id) was lost while being applied, and that was not counted") }
    case .started:
      violate("\(id) is given back while its handler runs")
    }
  }

  private mutating func judgeEnd(_ old: StoredUpdate, _ result: UpdateResult) {
    let update = old.update
    switch result.state {
    case .applied, .failed:
      if old.state != .applying { violate("\(update.id) is \(result.state), and was not being applied") }
      if result.state == .failed, old.attempts < policy(update).attempts {
        violate("\(update.id) has failed with attempts left")
      }
    case .cancelled:
      let isAsked = notes[update.id]?.isCancelled == true
      if old.state != .waiting || !isAsked { violate("\(update.id) was not to be cancelled") }
    case .expired:
      let isDue = update.deadline.map { $0 <= knownWall } ?? false
      if old.state != .waiting || !isDue || update.onDeadline != .expire { violate("\(update.id) was not to expire") }
    case .superseded:
      let successor = result.successor.flatMap { store[$0] }
      if successor?.update.key != update.key || successor?.update.handler != update.handler || update.key == nil {
        violate("\(update.id) is superseded by \(String(describing: result.successor))")
      }
    }
  }

  /// None that could be applied as well stands before it.
  private mutating func judgeOrder(_ update: Update) {
    for other in store.values where other.state == .waiting && other.update.id != update.id {
      let isBefore = (-other.update.priority, other.update.place) < (-update.priority, update.place)
      if isBefore, isFree(other.update) { violate("\(update.id) is marked before \(other.update.id)") }
    }
  }

  /// Nothing of its own is in its way, as far as the scheduler knows.
  private func isFree(_ update: Update) -> Bool {
    for passage in told.values {
      guard case .clear(let since) = passage, since + quiet(update) <= now else { return false }
    }
    if let time = update.notBefore, knownWall < time { return false }
    if let pause = notes[update.id]?.pause, now < pause.upperBound { return false }
    // One that is to expire only waits for a disk that can be written.
    if let deadline = update.deadline, deadline <= knownWall, update.onDeadline == .expire { return false }
    return true
  }

  private func quiet(_ update: Update) -> Duration { update.quietPeriod ?? policy(update).quietPeriod }

  private func waitingOfSameKey(_ update: Update) -> StoredUpdate? {
    guard update.key != nil else { return nil }
    return store.values.first {
      $0.state == .waiting && $0.update.handler == update.handler && $0.update.key == update.key
    }
  }

  private func startedOfSameKey(after update: Update) -> UpdateID? {
    guard update.key != nil else { return nil }
    return store.values.first {
      $0.update.handler == update.handler && $0.update.key == update.key && $0.update.sequence > update.sequence
        && notes[$0.update.id]?.wasStarted == true
    }?.update.id
  }
}

extension StoredUpdate {
  var isFinished: Bool { if case .finished = state { true } else { false } }

  func with(_ state: State, attempts: Int) -> StoredUpdate {
    StoredUpdate(update: update, attempts: attempts, state: state)
  }
}

extension StoreWrite {
  var kind: Bench.Write {
    switch self {
    case .accept: .accept
    case .replace: .replace
    case .acceptEnded: .acceptEnded
    case .beginApplying: .beginApplying
    case .backToWaiting: .backToWaiting
    case .finish: .finish
    }
  }
}
