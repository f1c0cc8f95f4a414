public import Timeline

/// Writes that became durable, and writes that failed.
extension Scheduler {
  /// What the store held at start.
  public mutating func recover(_ stored: Recovered, at now: Instant) -> [Action] {
    defer { noteShared(at: now) }
    for reboot in stored.reboots { note(reboot) }
    if let pause = stored.pause { paused = (pause, now) }
    for hold in stored.holds { add(hold, at: now) }
    let forgotten = keep(stored.bound, at: now)
    var rebooted: UpdateID?
    for item in stored.updates {
      let id = item.update.id
      var entry = Entry(
        work: .update(item.update), attempts: item.attempts, rechecksAtAcceptance: rechecks, acceptedAt: now,
        stage: .waiting)
      entry.expedited = item.expedited
      entry.blocked = item.blocked
      entry.interruptions = item.interruptions
      entry.backoff = item.backoff.map { Backoff($0, steady: steady(now), at: now) }
      entries[id] = entry
      switch item.state {
      case .waiting:
        enqueue(id, at: now)
      case .applying:
        entries[id]?.stage = .applying
        setCurrent(.orphan(id), at: now)
        if policy(of: item.update).rebootTimeout != nil && item.boot != boot && !item.boot.isEmpty { rebooted = id }
      case .finished:
        entries[id] = nil
      }
    }
    if let rebooted { return forgotten + hasRebooted(rebooted, at: now) }
    if case .orphan(let id) = current {
      armRecheck(at: now)
      return forgotten + [.probe(id)]
    }
    return forgotten + evaluate(at: now)
  }

  /// Those of this boot are kept for a while; none of another boot has an owner.
  private mutating func keep(_ bound: [BoundHold], at now: Instant) -> [Action] {
    var forgotten: [Action] = []
    for item in bound {
      guard item.boot == boot else {
        forgotten.append(.store(.release(item.hold.id)))
        continue
      }
      keep(item.hold, until: now + BoundHold.keptFor, at: now)
    }
    return forgotten
  }

  /// Until then, while its owner has no connection.
  mutating func keep(_ bound: Hold, until: Instant, at now: Instant) {
    var hold = bound
    hold.until = min(steady(until), hold.ends ?? steady(until))
    put(hold, until: hold.until.map(instant), isKept: true, at: now)
  }

  /// The reboot that it is about has happened; what a reboot does for others is done, too.
  private mutating func hasRebooted(_ id: UpdateID, at now: Instant) -> [Action] {
    guard let update = entries[id]?.update else { return [] }
    note(Reboot(handler: update.handler, at: wall(now)))
    let result = UpdateResult(
      state: .applied, exitCode: 0, message: "the machine has rebooted", finishedAt: wall(now),
      releaseToStartMilliseconds: nil)
    setCurrent(.finishing(id, result), at: now)
    var actions: [Action] = [.store(.finish(id, result))]
    let waiting = entries.values.filter { $0.stage == .waiting }.compactMap(\.update)
    let satisfied = waiting.filter { policy(of: $0).isSatisfiedByReboot }
    for other in satisfied.sorted(by: { $0.sequence < $1.sequence }).map(\.id) {
      let result = UpdateResult(
        state: .superseded, exitCode: nil, message: "satisfied by the reboot of \(id)", finishedAt: wall(now),
        releaseToStartMilliseconds: nil, successor: id, blocked: entries[other]?.blocked ?? BlockedTimes())
      takeOut(other, at: now)
      entries[other]?.stage = .leaving
      actions.append(.store(.finish(other, result)))
    }
    // Others of the same handler may be one reboot too many now.
    for entry in entries.values where entry.stage == .waiting && isStopped(entry) { enqueue(entry.work.id, at: now) }
    armRecheck(at: now)
    return actions
  }

  /// A requested write is durable.
  public mutating func stored(_ write: StoreWrite, at now: Instant) -> [Action] {
    storeTrouble = nil
    defer { noteShared(at: now) }
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
    case .beginApplying(let id, let attempt, boot: _, overrode: _):
      guard case .marking(id) = current, let entry = entries[id], let update = entry.update else { return [] }
      entries[id]?.attempts = attempt
      // While stopping, a forced update takes the last look, too, which sends it back.
      if entry.expedited == .force && stoppingSince == nil {
        setCurrent(.running(.update(id)), at: now)
        return [.start(update, attempt: attempt, releasedAt: nil)]
      }
      setCurrent(.lastLook(.update(id), releasedAt: releasedAt(entry)), at: now)
      return [.lastLook(.update(id))]
    case .backToWaiting(let id, let attempts, backoff: _, interruptions: _):
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
    case .expedite(let id, let expedited):
      setExpedited(id, expedited, at: now)
    case .reopen(let update):
      enqueue(update.id, at: now)
    case .retime:
      break
    case .pause(let pause):
      paused = pause.map { ($0, paused?.since ?? now) }
    case .hold(let hold):
      add(hold, at: now)
    case .bind:
      break
    case .release(let id):
      holds[id] = nil
    }
    return [.done(write)] + evaluate(at: now)
  }

  /// A requested write failed, and nothing of it was written.
  public mutating func storeFailed(_ write: StoreWrite, reason: StoreFailure, at now: Instant) -> [Action] {
    defer { noteShared(at: now) }
    switch write {
    case .accept(let update, payload: _), .acceptEnded(let update, payload: _, _):
      entries[update.id] = nil
      return [.refused(update.id, reason: reason)]
    case .replace(let old, _, with: let update, payload: _):
      entries[update.id] = nil
      enqueue(old, at: now)
      armRecheck(at: now)
      return [.refused(update.id, reason: reason)]
    case .expedite, .pause, .hold, .bind:
      return [.notDone(write, reason: reason)]
    case .reopen(let update):
      entries[update.id] = nil
      return [.notDone(write, reason: reason)]
    case .beginApplying(let id, attempt: _, boot: _, overrode: _):
      guard case .marking(id) = current else { return [] }
      current = nil
      enqueue(id, at: now)
    case .finish(let id, _) where current?.id != .update(id):
      enqueue(id, at: now)
      // Ends are tried again at the next recheck, not at once.
      trouble(reason, at: now)
      return [.notEnded(id, reason: reason)]
    case .retime(let update):
      if entries[update.id] != nil { retimed.insert(update.id) }
      trouble(reason, at: now)
      return []
    case .release(let id):
      // One that is over is written at the next recheck.
      if holds[id] == nil { unreleased.insert(id) }
      trouble(reason, at: now)
      return [.notDone(write, reason: reason)]
    case .backToWaiting, .finish:
      mustWriteAgain = true
    }
    trouble(reason, at: now)
    return []
  }

  private mutating func trouble(_ reason: StoreFailure, at now: Instant) {
    storeTrouble = (storeTrouble?.since ?? now, reason)
    armRecheck(at: now)
  }

  private mutating func add(_ hold: Hold, at now: Instant) {
    put(hold, until: hold.until.map(instant), at: now)
  }

  private mutating func note(_ reboot: Reboot) {
    reboots[reboot.handler, default: []].append(reboot.at)
    reboots[reboot.handler]?.sort()
  }
}
