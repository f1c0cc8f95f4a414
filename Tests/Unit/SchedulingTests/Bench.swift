import Scheduling
import Timeline

/// Seconds of the test's clock.
func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }

func id(_ text: String) -> UpdateID { UpdateID(text) ?? UpdateID(time: someDay, randomHigh: 0, randomLow: 0) }

/// Of a turn or a hold, where one is expected.
func id<Subject>(_ text: String) -> Identifier<Subject> {
  Identifier(text) ?? Identifier(time: someDay, randomHigh: 0, randomLow: 0)
}

let someDay = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)

func update(_ text: String, _ sequence: Int64 = 1) -> Update {
  Update(
    id: id(text), handler: "page", parameters: [:], createdAt: someDay, submitter: Submitter(uid: 0, pid: 1),
    sequence: sequence)
}

extension Scheduler {
  /// Of user 0, who submits where no test says otherwise.
  func waiting(handler: String, key: String) -> UpdateID? { waiting(handler: handler, key: key, user: 0) }
}

func result(_ state: FinalState) -> UpdateResult {
  UpdateResult(state: state, exitCode: 0, message: "", finishedAt: someDay, releaseToStartMilliseconds: nil)
}

/// Seconds of the wall clock since the test began, as long as nobody sets it.
func wall(_ seconds: Double) -> WallTime { someDay + .milliseconds(Int64((seconds * 1000).rounded())) }

let year: Duration = .seconds(365 * 86400)

func touched(since seconds: Double, _ screen: String = "panel") -> GateState {
  .blocked(
    Blocker(code: .touched, since: at(seconds), screen: screen, contacts: 1, clears: .contactsEnd))
}

/// A scheduler with all that it asks for: a durable store, a handler, a screen, a clock that only the test moves. It
/// carries out the actions in their order, as the service does, writes down what happened, and judges it.
struct Bench {
  enum Write: Hashable, CaseIterable {
    case accept, replace, acceptEnded, beginApplying, backToWaiting, expedite, finish, reopen, retime, pause, hold,
      bind,
      release
  }

  var scheduler: Scheduler
  /// What the scheduler wants done, in the shipped order.
  var actions = ActionQueue()
  private(set) var now = at(0)
  /// What was carried out, in words.
  private(set) var said: [String] = []
  /// What went against the rules, whatever the test: see Bench+Judging.
  private(set) var violations: [String] = []
  /// What the judge remembers of each update.
  var notes: [UpdateID: Note] = [:]

  // The world outside.

  /// What a look finds. The scheduler hears of it by `tell`, or by the next look.
  var world: [GateScope: GateState] = [.machine: .clear(since: at(0))]
  /// What the scheduler has heard of it.
  private(set) var told: [GateScope: GateState] = [:]
  /// The wall clock minus what it would be had nobody set it. The scheduler hears of it at the next wake-up.
  var clockSet: Duration = .zero
  private var toldClockSet: Duration = .zero
  /// Whether the wall clock is known to be right. The scheduler hears of it at the next wake-up.
  var isClockSet = true
  private(set) var toldIsClockSet = true
  /// The durable queue.
  private(set) var store: [UpdateID: StoredUpdate] = [:]
  /// The operator's pause and the holds, as they are stored.
  private(set) var pause: OperatorPause?
  private(set) var holds: [HoldID: Hold] = [:]
  /// When each of them ends by the monotonic clock.
  private(set) var holdEnds: [HoldID: Instant] = [:]
  /// Holds that end with their owner's connection.
  private(set) var boundHolds: [HoldID: Hold] = [:]
  /// They and the turns that have begun, as they are stored.
  private(set) var bound: [HoldID: BoundHold] = [:]
  /// When those end that a restart has left without their owner's connection.
  private(set) var keptEnds: [HoldID: Instant] = [:]
  /// Of those that were taken again, until when they are kept if that connection ends.
  private var takenUntil: [HoldID: Instant] = [:]
  /// Turns that somebody waits for, or has.
  private(set) var turns: [TurnID: Turn] = [:]
  /// Handlers that need a receiver, and have none.
  private(set) var deserted: Set<String> = []
  /// The reboots that have happened.
  private(set) var reboots: [Reboot] = []
  private(set) var boots = 1
  var failing: Set<Write> = []
  /// When one of them failed last: the next recheck tries again.
  private(set) var lastFailed: Instant = .distantPast
  /// Why those fail.
  var storeFailure = StoreFailure.full("disk full")
  /// The update whose handler runs now, whichever run of the service started it.
  private(set) var running: UpdateID?
  /// The turn that has begun.
  private(set) var turnRunning: TurnID?
  /// What comes of preparing a handler.
  var preparing = HandlerProgress.ready
  /// The update whose handler is prepared, neither started nor discarded.
  private var prepared: UpdateID?
  /// Whose last look it was; nil once something has been written since.
  private(set) var lookedLast: WorkID?
  private(set) var isStopping = false
  /// Done once, in the middle of the next `verify`, before the look tells what it found.
  var duringLastLook: ((inout Bench) -> Void)?
  /// The service dies after so many more actions; nil: never.
  var actionsLeft: Int?

