public import Timeline

/// What executes the scheduler's actions: the service, or a test in its place.
///
/// The conforming type also owns the scheduler and its queue, and each is accessed only for the length of one call. So
/// an effect may read the scheduler, feed it another input and append what comes of that: it is executed in its turn.
public protocol ActionEffects {
  var scheduler: Scheduler { get set }
  var actions: ActionQueue { get set }

  /// Makes all of them durable in one transaction, or none.
  ///
  /// - Returns: nil, or why they could not be written. A group of several that fails is written again one by one, so
  ///   only the failure of a single write is worth a report.
  mutating func store(_ writes: [StoreWrite], at now: Instant) -> StoreFailure?

  /// Reads the slot tables of all screens.
  ///
  /// - Returns: what the gates say after that.
  mutating func recheck(at now: Instant) -> [GateScope: GateState]

  /// Prepares everything for the handler that can be prepared before the last look: payload, lock, environment.
  mutating func prepare(_ update: Update, attempt: Int, at now: Instant) -> HandlerProgress

  /// Forgets what was prepared: the last look sent the update back.
  mutating func discardPrepared(_ id: UpdateID, at now: Instant)

  /// The last look before a start: drains the devices and reads the slot tables of what the work waits for.
  mutating func lastLook(for work: Work, at now: Instant) -> LastLook

  /// The last look's verdict. Devices that were grabbed for it and are not needed for a handler are released, which
  /// reads the events that came meanwhile.
  ///
  /// - Returns: what the gates say after that.
  mutating func decided(starts: Bool, at now: Instant) -> [GateScope: GateState]

  /// Starts the handler that was prepared. It may start later (after a pulse); then what comes of that is fed to the
  /// scheduler with `handlerProgressed` and appended.
  ///
  /// - Parameter releasedAt: when the touch ended that the update waited for; nil if it did not wait for one.
  mutating func start(_ update: Update, attempt: Int, releasedAt: Instant?, at now: Instant) -> HandlerProgress

  /// Begins the turn. When it ends, `leave` is fed to the scheduler and appended.
  mutating func startTurn(_ turn: Turn, releasedAt: Instant?, at now: Instant)

  /// Finds out whether the handler that a former run of the service started still runs.
  mutating func probe(_ id: UpdateID, at now: Instant) -> ProbeAnswer

  /// Answers whoever waits for this.
  mutating func announce(_ announcement: Announcement, at now: Instant)
}

/// How far a handler came in being prepared or started.
public enum HandlerProgress: Equatable, Sendable {
  /// Prepared; or it runs, or will soon, and reports by itself.
  case ready
  /// It cannot be prepared or started; this is the attempt's result.
  case failed(UpdateResult)
  /// The configuration does not permit it any more; this is the update's result, whatever attempts are left.
  case refused(UpdateResult)
  /// There is nobody to apply it; no attempt is used up.
  case notTaken
}

/// What the last look found.
public struct LastLook: Equatable, Sendable {
  /// A contact changed meanwhile, even if none is down any more.
  public var isDisturbed: Bool
  /// What the gates say now.
  public var screens: [GateScope: GateState]

  public init(isDisturbed: Bool, screens: [GateScope: GateState]) {
    self.isDisturbed = isDisturbed
    self.screens = screens
  }
}

/// Whether the handler of a former run still runs.
public enum ProbeAnswer: Equatable, Sendable {
  case running
  case ended
  /// Not known yet. The answer is fed to the scheduler (`probed`, `orphanEnded`) and appended when it comes; until then
  /// each recheck asks again.
  case pending
}

/// What became of something that somebody asked for.
public enum Announcement: Equatable, Sendable {
  /// Durable.
  case accepted(UpdateID)
  /// Could not be made durable; nothing of it is kept.
  case refused(UpdateID, reason: StoreFailure)
  /// Ended, and that is durable.
  case ended(UpdateID, UpdateResult)
  /// Was to be ended on request, which could not be stored: still waiting.
  case notEnded(UpdateID, reason: StoreFailure)
  /// A requested change is durable and done.
  case done(StoreWrite)
  /// A requested change could not be made durable, and is not done.
  case notDone(StoreWrite, reason: StoreFailure)
}

