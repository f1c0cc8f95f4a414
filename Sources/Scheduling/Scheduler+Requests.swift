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
    if let deadline = update.deadline, deadline <= wall(now) { update.deadline = nil }
    entries[update.id] = Entry(
      work: .update(update), attempts: 0, rechecksAtAcceptance: rechecks, acceptedAt: now, stage: .arriving)
    return [.store(.reopen(update))]
  }

  /// Pauses the service; nil resumes it.
  public func pause(_ pause: OperatorPause?) -> [Action] { [.store(.pause(pause))] }

  /// A hold that ends with its owner's connection is in force at once; one with an end of its own once it is durable.
  public mutating func hold(_ hold: Hold, at now: Instant) -> [Action] {
    if hold.until != nil { return [.store(.hold(hold))] }
    holds[hold.id] = HeldUntil(hold: hold, since: now, until: nil)
    return evaluate(at: now)
  }

  /// No actions if there is no such hold.
  public mutating func release(_ id: HoldID, at now: Instant) -> [Action] {
    guard let held = holds[id] else { return [] }
    if held.until != nil { return [.store(.release(id))] }
    holds[id] = nil
    return evaluate(at: now)
  }

  /// Queues a turn, in which a program does something itself. It ends with `leave`.
  public mutating func takeTurn(_ turn: Turn, at now: Instant) -> [Action] {
    entries[turn.id] = Entry(
      work: .turn(turn), attempts: 0, rechecksAtAcceptance: rechecks, acceptedAt: now, stage: .waiting)
    turnIDs.insert(turn.id)
    enqueue(.turn(turn.id), at: now)
    return evaluate(at: now)
  }

  /// The turn is over, or its owner no longer waits for it.
  public mutating func leave(_ id: TurnID, at now: Instant) -> [Action] {
    if entries[id] == nil { return [] }
    takeOut(.turn(id), at: now)
    turnIDs.remove(id)
    entries[id] = nil
    if current?.id == .turn(id) { current = nil }
    return evaluate(at: now)
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