  private var sequence: Int64 = 0
  private let seed: UInt64

  init(
    quiet: Duration = .zero, interval: Duration = .seconds(1), policies: [String: HandlerPolicy] = [:],
    seed: UInt64 = 0
  ) {
    self.seed = seed
    scheduler = Scheduler(
      policy: HandlerPolicy(quietPeriod: quiet), policies: policies, interval: interval, boot: "boot 1",
      seed: seed)
    tellClock()
    tell()
  }

  func policy(_ update: Update) -> HandlerPolicy { scheduler.policies[update.handler] ?? scheduler.policy }

  /// The wall clock as far as the scheduler knows.
  var knownWall: WallTime { someDay + (now - at(0) + toldClockSet) }

  /// The steady clock: nobody sets it.
  var steady: SteadyTime { SteadyTime(milliseconds: 5_000_000) + (now - at(0)) }

  /// Whether it has come, as far as the scheduler knows.
  func hasCome(_ moment: Moment) -> Bool {
    switch moment {
    case .wall(let time): toldIsClockSet && time <= knownWall
    case .steady(let time): time <= steady
    case .daily: false
    }
  }

  var isDead: Bool { actionsLeft == 0 }

  /// What was said since the last call.
  mutating func news() -> [String] {
    defer { said = [] }
    return said
  }

  // MARK: Inputs

  mutating func submit(
    _ text: String, to handler: String = "page", key: String? = nil, priority: Int = 0, quiet: Duration? = nil,
    notBefore: WallTime? = nil, deadline: WallTime? = nil, onDeadline: OnDeadline = .expire, screen: String? = nil,
    user: UInt32 = 0
  ) {
    submit(
      text, to: handler, key: key, priority: priority, quiet: quiet, from: notBefore.map(Moment.wall),
      until: deadline.map(Moment.wall), onDeadline: onDeadline, screen: screen, user: user)
  }

  /// The machine was off, and it is known now for how long; it went off when the steady clock said `before`.
  mutating func learns(off seconds: Double, before: SteadyTime) {
    let timeOff = SteadyClock.TimeOff(.milliseconds(Int64(seconds * 1000)), before: before)
    for (id, hold) in holds where hold.spanBegan <= before {
      holdEnds[id] = holdEnds[id].map { $0 + (.zero - timeOff.length) }
    }
    perform(scheduler.wasOff(timeOff, at: now))
  }

  /// A moment after a span from now on.
  func after(_ seconds: Double) -> Moment { .steady(steady + .milliseconds(Int64(seconds * 1000))) }

