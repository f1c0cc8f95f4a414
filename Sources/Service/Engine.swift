import Handlers
import Linux
import Scheduling
import ServiceConfiguration
import ServiceLog
import Timeline
import UpdateStore

/// The screens, as the engine needs them.
protocol EngineScreens: AnyObject {
  /// What the gates say.
  var gateStates: [GateScope: GateState] { get }
  /// Reads the slot tables of all screens and repairs what disagrees.
  func recheck(_ now: Instant)
  /// The last look before a start on this screen (nil: on all); true if a contact changed meanwhile.
  func lastLook(screen: String?, grab: Bool, _ now: Instant) -> Bool
  /// Whether the handler starts now; if not, grabbed devices are released.
  func decided(starts: Bool, _ now: Instant)
  /// Nothing is being applied any more: grabbed devices may be released.
  func handlerEnded(_ now: Instant)
}

/// The handlers, as the engine needs them.
protocol EngineHandlers: AnyObject {
  func prepare(_ update: Update, attempt: Int, at now: Instant) -> HandlerProgress
  func discardPrepared()
  func start(_ update: Update, attempt: Int, releasedAt: Instant?, at now: Instant) -> HandlerProgress
  func probe(_ update: Update, at now: Instant) -> ProbeAnswer
}

/// The scheduler, its action queue and the store: what decides, and what makes it durable.
///
/// Inputs go through `feed`, which executes nothing; `drain` executes what is queued, at the end of each wake-up or
/// where an order requires it earlier.
final class Engine: ActionEffects {
  /// To be changed through `feed` only.
  var scheduler: Scheduler
  var actions = ActionQueue()
  let store: QueueStore
  private let log: Log
  private let metrics: Metrics
  private unowned let screens: any EngineScreens
  private unowned let handlers: any EngineHandlers
  /// The guard of an update, by its handler, or of a turn.
  var guardKind: (Work) -> GuardKind = { _ in .verify }
  /// A turn begins: its owner is told.
  var turnStarts: (Turn, _ releasedAt: Instant?, Instant) -> Void = { _, _, _ in }
  /// Something is about to be executed: what led to it is reported first.
  var willExecute: () -> Void = {}
  /// Answers whoever waits for it.
  var announced: (Announcement, Instant) -> Void = { _, _ in }
  let clock: MachineClock
  /// When what the clocks say is stored although nothing else is; nil: no span is counted.
  private var clockDue: Instant?
  /// How much of a span is lost at most if the power fails and the time of day is not known at the next boot.
  private static let clockInterval: Duration = .seconds(600)
  private var pruning = Pruning()
  private var historyLimits: HistoryLimits
  private var isHistoryAgeing = false
  private var sequence: Int64

  init(
    _ scheduler: Scheduler, store: QueueStore, log: Log, metrics: Metrics, screens: any EngineScreens,
    handlers: any EngineHandlers, clock: MachineClock, now: Instant
  ) throws {
    self.scheduler = scheduler
    self.store = store
    self.log = log
    self.metrics = metrics
    self.screens = screens
    self.handlers = handlers
    self.clock = clock
    historyLimits = store.limits
    sequence = try store.nextSequence()
    self.scheduler.setClocks(clock.read(now), at: now)
  }

  /// Executes what is queued.
  func drain(at now: Instant) {
    if actions.isEmpty { return }
    willExecute()
    var effects = self
    while effects.step(at: now) {}
  }

  // MARK: Inputs

  /// The beginning of a wake-up: all its inputs carry the time of day of this moment. While nothing waits no timer runs,
  /// and the clock may have been set since the last wake-up, by any amount.
  func wakesUp(_ now: Instant) {
    scheduler.setClocks(clock.read(now), at: now)
    if let timeOff = clock.takeTimeOff() {
      log.notice(
        "the machine was off for \(TimeSpan.describe(timeOff.length)); spans that were counted then end sooner")
      feed { $0.wasOff(timeOff, at: now) }
    }
    if isHistoryAgeing != clock.isSet { limitHistory(historyLimits, now) }
  }

