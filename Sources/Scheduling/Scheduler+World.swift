public import Timeline

/// Screens, clocks and handlers.
extension Scheduler {
  /// What the clocks say. To be called at start and at each wake-up: times follow the wall clock, which may have been set,
  /// and spans the steady clock, which goes on while the machine sleeps.
  public mutating func setClocks(_ clocks: Clocks, at now: Instant) {
    wallOffset = .milliseconds(clocks.wall.millisecondsSinceEpoch) - (now - Instant(nanoseconds: 0))
    steadyOffset = .milliseconds(clocks.steady.milliseconds) - (now - Instant(nanoseconds: 0))
    for id in Array(holds.keys) {
      let until = holds[id]?.hold.until.map(instant)
      holds[id]?.until = until
    }
    for id in line.takeUnripe(wall: clocks.wall) { enqueue(id, at: now) }
    if clocks.isSet == isClockSet { return }
    isClockSet = clocks.isSet
    for id in Array(entries.keys) where line.contains(id) && entries[id]?.update?.notBefore != nil {
      enqueue(id, at: now)
    }
  }

  /// For how long the machine was off is known now: spans that were counted then end sooner.
  public mutating func wasOff(_ timeOff: SteadyClock.TimeOff, at now: Instant) -> [Action] {
    for update in entries.values.compactMap(\.update) {
      let shortened = update.shortened(by: timeOff)
      if shortened != update { retime(shortened, at: now) }
    }
    var writes: [Action] = []
    for held in holds.values where held.hold.until != nil && !held.isKept && held.hold.spanBegan <= timeOff.before {
      var hold = held.hold
      hold.until = hold.until.map { $0 + (.zero - timeOff.length) }
      let until = hold.until.map(instant)
      holds[hold.id]?.hold = hold
      holds[hold.id]?.until = until
      writes.append(.store(.hold(hold)))
    }
    return writes + evaluate(at: now)
  }

  /// The configuration has changed. It applies to everything that waits; what is being applied is not affected.
  public mutating func configure(
    policy: HandlerPolicy, policies: [String: HandlerPolicy], interval: Duration, at now: Instant
  ) -> [Action] {
    self.policy = policy
    self.policies = policies
    self.interval = interval
    nextRecheck = nil
    for id in Array(entries.keys) where line.contains(id) { enqueue(id, at: now) }
    return evaluate(at: now)
  }

  /// The gate states of all screens, and of the machine itself. All at once, so that no decision
  /// is made between two of them.
  public mutating func screens(_ all: [GateScope: GateState], at now: Instant) -> [Action] {
    if all == gateStates { return [] }
    gateStates = all
    gateStatesSince = now
    disturbedSince = nil
    return evaluate(at: now)
  }

  /// Call at `nextDeadline`; an earlier call only decides again.
  public mutating func timePassed(_ now: Instant) -> [Action] {
    guard let due = nextRecheck, due <= now else { return evaluate(at: now) }
    rechecks += 1
    // On the same grid; a service that was stopped for a while rechecks once, not once for every missed interval.
    let missed = (now - due).wholeNanoseconds / max(1, interval.wholeNanoseconds)
    nextRecheck = due + .nanoseconds((missed + 1) * interval.wholeNanoseconds)
    return [.recheck]
  }

  /// The recheck is done, and its changes have been reported.
  public mutating func rechecked(at now: Instant) -> [Action] {
    storeTrouble = nil
    disturbedSince = nil
    switch current {
    case .returning(let id, let attempts) where mustWriteAgain:
      return giveBack(id, attempts: attempts, at: now) + evaluate(at: now)
    case .finishing(let id, let result) where mustWriteAgain:
      mustWriteAgain = false
      return [.store(.finish(id, result))] + evaluate(at: now)
    case .orphan(let id):
      return [.probe(id)] + evaluate(at: now)
    case nil, .marking, .lastLook, .running, .awaitingReboot, .returning, .finishing:
      return evaluate(at: now)
    }
  }

  /// The last look is done, and what it changed has been reported: start, or wait again if something blocks now.
  /// `disturbed`: a contact changed meanwhile, even if nothing blocks any more.
  public mutating func lastLookDone(_ id: WorkID, disturbed: Bool = false, at now: Instant) -> [Action] {
    guard case .lastLook(id, let releasedAt) = current, let entry = entries[id] else { return [] }
    // After a touch that has not closed the gate it does not try again at once: it would be written again and again.
    if disturbed && mayStart(at: now) {
      disturbedSince = now
    } else if mayStart(at: now) {
      setCurrent(.running(id), at: now)
      switch entry.work {
      case .update(let update): return [.start(update, attempt: entry.attempts, releasedAt: releasedAt)]
      case .turn(let turn): return [.startTurn(turn, releasedAt: releasedAt)]
      }
    }
    // An attempt that did not come to a start is not counted.
    switch entry.work {
    case .update(let update): return giveBack(update.id, attempts: entry.attempts - 1, at: now)
    case .turn:
      current = nil
      enqueue(id, at: now)
      return evaluate(at: now)
    }
  }

  /// `tryLater`: the handler asked for that (exit status 75); it has not failed.
  public mutating func handlerEnded(
    _ id: UpdateID, _ result: UpdateResult, tryLater: Bool = false, at now: Instant
  ) -> [Action] {
    guard case .running(.update(id)) = current, let update = entries[id]?.update else { return [] }
    if let timeout = policy(of: update).rebootTimeout {
      // A machine that goes down takes service and handler with it: the next start sees whether it has rebooted.
      if result.state == .applied || stoppingSince != nil {
        setCurrent(.awaitingReboot(id, until: now + timeout), at: now)
        return []
      }
    }
    return result.state == .failed
      ? hasFailed(id, result, tryLater: tryLater, at: now) : finish(id, result, at: now)
  }