  mutating func submit(
    _ text: String, to handler: String = "page", key: String? = nil, priority: Int = 0, quiet: Duration? = nil,
    from notBefore: Moment?, until deadline: Moment? = nil, onDeadline: OnDeadline = .expire, screen: String? = nil,
    user: UInt32 = 0
  ) {
    sequence += 1
    let new = Update(
      id: id(text), handler: handler, parameters: [:], createdAt: knownWall, submitter: Submitter(uid: user, pid: 1),
      sequence: sequence, key: key, priority: priority, quietPeriod: quiet, notBefore: notBefore, deadline: deadline,
      onDeadline: onDeadline, screen: screen, spansBegan: steady)
    perform(scheduler.submit(new, payload: [], at: now))
  }

  mutating func cancel(_ text: String) {
    let id = id(text)
    notes[id, default: Note()].isCancelled = true
    perform(scheduler.cancel(id, reason: "cancelled by a test", at: now))
  }

  mutating func expedite(_ text: String) {
    perform(scheduler.expedite(id(text)))
  }

  mutating func force(_ text: String) { perform(scheduler.expedite(id(text), .force)) }

  mutating func turn(_ text: String, quiet: Duration? = nil, screen: String? = nil) {
    guard turns[id(text)] == nil else { return }
    sequence += 1
    let turn = Turn(
      id: id(text), owner: Submitter(uid: 3, pid: 1), unit: "flash.service", reason: "firmware", since: knownWall,
      longest: .seconds(600), screen: screen, quietPeriod: quiet, sequence: sequence)
    turns[turn.id] = turn
    perform(scheduler.takeTurn(turn, at: now))
  }

  mutating func leave(_ text: String) {
    guard turns.removeValue(forKey: id(text)) != nil else { return }
    if turnRunning == id(text) { turnRunning = nil }
    perform(scheduler.leave(id(text), at: now))
  }

  mutating func receivers(of handler: String, present: Bool) {
    if present { deserted.remove(handler) } else { deserted.insert(handler) }
    perform(scheduler.receivers(of: handler, present: present, at: now))
  }

  /// Its application has gone under it.
  mutating func notTaken() {
    guard let id = running, scheduler.isRunning else { return }
    running = nil
    notes[id, default: Note()].handler = .notStarted
    perform(scheduler.notTaken(id, at: now))
  }

  /// As the service does: only what has ended otherwise than applied, and whose key nobody else waits with.
  mutating func retry(_ text: String) {
    guard let stored = store[id(text)], case .finished(let result) = stored.state, result.state != .applied else {
      return
    }
    let update = stored.update
    if let key = update.key, policy(update).coalescing != .all,
      scheduler.waiting(handler: update.handler, key: key, user: update.submitter.uid) != nil || newerApplied(update)
    {
      return
    }
    perform(scheduler.reopen(update, at: now))
  }

  private func newerApplied(_ update: Update) -> Bool {
    store.values.contains {
      isSameKey($0.update, update) && $0.update.sequence > update.sequence
        && ["applied", "applying"].contains($0.state.name)
    }
  }

  mutating func pauseAll() {
    perform(scheduler.pause(OperatorPause(since: knownWall, by: Submitter(uid: 0, pid: 1), reason: "a test")))
  }

  mutating func resumeAll() { perform(scheduler.pause(nil)) }

  /// `seconds` nil: until `release`, or the restart.
  mutating func hold(_ text: String, screen: String? = nil, seconds: Double? = nil) {
    let until = seconds.map { steady + .milliseconds(Int64($0 * 1000)) }
    let hold = Hold(
      id: id(text), screen: screen, owner: Submitter(uid: 7, pid: 8), reason: "a test", since: knownWall, until: until,
      spanBegan: steady)
    if until == nil {
      boundHolds[hold.id] = hold
      takenUntil[hold.id] = keptEnds.removeValue(forKey: hold.id)
    }
    perform(scheduler.hold(hold, at: now))
  }

  private mutating func noteEnd(of hold: Hold) {
    guard let until = hold.until else { return }
    holdEnds[hold.id] = now + (until - steady)
  }

