import Scheduling
import Timeline

/// Seconds of the test's clock.
func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }

func id(_ text: String) -> UpdateID { UpdateID(text) ?? UpdateID(time: someDay, randomHigh: 0, randomLow: 0) }

let someDay = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)

func update(_ text: String, _ sequence: Int64 = 1) -> Update {
  Update(
    id: id(text), handler: "page", parameters: [:], createdAt: someDay, submitter: Submitter(uid: 0, pid: 1),
    sequence: sequence)
}

func result(_ state: FinalState) -> UpdateResult {
  UpdateResult(state: state, exitCode: 0, message: "", finishedAt: someDay, releaseToStartMilliseconds: nil)
}

func touched(since seconds: Double, _ screen: String = "panel") -> Passage {
  .shut(
    Blocker(code: .touched, since: at(seconds), screen: screen, contacts: 1, clears: "when the last contact ends"))
}

/// A scheduler with all that it asks for: a durable store, a handler, a screen, a clock that only the test moves. It
/// carries out the actions in their order, as the service does, writes down what happened, and judges it.
struct Bench {
  enum Write: Hashable, CaseIterable {
    case accept, replace, acceptEnded, beginApplying, backToWaiting, finish
  }

  private(set) var scheduler: Scheduler
  private(set) var now = at(0)
  /// What was carried out, in words.
  private(set) var said: [String] = []
  /// What went against the rules, whatever the test.
  private(set) var violations: [String] = []

  // The world outside.

  /// What a look finds. The scheduler hears of it by `tell`, or by the next look.
  var world: [String: Passage] = ["": .clear(since: at(0))]
  /// The durable queue.
  private(set) var store: [UpdateID: StoredUpdate] = [:]
  var failing: Set<Write> = []
  /// The update whose handler runs now, whichever run of the service started it.
  private(set) var running: UpdateID?
  /// Done once, in the middle of the next `verify`, before the look tells what it found.
  var beforeVerdict: ((inout Bench) -> Void)?
  /// The service dies after so many more actions; nil: never.
  var actionsLeft: Int?

  private var pending: [Scheduler.Action] = []
  private var sequence: Int64 = 0
  private let quiet: Duration
  private let interval: Duration

  init(quiet: Duration = .zero, interval: Duration = .seconds(1)) {
    self.quiet = quiet
    self.interval = interval
    scheduler = Scheduler(quietPeriod: quiet, interval: interval)
    tell()
  }

  var isDead: Bool { actionsLeft == 0 }

  /// What was said since the last call.
  mutating func news() -> [String] {
    defer { said = [] }
    return said
  }

  // MARK: Inputs

  mutating func submit(_ text: String) {
    sequence += 1
    let new = update(text, sequence)
    perform(scheduler.submit(new, payload: [], at: now))
  }

  /// Fingers on the screen; the scheduler hears of it.
  mutating func touch() {
    world["panel"] = .shut(
      Blocker(code: .touched, since: now, screen: "panel", contacts: 1, clears: "when the last contact ends"))
    tell()
  }

  mutating func release() {
    world["panel"] = .clear(since: now)
    tell()
  }

  mutating func tell() { perform(scheduler.screens(world, at: now)) }

  /// Wakes up whenever the scheduler asked for it, up to then.
  mutating func pass(until seconds: Double) {
    while !isDead, let due = scheduler.nextDeadline, due <= at(seconds) {
      if due > now { now = due }
      perform(scheduler.timePassed(now))
      if scheduler.nextDeadline == due { return violate("asked again for \(due), and did nothing") }
    }
    now = at(seconds)
  }

  /// Comes back late: one wake-up only.
  mutating func oversleep(until seconds: Double) {
    sleep(until: at(seconds))
    wake()
  }

  mutating func sleep(until instant: Instant) { now = instant }

  mutating func wake() { perform(scheduler.timePassed(now)) }

  mutating func handlerEnds(_ state: FinalState = .applied) {
    guard let ended = running else { return }
    running = nil
    perform(scheduler.handlerEnded(ended, result(state), at: now))
  }

  mutating func stop() { scheduler.stop(at: now) }

  /// The service dies and starts again; `handlerLives`: the handler of the former run does not die with it.
  mutating func restart(handlerLives: Bool) {
    actionsLeft = nil
    pending = []
    beforeVerdict = nil
    if !handlerLives { running = nil }
    scheduler = Scheduler(quietPeriod: quiet, interval: interval)
    perform(scheduler.recover(unfinished, at: now))
    tell()
  }

  /// What would be loaded at a start.
  var unfinished: [StoredUpdate] {
    store.values.filter { !$0.isFinished }.sorted { $0.update.sequence < $1.update.sequence }
  }