extension ActionEffects {
  /// Executes actions until none is queued. Has no effect while an action is being executed: what was appended is
  /// executed after it.
  public mutating func drain(at now: Instant) {
    while step(at: now) {}
  }

  /// Executes the next action, or the group of writes at the head of the queue.
  ///
  /// - Returns: false if there was nothing to execute, or if an action is being executed already.
  @discardableResult
  public mutating func step(at now: Instant) -> Bool {
    guard let step = actions.beginStep() else { return false }
    defer { actions.finishStep() }
    switch step {
    case .write(let writes): persist(writes, now)
    case .action(let action): execute(action, now)
    }
    return true
  }

  private mutating func persist(_ writes: [StoreWrite], _ now: Instant) {
    guard let reason = store(writes, at: now) else {
      for write in writes { actions.append(scheduler.stored(write, at: now)) }
      return
    }
    if writes.count > 1 { return actions.splitGroup(writes) }
    for write in writes { actions.append(scheduler.storeFailed(write, reason: reason, at: now)) }
  }

  private mutating func execute(_ action: Scheduler.Action, _ now: Instant) {
    switch action {
    case .store(let write):
      persist([write], now)
    case .accepted(let id):
      announce(.accepted(id), at: now)
    case .refused(let id, let reason):
      announce(.refused(id, reason: reason), at: now)
    case .ended(let id, let result):
      announce(.ended(id, result), at: now)
    case .notEnded(let id, let reason):
      announce(.notEnded(id, reason: reason), at: now)
    case .done(let write):
      announce(.done(write), at: now)
    case .notDone(let write, let reason):
      announce(.notDone(write, reason: reason), at: now)
    case .recheck:
      let screens = recheck(at: now)
      actions.append(scheduler.screens(screens, at: now))
      actions.append(scheduler.rechecked(at: now))
    case .lastLook(let id): lookLast(id, now)
    case .start(let update, let attempt, let releasedAt): start(update, attempt, releasedAt, now)
    case .startTurn(let turn, let releasedAt): startTurn(turn, releasedAt: releasedAt, at: now)
    case .probe(let id):
      switch probe(id, at: now) {
      case .running: actions.append(scheduler.probed(id, stillRunning: true, at: now))
      case .ended: actions.append(scheduler.probed(id, stillRunning: false, at: now))
      case .pending: break
      }
    }
  }

  private mutating func lookLast(_ id: WorkID, _ now: Instant) {
    // A turn may have been left meanwhile.
    guard let work = scheduler.work(id) else { return }
    if let update = work.update, let attempt = scheduler.attempts(of: update.id), !prepareOrEnd(update, attempt, now) {
      return
    }
    let look = lastLook(for: work, at: now)
    let changes = scheduler.screens(look.screens, at: now)
    let verdict = scheduler.lastLookDone(id, disturbed: look.isDisturbed, at: now)
    let starts = verdict.contains(where: \.isStart)
    let released = decided(starts: starts, at: now)
    actions.prepend(verdict + changes + scheduler.screens(released, at: now))
    if !starts, let prepared = work.update?.id, actions.prepared == prepared {
      actions.prepared = nil
      discardPrepared(prepared, at: now)
    }
  }

  private mutating func start(_ update: Update, _ attempt: Int, _ releasedAt: Instant?, _ now: Instant) {
    // A forced update had no last look, and is prepared only now.
    if actions.prepared != update.id, !prepareOrEnd(update, attempt, now) { return }
    actions.prepared = nil
    let progress = start(update, attempt: attempt, releasedAt: releasedAt, at: now)
    actions.append(scheduler.handlerProgressed(update.id, progress, at: now))
  }

  /// - Returns: whether the handler is prepared; if not, how that ends has been appended.
  private mutating func prepareOrEnd(_ update: Update, _ attempt: Int, _ now: Instant) -> Bool {
    let progress = prepare(update, attempt: attempt, at: now)
    if progress == .ready {
      actions.prepared = update.id
      return true
    }
    actions.append(scheduler.handlerProgressed(update.id, progress, at: now))
    return false
  }
}

extension ActionEffects where Self: AnyObject {
  /// As for a value: executes actions until none is queued.
  public func drain(at now: Instant) {
    var effects = self
    while effects.step(at: now) {}
  }
}