  /// No bound hold is on its way out, or kept for a while only.
  var isBoundForGood: Bool {
    bound.keys.allSatisfy { (boundHolds[$0] != nil || turnRunning?.text == $0.text) && keptEnds[$0] == nil }
  }

  /// The owner comes back after a restart.
  mutating func takeAgain(_ text: String) {
    guard let kept = scheduler.keptHold(id(text)) else { return }
    takenUntil[kept.id] = keptEnds.removeValue(forKey: kept.id)
    var hold = kept
    hold.until = nil
    boundHolds[kept.id] = hold
    perform(scheduler.hold(hold, at: now))
  }

  /// The owner's connection ends.
  mutating func disconnect(_ text: String) {
    let id: HoldID = id(text)
    if isStopping {
      // The service has closed it.
    } else if let until = takenUntil.removeValue(forKey: id), until > now {
      keptEnds[id] = until
    } else if keptEnds[id] == nil {
      boundHolds[id] = nil
    }
    perform(scheduler.disconnected(id, at: now))
  }

  /// The process of an owner ends after a restart.
  mutating func ownerEnds(_ text: String) {
    takenUntil[id(text)] = nil
    if keptEnds[id(text)] != nil { boundHolds[id(text)] = nil }
    perform(scheduler.ownerEnded(id(text), at: now))
  }

  mutating func letGo(_ text: String) {
    boundHolds[id(text)] = nil
    takenUntil[id(text)] = nil
    perform(scheduler.release(id(text), at: now))
  }

  /// Fingers on the screen; the scheduler hears of it.
  mutating func touch() {
    world[.screen("panel")] = .blocked(
      Blocker(code: .touched, since: now, screen: "panel", contacts: 1, clears: .contactsEnd))
    tell()
  }

  mutating func release() {
    world[.screen("panel")] = .clear(since: now)
    tell()
  }

  mutating func tell() {
    told = world
    perform(scheduler.screens(world, at: now))
  }

  private mutating func tellClock() {
    toldClockSet = clockSet
    toldIsClockSet = isClockSet
    scheduler.setClocks(Clocks(wall: knownWall, isSet: isClockSet, steady: steady), at: now)
  }

