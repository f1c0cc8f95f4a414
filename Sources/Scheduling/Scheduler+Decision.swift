import Timeline

/// Who is next.
extension Scheduler {
  mutating func evaluate(at now: Instant) -> [Action] {
    defer { noteShared(at: now) }
    for id in line.takeRipe(at: now, clocks(now)) { enqueue(id, at: now) }
    var actions: [Action] = []
    resolveTimes(at: now)
    if storeTrouble == nil { actions += writeTimes() + writeReleases() + meetDeadlines(at: now) + endHolds(at: now) }
    if case .awaitingReboot(let id, let until) = current, until <= now { actions += noReboot(id, at: now) }
    armRecheck(at: now)
    guard current == nil, storeTrouble == nil, stoppingSince == nil, disturbedSince == nil || line.isAnyForced,
      let id = nextWithReceiver(at: now), let entry = entries[id]
    else { return actions }
    guard let update = entry.update else {
      takeOut(id, at: now)
      entries[id]?.stage = .applying
      setCurrent(.lastLook(id, releasedAt: releasedAt(entry)), at: now)
      armRecheck(at: now)
      return actions + [.lastLook(id)]
    }
    let overrode = entry.expedited == .force ? overridden(update.screen) : []
    takeOut(id, at: now)
    entries[id]?.stage = .applying
    setCurrent(.marking(update.id), at: now)
    armRecheck(at: now)
    actions.append(.store(.beginApplying(update.id, attempt: entry.attempts + 1, boot: boot, overrode: overrode)))
    return actions
  }

  /// An update whose receiver has gone is parked when it comes up.
  private mutating func nextWithReceiver(at now: Instant) -> WorkID? {
    while let id = line.next(at: now, opens: opensAt), let entry = entries[id] {
      guard let handler = entry.update?.handler, withoutReceiver[handler] != nil else { return id }
      enqueue(id, at: now)
    }
    return nil
  }

  /// When the touch ended that it waited for; nil if it did not wait for one.
  func releasedAt(_ entry: Entry) -> Instant? {
    clearSince(entry.work.screen).flatMap { $0 > entry.acceptedAt ? $0 : nil }
  }

  private mutating func meetDeadlines(at now: Instant) -> [Action] {
    var actions: [Action] = []
    for update in line.takeOverdue(clocks(now)) {
      switch update.onDeadline {
      case .expire:
        actions += end(update.id, .expired, "still waiting at its deadline", at: now)
      case .apply, .force:
        entries[update.id]?.isDeadlineMet = true
        setExpedited(update.id, update.onDeadline == .force ? .force : .apply, at: now)
      }
    }
    return actions
  }

  /// Times of day without a day are resolved once, when the time of day is known, and kept so.
  private mutating func resolveTimes(at now: Instant) {
    guard isClockSet, !unresolved.isEmpty else { return }
    for id in unresolved {
      if let update = entries[id]?.update { retime(update.resolved(after: wall(now), in: zone), at: now) }
    }
    unresolved = []
  }

  /// An update that waits or is being applied gets other times, which are written next.
  mutating func retime(_ update: Update, at now: Instant) {
    guard let stage = entries[update.id]?.stage, [.waiting, .applying].contains(stage) else { return }
    entries[update.id]?.work = .update(update)
    retimed.insert(update.id)
    if line.contains(.update(update.id)) { enqueue(update.id, at: now) }
  }

  private mutating func writeTimes() -> [Action] {
    if retimed.isEmpty { return [] }
    let updates = retimed.compactMap { entries[$0] }.filter { [.waiting, .applying].contains($0.stage) }
    retimed = []
    return updates.compactMap(\.update).sorted { $0.sequence < $1.sequence }.map { .store(.retime($0)) }
  }

  /// Of holds that are over although that could not be written.
  private mutating func writeReleases() -> [Action] {
    defer { unreleased = [] }
    return unreleased.sorted { $0.text < $1.text }.map { .store(.release($0)) }
  }

  private mutating func endHolds(at now: Instant) -> [Action] {
    var ended: [Action] = []
    for (id, held) in holds where held.until.map({ $0 <= now }) == true {
      // It is over whether that can be written or not: after a restart it would be over all the same.
      holds[id] = nil
      ended.append(.store(.release(id)))
    }
    return ended
  }