  /// The time of day, as of the last wake-up.
  private func wall(_ now: Instant) -> WallTime { scheduler.clocks(now).wall }

  /// One input of the scheduler; its actions are queued.
  func feed(_ input: (inout Scheduler) -> [Scheduler.Action]) { actions.append(input(&scheduler)) }

  /// What the gates say now.
  func feedGateStates(_ now: Instant) { feed { $0.screens(screens.gateStates, at: now) } }

  /// Reads the slot tables first: what is known may be old if nothing is waiting.
  func recheckNow(_ now: Instant) {
    screens.recheck(now)
    feedGateStates(now)
  }

  /// A handler has ended, or a turn: devices are released, which reads what came meanwhile.
  func endGuard(_ now: Instant) {
    screens.handlerEnded(now)
    feedGateStates(now)
  }

  /// The number of the next update or turn, in order of arrival.
  func nextSequence() -> Int64 {
    defer { sequence += 1 }
    return sequence
  }

  /// What the store held at start.
  func recover(_ now: Instant) throws {
    let updates = try store.unfinished()
    let rebooting = scheduler.policies.keys.filter { scheduler.policy(of: $0).rebootTimeout != nil }
    let wall = wall(now)
    let oldest = updates.lazy.map(\.update).filter { rebooting.contains($0.handler) }.map(\.createdAt).min()
    let since = min(oldest ?? wall, wall) + (.zero - HandlerPolicy.rebootWindow)
    let recovered = Recovered(
      updates: updates, pause: try store.pause(), holds: try holds(now), bound: try store.boundHolds(),
      reboots: rebooting.isEmpty ? [] : try store.reboots(of: rebooting.sorted(), since: since))
    feed { $0.recover(recovered, at: now) }
    limitHistory(historyLimits, now)
  }

  /// Versions before the steady clock stored times of day, which mean the same on it, unless the clock was set at the
  /// boot: none lasts longer than it was asked for.
  private func holds(_ now: Instant) throws -> [Hold] {
    guard try store.clock() == nil else { return try store.holds() }
    let holds = try store.holds().map { hold in
      guard let until = hold.until else { return hold }
      var hold = hold
      let longest = until - SteadyTime(milliseconds: hold.since.millisecondsSinceEpoch)
      hold.until = min(until, scheduler.clocks(now).steady + longest)
      return hold
    }
    try store.perform(holds.map { .hold($0) }, at: clock.record)
    return holds
  }

  // MARK: Handlers

  func handlerEnded(_ update: Update, _ end: HandlerEnd, ran: Duration, _ now: Instant) {
    metrics.handlerTime.add(ran)
    endGuard(now)
    feed { $0.handlerEnded(update.id, end.result, tryLater: end.triesLater, at: now) }
    // The result is stored now: the caller removes the traces of the handler next.
    drain(at: now)
    if end.result.state == .failed && scheduler.isWaiting(update.id) {
      let what = end.triesLater ? "the handler asks to be tried later" : "trying again"
      log.notice("\(update.id): \(what); \(end.result.message)", .attemptFailed, [.update(update.id)])
    }
  }

  /// The handler of a former run has ended so.
  func orphanEnded(_ id: UpdateID, _ end: HandlerEnd, _ now: Instant) {
    feed { $0.orphanEnded(id, end.result, tryLater: end.triesLater, at: now) }
    drain(at: now)
  }

  // MARK: Time

  var nextDeadline: Instant? { [scheduler.nextDeadline, pruning.due, clockDue].compactMap(\.self).min() }

  func timePassed(_ now: Instant) {
    if pruning.due.map({ $0 <= now }) == true { prune(now) }
    if clockDue.map({ $0 <= now }) == true { keepClock(now) }
    feed { $0.timePassed(now) }
  }

  /// The end of each wake-up: while a span is counted, what the clocks say is stored now and then.
  func followSpans(_ now: Instant) {
    if !scheduler.isCountingSpans {
      clockDue = nil
    } else if clockDue == nil {
      clockDue = now + Self.clockInterval
    }
  }