  /// The application that should apply it has disconnected, or none was connected: it waits again, and no attempt is used.
  public mutating func notTaken(_ id: UpdateID, at now: Instant) -> [Action] {
    guard isHandlerDue(id), let entry = entries[id] else { return [] }
    return giveBack(id, attempts: entry.attempts - 1, at: now)
  }

  /// Its handler was prepared or started, or could not be. A handler that never ran leaves no reboot to wait for.
  public mutating func handlerProgressed(_ id: UpdateID, _ progress: HandlerProgress, at now: Instant) -> [Action] {
    switch progress {
    case .ready: []
    case .failed(let result): isHandlerDue(id) ? hasFailed(id, result, tryLater: false, at: now) : []
    case .refused(let result): isHandlerDue(id) ? finish(id, result, at: now) : []
    case .notTaken: notTaken(id, at: now)
    }
  }

  /// Its handler is being prepared or started, or runs.
  private func isHandlerDue(_ id: UpdateID) -> Bool {
    switch current {
    case .running(.update(id)), .lastLook(.update(id), releasedAt: _): true
    case nil, .marking, .lastLook, .running, .awaitingReboot, .orphan, .returning, .finishing: false
    }
  }

  /// `stillRunning`: the handler of a former run has not ended; each recheck probes again.
  public mutating func probed(_ id: UpdateID, stillRunning: Bool, at now: Instant) -> [Action] {
    guard case .orphan(id) = current, !stillRunning, let entry = entries[id], let update = entry.update else {
      return []
    }
    let policy = policy(of: update)
    if let timeout = policy.rebootTimeout {
      // Not known whether it had begun; if it had, the machine reboots soon.
      setCurrent(.awaitingReboot(id, until: now + timeout), at: now)
      return []
    }
    let interruptions = entry.interruptions + 1
    entries[id]?.interruptions = interruptions
    let message: String
    switch policy.onInterrupted {
    case .retry where interruptions < HandlerPolicy.mostInterruptions:
      // Whether it had done its work is not known: it is applied again (at least once). That is no failure.
      return giveBack(id, attempts: entry.attempts - 1, at: now)
    case .retry:
      message =
        "the service or the machine stopped unexpectedly \(interruptions) times while the handler ran; if the handler "
        + "reboots the machine, set Reboots=yes"
    case .fail:
      message =
        "the service or the machine stopped unexpectedly while the handler ran; whether it finished is unknown "
        + "(OnInterrupted=fail)"
    }
    let result = UpdateResult(
      state: .failed, exitCode: nil, message: message, finishedAt: wall(now), releaseToStartMilliseconds: nil)
    return finish(id, result, at: now)
  }

  /// The handler of a former run has ended with this result, of which there is a record (a unit of systemd).
  public mutating func orphanEnded(
    _ id: UpdateID, _ result: UpdateResult, tryLater: Bool = false, at now: Instant
  ) -> [Action] {
    guard case .orphan(id) = current else { return [] }
    setCurrent(.running(.update(id)), at: now)
    return handlerEnded(id, result, tryLater: tryLater, at: now)
  }

  // MARK: What becomes of it

  private mutating func finish(_ id: UpdateID, _ result: UpdateResult, at now: Instant) -> [Action] {
    var result = result
    result.blocked = entries[id]?.blocked ?? BlockedTimes()
    setCurrent(.finishing(id, result), at: now)
    return [.store(.finish(id, result))]
  }

  /// Again after a backoff while attempts are left.
  mutating func hasFailed(_ id: UpdateID, _ result: UpdateResult, tryLater: Bool, at now: Instant) -> [Action] {
    guard let entry = entries[id], let update = entry.update else { return [] }
    guard tryLater || entry.attempts < policy(of: update).attempts else { return finish(id, result, at: now) }
    let backoff = Backoff(after: entry.backoff, failure: result.message, policy(of: update), &random, at: now)
    entries[id]?.backoff = backoff
    if entry.expedited == .apply { entries[id]?.expedited = .none }
    // Past its deadline it no longer waits for quiet, but after a failure it does.
    if update.onDeadline != .expire, let deadline = update.deadline, clocks(now).have(deadline) {
      entries[id]?.isDeadlineMet = true
      if update.onDeadline == .force { entries[id]?.expedited = .force }
    }
    // Waiting never uses up attempts, and neither does an attempt that the handler put off itself.
    return giveBack(id, attempts: tryLater ? entry.attempts - 1 : entry.attempts, at: now)
  }

  private func mayStart(at now: Instant) -> Bool {
    guard storeTrouble == nil, stoppingSince == nil, let id = current?.id, let entry = entries[id] else { return false }
    if entry.expedited == .force { return true }
    let lane = WaitingLine.Lane(screen: entry.work.screen, quiet: quietPeriod(of: entry))
    return opensAt(lane).map { $0 <= now } == true
  }

  mutating func giveBack(_ id: UpdateID, attempts: Int, at now: Instant) -> [Action] {
    guard let entry = entries[id], let update = entry.update else { return [] }
    // What came meanwhile about the same thing is newer: applied again, this one would undo it.
    if let key = key(of: update), policy(of: update).coalescing != .all, let newer = line.member(key) {
      let result = superseded(id, by: newer, at: now)
      setCurrent(.finishing(id, result), at: now)
      return [.store(.finish(id, result))]
    }
    setCurrent(.returning(id, attempts: attempts), at: now)
    let backoff = entry.backoff?.stored(steady: steady, at: now)
    return [
      .store(.backToWaiting(id, attempts: attempts, backoff: backoff, interruptions: entry.interruptions))
    ]
  }
}