  /// Wakes up whenever the scheduler asked for it, up to then.
  mutating func pass(until seconds: Double) {
    while !isDead, let due = scheduler.nextDeadline, due <= at(seconds) {
      if due > now { now = due }
      wake()
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

  mutating func wake() {
    tellClock()
    noteDeadlines()
    perform(scheduler.timePassed(now))
  }

  mutating func handlerEnds(_ state: FinalState = .applied, tryLater: Bool = false) {
    if let turn = turnRunning { return leave(turn.text) }
    guard let ended = running else { return }
    running = nil
    if scheduler.isRunning { noteEnd(ended, state, tryLater: tryLater) }
    perform(scheduler.handlerEnded(ended, result(state), tryLater: tryLater, at: now))
  }

  mutating func stop() {
    isStopping = true
    scheduler.stop(at: now)
  }

  /// The service dies and starts again; `handlerLives`: the handler of the former run does not die with it.
  /// `reboot`: the whole machine does.
  mutating func restart(handlerLives: Bool, reboot: Bool = false) {
    if reboot { boots += 1 }
    boundHolds = bound.filter { $0.value.boot == "boot \(boots)" }.mapValues(\.hold)
    keptEnds = boundHolds.mapValues { hold in
      min(now + BoundHold.keptFor, hold.ends.map { now + ($0 - steady) } ?? .distantFuture)
    }
    takenUntil = [:]
    turnRunning = nil
    turns = [:]
    actionsLeft = nil
    actions = ActionQueue()
    prepared = nil
    lookedLast = nil
    isStopping = false
    duringLastLook = nil
    if !handlerLives { running = nil }
    (toldClockSet, toldIsClockSet) = (clockSet, isClockSet)
    for hold in holds.values { noteEnd(of: hold) }
    noteRestart()
    scheduler = Scheduler(
      policy: scheduler.policy, policies: scheduler.policies, interval: scheduler.interval,
      boot: "boot \(boots)", seed: seed)
    tellClock()
    for handler in deserted { _ = scheduler.receivers(of: handler, present: false, at: now) }
    noteDeadlines()
    perform(
      scheduler.recover(
        Recovered(
          updates: unfinished, pause: pause, holds: holds.values.sorted { $0.id.text < $1.id.text },
          bound: bound.values.sorted { $0.hold.id.text < $1.hold.id.text }, reboots: reboots),
        at: now))
    tell()
  }

  /// What would be loaded at a start.
  var unfinished: [StoredUpdate] {
    store.values.filter { !$0.isFinished }.sorted { $0.update.sequence < $1.update.sequence }
  }

  // MARK: Executing

  private mutating func perform(_ new: [Scheduler.Action]) {
    actions.append(new)
    while actionsLeft != 0, step(at: now) { actionsLeft = actionsLeft.map { $0 - 1 } }
  }
}

extension Bench: ActionEffects {
  /// One transaction: all of them, or none.
  mutating func store(_ writes: [StoreWrite], at now: Instant) -> StoreFailure? {
    for case .backToWaiting(let id, attempts: _, backoff: _, interruptions: _) in writes {
      // The reboot did not come: a failure, of the moment when the write is tried first.
      if notes[id]?.handler == .rebootDue { noteEnd(id, .failed, tryLater: false) }
    }
    if let failed = writes.first(where: { failing.contains($0.kind) }) {
      lastFailed = now
      if writes.count == 1 { say("cannot store \(failed.words)") }
      return storeFailure
    }
    lookedLast = nil
    for write in writes { perform(write) }
    return nil
  }

  mutating func recheck(at now: Instant) -> [GateScope: GateState] {
    say("recheck")
    told = world
    return world
  }

  mutating func prepare(_ update: Update, attempt: Int, at now: Instant) -> HandlerProgress {
    if let prepared { violate("\(update.id) prepared, and \(prepared) is neither started nor discarded") }
    if store[update.id]?.state != .applying { violate("\(update.id) prepared, and not marked in the store") }
    if preparing == .ready {
      prepared = update.id
      return .ready
    }
    say("cannot prepare \(update.id)")
    if case .failed(let result) = preparing { noteEnd(update.id, result.state, tryLater: false) }
    return preparing
  }

  mutating func discardPrepared(_ id: UpdateID, at now: Instant) {
    if prepared != id { violate("\(id) discarded, and not prepared") }
    prepared = nil
  }

  mutating func lastLook(for work: Work, at now: Instant) -> LastLook {
    say("last look \(work.id)")
    if let id = work.update?.id {
      if store[id]?.state != .applying { violate("\(id) has its last look, and no mark in the store") }
      if prepared != id { violate("\(id) had its last look, and is not prepared") }
    }
    let change = duringLastLook
    duringLastLook = nil
    change?(&self)
    told = world
    lookedLast = work.id
    return LastLook(isDisturbed: false, screens: world)
  }

  mutating func decided(starts: Bool, at now: Instant) -> [GateScope: GateState] { world }

  mutating func start(_ update: Update, attempt: Int, releasedAt: Instant?, at now: Instant) -> HandlerProgress {
    let after = releasedAt.map { ", \((now - $0).wholeMilliseconds) ms after the release" } ?? ""
    say("start \(update.id), attempt \(attempt)\(after)")
    if prepared != update.id { violate("\(update.id) started, and not prepared") }
    prepared = nil
    judgeStart(of: .update(update))
    judgeStart(update, attempt)
    notes[update.id, default: Note()].handler = .started
    running = update.id
    return .ready
  }

  mutating func startTurn(_ turn: Turn, releasedAt: Instant?, at now: Instant) {
    let after = releasedAt.map { ", \((now - $0).wholeMilliseconds) ms after the release" } ?? ""
    say("start \(turn.id)\(after)")
    judgeStart(of: .turn(turn))
    turnRunning = turn.id
    actions.append(scheduler.bind(turn.id, startTicks: 9))
  }

  mutating func probe(_ id: UpdateID, at now: Instant) -> ProbeAnswer {
    say("probe \(id)")
    return running == id ? .running : .ended
  }

  mutating func announce(_ announcement: Announcement, at now: Instant) {
    switch announcement {
    case .accepted(let id):
      say("accepted \(id)")
      if store[id] == nil { violate("\(id) accepted, and not stored") }
    case .refused(let id, let reason):
      say("refused \(id): \(reason)")
      if store[id] != nil { violate("\(id) refused, and stored") }
    case .ended(let id, let result):
      say("ended \(id): \(result.state.rawValue)")
      if store[id]?.state != .finished(result) { violate("\(id) ended, and that is not stored") }
      if notes[id, default: Note()].isAnnounced { violate("\(id) ended twice") }
      notes[id, default: Note()].isAnnounced = true
    case .done(let write):
      say("done \(write.kind)")
    case .notDone(let write, let reason):
      say("not done \(write.kind): \(reason)")
    case .notEnded(let id, let reason):
      say("not ended \(id): \(reason)")
      if store[id]?.state != .waiting { violate("\(id) was not ended, and does not wait") }
    }
  }

  private mutating func perform(_ write: StoreWrite) {
    say("store \(write.words)")
    judge(write)
    let old = write.id.flatMap { store[$0] }
    switch write {
    case .accept(let update, payload: _):
      store[update.id] = StoredUpdate(update: update, attempts: 0, state: .waiting)
    case .replace(let id, let result, with: let update, payload: _):
      store[id] = store[id].map { $0.with(.finished(result), attempts: $0.attempts) }
      store[update.id] = StoredUpdate(update: update, attempts: 0, state: .waiting)
    case .acceptEnded(let update, payload: _, let result):
      store[update.id] = StoredUpdate(update: update, attempts: 0, state: .finished(result))
    case .beginApplying(let id, let attempt, let boot, let overrode):
      store[id] = old?.with(.applying, attempts: attempt)
      store[id]?.boot = boot
      store[id]?.overrode = overrode
      notes[id, default: Note()].handler = .notStarted
    case .backToWaiting(let id, let attempts, let backoff, let interruptions):
      store[id] = old?.with(.waiting, attempts: attempts)
      store[id]?.backoff = backoff
      store[id]?.interruptions = interruptions
      if backoff != nil, old?.expedited == .apply { store[id]?.expedited = .none }
    case .expedite(let id, let expedited):
      if store[id]?.state == .waiting { notes[id, default: Note()].expedite(expedited) }
      store[id]?.expedited = max(old?.expedited ?? .none, expedited)
      store[id]?.backoff = nil
    case .reopen(let update):
      store[update.id] = StoredUpdate(update: update, attempts: 0, state: .waiting)
      notes[update.id] = Note()
    case .retime(let update):
      if let old { store[update.id] = old.with(update) }
    case .pause(let pause):
      self.pause = pause
    case .bind(let item):
      bound[item.hold.id] = item
    case .hold(let hold):
      holds[hold.id] = hold
      noteEnd(of: hold)
    case .release(let id):
      holds[id] = nil
      bound[id] = nil
      if keptEnds.removeValue(forKey: id) != nil { boundHolds[id] = nil }
    case .finish(let id, let result):
      if let update = old?.update, result.message == "the machine has rebooted" {
        reboots.append(Reboot(handler: update.handler, at: result.finishedAt))
      }
      store[id] = old?.with(.finished(result), attempts: old?.attempts ?? 0)
    }
    noteDeadlines()
  }

  private mutating func say(_ words: String) { said.append(words) }
  mutating func violate(_ words: String) { violations.append("\(now): \(words)") }
}