  private func keepClock(_ now: Instant) {
    do { try store.keep(clock: clock.record) } catch { log.error("\(error)") }
    clockDue = now + Self.clockInterval
  }

  // MARK: History

  /// Nothing is too old while it is not known what time it is.
  func limitHistory(_ limits: HistoryLimits, _ now: Instant) {
    (historyLimits, isHistoryAgeing) = (limits, clock.isSet)
    store.limits = limits
    store.limits.earliest = clock.earliest
    if !isHistoryAgeing { store.limits.age = .forever }
    prune(now)
  }

  private func prune(_ now: Instant) {
    do {
      try pruning.run(store, wall: wall(now), now)
    } catch {
      log.error("old history could not be removed: \(error)")
    }
  }

  /// To be called last. What updates have waited for is kept over the stop.
  func close(_ now: Instant) throws {
    do {
      try store.keep(blocked: scheduler.allBlockedTimes(at: now), at: clock.record)
    } catch {
      log.error("\(error)")
    }
    try store.close()
  }

  // MARK: Effects

  func store(_ writes: [StoreWrite], at now: Instant) -> StoreFailure? {
    do throws(StoreError) {
      try store.perform(writes, at: clock.record)
      if clockDue != nil { clockDue = now + Self.clockInterval }
      return nil
    } catch {
      if writes.count == 1 { log.error("\(error)") }
      return error.failure
    }
  }

  func recheck(at now: Instant) -> [GateScope: GateState] {
    metrics.rechecks += 1
    screens.recheck(now)
    return screens.gateStates
  }

  func prepare(_ update: Update, attempt: Int, at now: Instant) -> HandlerProgress {
    report(handlers.prepare(update, attempt: attempt, at: now), of: update, attempt, now)
  }

  func discardPrepared(_ id: UpdateID, at now: Instant) { handlers.discardPrepared() }

  func lastLook(for work: Work, at now: Instant) -> LastLook {
    metrics.lastLooks += 1
    let kind = guardKind(work)
    let disturbed = kind != .none && screens.lastLook(screen: work.screen, grab: kind == .grab, now)
    return LastLook(isDisturbed: disturbed, screens: screens.gateStates)
  }

  func decided(starts: Bool, at now: Instant) -> [GateScope: GateState] {
    screens.decided(starts: starts, now)
    return screens.gateStates
  }

  func start(_ update: Update, attempt: Int, releasedAt: Instant?, at now: Instant) -> HandlerProgress {
    report(
      handlers.start(update, attempt: attempt, releasedAt: releasedAt, at: now), of: update, attempt, now)
  }

  func startTurn(_ turn: Turn, releasedAt: Instant?, at now: Instant) { turnStarts(turn, releasedAt, now) }

  /// A start that came after a pulse, or a delivery that nobody has any more.
  func progressed(_ update: Update, _ progress: HandlerProgress, _ now: Instant) {
    let attempt = scheduler.attempts(of: update.id) ?? 1
    let progress = report(progress, of: update, attempt, now)
    feed { $0.handlerProgressed(update.id, progress, at: now) }
  }

  /// What did not start needs no guard.
  private func report(
    _ progress: HandlerProgress, of update: Update, _ attempt: Int, _ now: Instant
  ) -> HandlerProgress {
    switch progress {
    case .ready:
      break
    case .notTaken:
      feed { $0.receivers(of: update.handler, present: false, at: now) }
      endGuard(now)
    case .refused:
      endGuard(now)
    case .failed(let result):
      endGuard(now)
      if attempt < scheduler.policy(of: update.handler).attempts {
        log.notice("\(update.id): trying again; \(result.message)", .attemptFailed, [.update(update.id)])
      }
    }
    return progress
  }

  func probe(_ id: UpdateID, at now: Instant) -> ProbeAnswer {
    guard let update = scheduler.update(id) else { return .ended }
    return handlers.probe(update, at: now)
  }

  func announce(_ announcement: Announcement, at now: Instant) {
    if case .ended = announcement, pruning.due == nil { prune(now) }
    announced(announcement, now)
  }
}