  private mutating func noReboot(_ id: UpdateID, at now: Instant) -> [Action] {
    guard stoppingSince == nil, let update = entries[id]?.update else { return [] }
    let timeout = TimeSpan.describe(policy(of: update).rebootTimeout ?? .zero)
    let result = UpdateResult(
      state: .failed, exitCode: nil,
      message: "the machine did not reboot within \(timeout) after handler '\(update.handler)' (RebootTimeout=)",
      finishedAt: wall(now), releaseToStartMilliseconds: nil)
    return hasFailed(id, result, tryLater: false, at: now)
  }

  /// The touch, holds and pauses; other blockers last a moment, or belong to the update alone.
  private func overridden(_ screen: String?) -> [Blocker.Code] {
    Blocker.Code.allCases.filter(sharedCodes(screen).contains)
  }

  /// Neither quiet period nor backoff count any more. After a failure from here on, its backoff does.
  mutating func setExpedited(_ id: UpdateID, _ expedited: Expedited, at now: Instant) {
    guard let entry = entries[id] else { return }
    entries[id]?.expedited = max(entry.expedited, expedited)
    entries[id]?.backoff?.cutShort()
    guard line.contains(.update(id)) else { return }
    takeOut(id, at: now)
    enqueue(id, at: now)
  }

  /// Puts an update where it waits: for a time that has not come, or in the lane of its quiet period.
  mutating func enqueue(_ id: WorkID, at now: Instant) {
    guard let entry = entries[id] else { return }
    if line.contains(id) { line.remove(id) }
    endSample(id, at: now)
    entries[id]?.stage = .waiting
    let reason = reason(entry, at: now)
    if let update = entry.update, update.isUnresolved { unresolved.insert(update.id) }
    line.insert(
      entry.work, entry.update.flatMap(key), for: reason, isExpedited: entry.expedited >= .apply,
      isDeadlineMet: entry.isDeadlineMet)
    if reason == .parked(.noReceiver), let update = entry.update {
      parked[update.handler, default: []].insert(update.id)
    }
    beginSample(id, reason, at: now)
  }

  mutating func enqueue(_ id: UpdateID, at now: Instant) { enqueue(.update(id), at: now) }

  private func reason(_ entry: Entry, at now: Instant) -> WaitingLine.Reason {
    if let until = entry.backoff?.until(after: now) { return .backoff(until: until) }
    guard let update = entry.update else { return .turn(quiet: quietPeriod(of: entry)) }
    if withoutReceiver[update.handler] != nil { return .parked(.noReceiver) }
    if entry.expedited == .force { return .nothing }
    if entry.expedited == .none {
      if let time = update.notBefore, !clocks(now).have(time) {
        return clocks(now).remaining(until: time) == nil ? .parked(.clockUnset) : .notBefore(time)
      }
      if isStopped(entry) { return .parked(.rebootLoop) }
    }
    return .turn(quiet: quietPeriod(of: entry))
  }

  /// The machine has rebooted too often for this handler. A later update is not held back for ever.
  func isStopped(_ entry: Entry) -> Bool {
    guard entry.expedited == .none, let update = entry.update, policy(of: update).rebootTimeout != nil,
      let times = reboots[update.handler]?.suffix(HandlerPolicy.mostReboots),
      times.count == HandlerPolicy.mostReboots, let first = times.first, let last = times.last
    else { return false }
    return last - first < HandlerPolicy.rebootWindow && update.createdAt < last + HandlerPolicy.rebootWindow
  }

  /// - Returns: whether it waited.
  @discardableResult mutating func takeOut(_ id: WorkID, at now: Instant) -> Bool {
    endSample(id, at: now)
    if line.waiting(id) == .parked(.noReceiver), let update = entries[id]?.update {
      parked[update.handler]?.remove(update.id)
    }
    return line.remove(id)
  }

  /// - Returns: whether it waited.
  @discardableResult mutating func takeOut(_ id: UpdateID, at now: Instant) -> Bool { takeOut(.update(id), at: now) }

  // MARK: The timer

  /// The timer runs only while something may change unseen.
  mutating func armRecheck(at now: Instant) {
    if needsRechecks {
      nextRecheck = nextRecheck ?? now + interval
    } else {
      nextRecheck = nil
    }
  }

  private var needsRechecks: Bool {
    // Another write may succeed before the one that failed is tried again, and end the trouble.
    if line.count > 0 || storeTrouble != nil || mustWriteAgain { return true }
    switch current {
    case .orphan, .returning: return true
    case nil, .marking, .lastLook, .running, .awaitingReboot, .finishing: return false
    }
  }

  mutating func setCurrent(_ next: Current, at now: Instant) {
    if current?.id != next.id { currentSince = now }
    current = next
    mustWriteAgain = false
  }
}
