public import Timeline

/// Requests of people and programs.
extension Scheduler {
  /// A new update, already checked: its handler exists and its id is not in use.
  public mutating func submit(_ update: Update, payload: [UInt8], at now: Instant) -> [Action] {
    var update = update
    var write = StoreWrite.accept(update, payload: payload)
    if let key = key(of: update), let old = line.member(key),
      let waiting = entries[old]?.update
    {
      switch policy(of: update).coalescing {
      case .latest:
        update.place = waiting.place
        write = .replace(old, superseded(old, by: update.id, at: now), with: update, payload: payload)
        takeOut(old, at: now)
        entries[old]?.stage = .leaving
      case .first:
        write = .acceptEnded(update, payload: payload, superseded(update.id, by: old, at: now))
      case .all:
        break
      }
    }
    entries[update.id] = Entry(
      work: .update(update), attempts: 0, rechecksAtAcceptance: rechecks, acceptedAt: now, stage: .arriving)
    return [.store(write)]
  }

  /// Ends an update that waits, on request. No actions if it does not wait.
  public mutating func cancel(_ id: UpdateID, reason: String, at now: Instant) -> [Action] {
    end(id, .cancelled, reason, at: now)
  }

  /// Moves an update forward once that is durable. No actions if it does not wait.
  public func expedite(_ id: UpdateID, _ expedited: Expedited = .apply) -> [Action] {
    line.contains(.update(id)) ? [.store(.expedite(id, expedited))] : []
  }

  /// An update that ended without being applied waits again, with all its attempts, at its old place, and without its
  /// deadline if that has passed. Its key must not be in use. No actions if it has not ended.
  public mutating func reopen(_ update: Update, at now: Instant) -> [Action] {
    guard entries[update.id] == nil else { return [] }
    var update = update
    if let deadline = update.deadline, clocks(now).have(deadline) { update.deadline = nil }
    entries[update.id] = Entry(
      work: .update(update), attempts: 0, rechecksAtAcceptance: rechecks, acceptedAt: now, stage: .arriving)
    return [.store(.reopen(update))]
  }

  /// Pauses the service; nil resumes it.
  public func pause(_ pause: OperatorPause?) -> [Action] { [.store(.pause(pause))] }

  /// A hold that ends with its owner's connection is in force at once, and its owner's process (see `BoundHold`) is stored
  /// afterwards; one with an end of its own is in force once it is durable. One that was kept over a restart is bound
  /// again.
  public mutating func hold(_ hold: Hold, startTicks: UInt64? = nil, at now: Instant) -> [Action] {
    if hold.until != nil { return [.store(.hold(hold))] }
    put(hold, until: nil, keptUntil: keptHold(hold.id) == nil ? nil : holds[hold.id]?.until, at: now)
    return [.store(.bind(BoundHold(hold: hold, startTicks: startTicks, boot: boot)))] + evaluate(at: now)
  }

  /// No actions if there is no such hold.
  public mutating func release(_ id: HoldID, at now: Instant) -> [Action] {
    guard let held = holds[id] else { return [] }
    // Nobody takes again what is on its way out.
    holds[id]?.isKept = false
    if held.until != nil { return [.store(.release(id))] }
    holds[id] = nil
    return [.store(.release(id))] + evaluate(at: now)
  }

  /// The connection of a bound hold has ended. If the service closed it because it stops, the hold is kept for its owner.
  public mutating func disconnected(_ id: HoldID, at now: Instant) -> [Action] {
    if stoppingSince != nil { return [] }
    guard let held = holds[id], let until = held.keptUntil, until > now else { return release(id, at: now) }
    keep(held.hold, until: until, at: now)
    return evaluate(at: now)
  }

  /// The process of a hold that was kept over a restart has ended.
  public mutating func ownerEnded(_ id: HoldID, at now: Instant) -> [Action] {
    guard let held = holds[id] else { return [] }
    // Its connection ends, too.
    holds[id]?.keptUntil = nil
    return held.isKept ? release(id, at: now) : []
  }

  /// Queues a turn, in which a program does something itself. It ends with `leave`.
  public mutating func takeTurn(_ turn: Turn, at now: Instant) -> [Action] {
    entries[turn.id] = Entry(
      work: .turn(turn), attempts: 0, rechecksAtAcceptance: rechecks, acceptedAt: now, stage: .waiting)
    turnIDs.insert(turn.id)
    enqueue(.turn(turn.id), at: now)
    return evaluate(at: now)
  }

  /// A turn that has begun is stored, so that it is kept over a restart of the service.
  public mutating func bind(_ id: TurnID, startTicks: UInt64?) -> [Action] {
    guard case .turn(let turn) = entries[id]?.work else { return [] }
    boundTurns.insert(id)
    let hold = Hold(
      id: HoldID(sameTextAs: id), screen: turn.screen, owner: turn.owner, unit: turn.unit,
      reason: turn.reason.isEmpty ? "a turn" : turn.reason, since: turn.since, until: nil,
      ends: turn.longest.map { steady(currentSince) + $0 })
    return [.store(.bind(BoundHold(hold: hold, startTicks: startTicks, boot: boot)))]
  }

  /// The turn is over, or its owner no longer waits for it. One that ends because the service stops is kept.
  public mutating func leave(_ id: TurnID, at now: Instant) -> [Action] {
    if entries[id] == nil { return [] }
    let isForgotten = boundTurns.remove(id) != nil && stoppingSince == nil
    takeOut(.turn(id), at: now)
    turnIDs.remove(id)
    entries[id] = nil
    if current?.id == .turn(id) { current = nil }
    return (isForgotten ? [.store(.release(HoldID(sameTextAs: id)))] : []) + evaluate(at: now)
  }

  /// Whether an application is connected that applies updates of this handler.
  public mutating func receivers(of handler: String, present: Bool, at now: Instant) -> [Action] {
    if present {
      withoutReceiver[handler] = nil
      for id in parked.removeValue(forKey: handler) ?? [] where line.waiting(.update(id)) == .parked(.noReceiver) {
        enqueue(id, at: now)
      }
    } else if withoutReceiver[handler] == nil {
      withoutReceiver[handler] = now
    }
    return evaluate(at: now)
  }

  /// Nothing is started any longer. The caller waits for the running handler.
  public mutating func stop(at now: Instant) {
    stoppingSince = stoppingSince ?? now
    noteShared(at: now)
  }

  // MARK: Ends

  mutating func end(_ id: UpdateID, _ state: FinalState, _ reason: String, at now: Instant) -> [Action] {
    guard takeOut(id, at: now) else { return [] }
    entries[id]?.stage = .leaving
    let result = UpdateResult(
      state: state, exitCode: nil, message: reason, finishedAt: wall(now), releaseToStartMilliseconds: nil,
      blocked: entries[id]?.blocked ?? BlockedTimes())
    return [.store(.finish(id, result))]
  }

  func superseded(_ id: UpdateID, by successor: UpdateID, at now: Instant) -> UpdateResult {
    UpdateResult(
      state: .superseded, exitCode: nil, message: "superseded by \(successor)", finishedAt: wall(now),
      releaseToStartMilliseconds: nil, successor: successor,
      blocked: blockedTimes(of: id, at: now) ?? BlockedTimes())
  }
}