  // MARK: Carrying out

  private mutating func perform(_ actions: [Scheduler.Action]) {
    let busy = !pending.isEmpty
    pending += actions
    if busy { return }
    while let action = pending.first {
      if actionsLeft == 0 { return }
      actionsLeft = actionsLeft.map { $0 - 1 }
      perform(action)
      if !pending.isEmpty { pending.removeFirst() }
    }
  }

  private mutating func perform(_ action: Scheduler.Action) {
    switch action {
    case .store(let write):
      perform(write)
    case .accepted(let id):
      say("accepted \(id)")
      if store[id] == nil { violate("\(id) accepted, and not stored") }
    case .refused(let id, let reason):
      say("refused \(id): \(reason)")
      if store[id] != nil { violate("\(id) refused, and stored") }
    case .lookAgain:
      say("look")
      pending += scheduler.screens(world, at: now)
      pending += scheduler.looked(at: now)
    case .verify(let id):
      say("verify \(id)")
      if store[id]?.state != .applying { violate("\(id) verified, and not marked in the store") }
      let change = beforeVerdict
      beforeVerdict = nil
      change?(&self)
      pending += scheduler.screens(world, at: now)
      pending += scheduler.verified(id, at: now)
    case .start(let update, let attempt, let releasedAt):
      let after = releasedAt.map { ", \((now - $0).wholeMilliseconds) ms after the release" } ?? ""
      say("start \(update.id), attempt \(attempt)\(after)")
      judgeStart(update, attempt)
      running = update.id
    case .probe(let id):
      say("probe \(id)")
      pending += scheduler.probed(id, stillRunning: running == id, at: now)
    case .ended(let id, let result):
      say("ended \(id): \(result.state.rawValue)")
      if store[id]?.state != .finished(result) { violate("\(id) ended, and that is not stored") }
    case .notEnded(let id, let reason):
      say("not ended \(id): \(reason)")
      if store[id]?.state != .waiting { violate("\(id) was not ended, and does not wait") }
    }
  }

  private mutating func perform(_ write: StoreWrite) {
    if failing.contains(write.kind) {
      say("cannot store \(write.kind) \(write.id)")
      pending += scheduler.storeFailed(write, reason: "disk full", at: now)
      return
    }
    say("store \(write.kind) \(write.id)")
    let old = store[write.id]
    if old?.isFinished == true { violate("\(write.id) had ended and is written again") }
    switch write {
    case .accept(let update, payload: _):
      if old != nil { violate("\(write.id) is stored twice") }
      store[write.id] = StoredUpdate(update: update, attempts: 0, state: .waiting)
    case .replace(let id, let result, with: let update, payload: _):
      if old != nil { violate("\(write.id) is stored twice") }
      if store[id]?.state != .waiting { violate("\(id) is replaced, and did not wait") }
      store[id] = store[id].map { $0.with(.finished(result), attempts: $0.attempts) }
      store[update.id] = StoredUpdate(update: update, attempts: 0, state: .waiting)
    case .acceptEnded(let update, payload: _, let result):
      if old != nil { violate("\(write.id) is stored twice") }
      store[update.id] = StoredUpdate(update: update, attempts: 0, state: .finished(result))
    case .beginApplying(_, let attempt):
      if old?.state != .waiting { violate("\(write.id) is marked, and did not wait") }
      store[write.id] = old?.with(.applying, attempts: attempt)
    case .backToWaiting(_, let attempts):
      if old?.state != .applying { violate("\(write.id) is given back, and was not being applied") }
      store[write.id] = old?.with(.waiting, attempts: attempts)
    case .finish(_, let result):
      if old?.state != .applying { violate("\(write.id) is finished, and was not being applied") }
      store[write.id] = old?.with(.finished(result), attempts: old?.attempts ?? 0)
    }
    pending += scheduler.stored(write, at: now)
  }

  private mutating func judgeStart(_ update: Update, _ attempt: Int) {
    let stored = store[update.id]
    if stored?.state != .applying || stored?.attempts != attempt {
      violate("\(update.id) started (attempt \(attempt)) and stored as \(String(describing: stored))")
    }
    if let running { violate("\(update.id) started while \(running) runs") }
    if let first = unfinished.first, first.update.id != update.id {
      violate("\(update.id) started before \(first.update.id)")
    }
    for (screen, passage) in world {
      switch passage {
      case .clear(let since):
        if now < since + quiet { violate("\(update.id) started before the quiet period of '\(screen)' was over") }
      case .shut:
        violate("\(update.id) started while '\(screen)' is shut")
      }
    }
  }

  private mutating func say(_ words: String) { said.append(words) }
  mutating func violate(_ words: String) { violations.append("\(now): \(words)") }
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
