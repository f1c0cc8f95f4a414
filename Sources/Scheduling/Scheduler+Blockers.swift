public import Timeline

/// What blocks, now and so far.
extension Scheduler {
  /// Everything that keeps an update from being applied; empty while it is being applied, and for an unknown id.
  public func blockers(of id: UpdateID, at now: Instant) -> [Blocker] { blockers(of: .update(id), at: now) }

  /// Everything that keeps an update or a turn waiting; empty while it is applied or lasts, and for an unknown id.
  public func blockers(of id: WorkID, at now: Instant) -> [Blocker] {
    guard let entry = entries[id], current?.id != id else { return [] }
    let reason = line.waiting(id)
    var blockers = serviceBlockers()
    let shut = reason == .nothing ? [] : sharedBlockers(of: entry.work.screen)
    blockers += shut
    switch reason {
    case .notBefore(let time):
      let clears: Blocker.Clears
      if case .wall(let time) = time { clears = .at(time) } else { clears = .passed(dueAt(time, now)) }
      blockers.append(Blocker(code: .notBefore, since: entry.acceptedAt, clears: clears))
    case .parked(.clockUnset):
      blockers.append(Blocker(code: .clockUnset, since: entry.acceptedAt, clears: .clockIsSet))
    case .backoff(let until):
      blockers.append(
        Blocker(
          code: .backoff, since: entry.backoff?.since ?? entry.acceptedAt,
          reason: entry.backoff.map { .words($0.lastFailure) },
          clears: .backoffEnds(until, setbacks: entry.backoff?.setbacks ?? 0)))
    case .turn(let quiet):
      guard shut.isEmpty, let since = clearSince(entry.work.screen), now < since + quiet else { break }
      blockers.append(
        Blocker(code: .settling, since: since, screen: entry.work.screen, clears: .quietPeriodEnds(since + quiet)))
    case .parked(.rebootLoop):
      guard let update = entry.update else { break }
      blockers.append(
        Blocker(
          code: .rebootLoop, since: entry.acceptedAt,
          reason: .rebooted(
            times: HandlerPolicy.mostReboots, within: HandlerPolicy.rebootWindow, handler: update.handler),
          clears: .expedited(update.id)))
    case .parked, .nothing, nil: break
    }
    if let handler = entry.update?.handler, let since = withoutReceiver[handler] {
      blockers.append(
        Blocker(
          code: .noReceiver, since: max(since, entry.acceptedAt), reason: .noReceiver(handler: handler),
          clears: .receiverConnects))
    }
    if let current { blockers.append(blocker(current.id)) }
    if let first = line.ahead(of: id) {
      blockers.append(isAhead(first, since: entry.acceptedAt))
    }
    return blockers
  }

  private func dueAt(_ time: Moment, _ now: Instant) -> Instant {
    now + (clocks(now).remaining(until: time) ?? .zero)
  }

  private func isAhead(_ first: WorkID, since: Instant) -> Blocker {
    guard case .turn(let turn) = entries[first]?.work else {
      return Blocker(code: .order, since: since, owner: first.text, clears: .turnComes)
    }
    return Blocker(
      code: .order, since: since, owner: Self.name(turn.owner, turn.unit),
      reason: turn.reason.isEmpty ? nil : .words(turn.reason), clears: .turnHasEnded(turn.id))
  }

  /// For all updates that have not ended: for how long what has blocked them. To be stored when the service stops.
  public func allBlockedTimes(at now: Instant) -> [UpdateID: BlockedTimes] {
    entries.values.filter { $0.update != nil && $0.stage != .arriving }.reduce(into: [:]) { times, entry in
      if let id = entry.update?.id { times[id] = entry.blocked.plus(sinceSample(of: entry, at: now)) }
    }
  }

  /// For how long each blocker has blocked an update since it was accepted, while the service ran; nil for an unknown
  /// id and for a turn. Time behind others counts as `applying`, while they are applied.
  public func blockedTimes(of id: UpdateID, at now: Instant) -> BlockedTimes? {
    entries[id].flatMap { $0.update == nil ? nil : $0.blocked.plus(sinceSample(of: $0, at: now)) }
  }

  /// What is being applied, or the turn that lasts.
  private func blocker(_ current: WorkID) -> Blocker {
    guard case .turn(let id) = current, let state = currentTurn else {
      return Blocker(code: .applying, since: currentSince, owner: current.text, clears: .ends(current))
    }
    let turn = state.turn
    return Blocker(
      code: .turn, since: currentSince, owner: Self.name(turn.owner, turn.unit),
      reason: turn.reason.isEmpty ? nil : .words(turn.reason), clears: .turnEnds(id, orAt: state.ends))
  }

  /// Of a hold or a turn: `shop.service, user 1000, process 4711`.
  private static func name(_ owner: Submitter, _ unit: String?) -> String {
    (unit.map { "\($0), " } ?? "") + "user \(owner.uid), process \(owner.pid)"
  }

  private func serviceBlockers() -> [Blocker] {
    var blockers: [Blocker] = []
    if let since = stoppingSince {
      blockers.append(Blocker(code: .stopping, since: since, clears: .serviceIsStarted))
    }
    if let trouble = storeTrouble {
      blockers.append(
        Blocker(
          code: trouble.reason.code, since: trouble.since, reason: .words("\(trouble.reason)"), clears: .storeIsWritable
        ))
    }
    return blockers
  }

  /// The operator, those who hold, and whoever touches.
  private func sharedBlockers(of screen: String?) -> [Blocker] {
    var blockers: [Blocker] = []
    if let paused {
      blockers.append(
        Blocker(
          code: .paused, since: paused.since, owner: "user \(paused.pause.by.uid)",
          reason: .words(paused.pause.reason), clears: .resumed))
    }
    let inScope = holds.values.filter { isInScope($0.hold, of: screen) }
    for held in inScope.sorted(by: HeldUntil.isEarlier) {
      let hold = held.hold
      let owner = Self.name(hold.owner, hold.unit)
      blockers.append(
        Blocker(
          code: .hold, since: held.since, screen: hold.screen, owner: owner, reason: .words(hold.reason),
          clears: .holdIsReleased(orAt: held.until)))
    }
    if let since = disturbedSince {
      blockers.append(
        Blocker(
          code: .touched, since: since, contacts: 0, reason: .touchedAtStart, clears: .nextRecheck))
    }
    for (scope, gateState) in gateStates.sorted(by: { $0.key < $1.key }) where isInScope(scope, of: screen) {
      switch gateState {
      case .blocked(let blocker): blockers.append(blocker)
      case .absent(let blocker) where screen != nil: blockers.append(blocker)
      case .absent, .clear: break
      }
    }
    if let screen, gateStates[.screen(screen)] == nil {
      blockers.append(
        Blocker(
          code: .unknown, since: gateStatesSince, screen: screen, reason: .noSuchScreen(screen),
          clears: .screenIsBack(orAt: nil)))
    }
    return blockers
  }

  // MARK: What holds for a screen

  /// Since when nothing blocks the screen that an update waits for (nil: all screens); nil while anything does, and
  /// before the first report of any screen.
  func clearSince(_ screen: String?) -> Instant? {
    if let screen, gateStates[.screen(screen)] == nil { return nil }
    var latest: Instant?
    for (scope, gateState) in gateStates where isInScope(scope, of: screen) {
      switch gateState {
      case .clear(let since): latest = max(latest ?? since, since)
      case .absent where screen == nil: break
      case .absent, .blocked: return nil
      }
    }
    return latest
  }

  /// When a quiet period is over, if nothing happens before then; nil: not before something does.
  func opensAt(_ lane: WaitingLine.Lane) -> Instant? {
    if paused != nil || holds.values.contains(where: { isInScope($0.hold, of: lane.screen) }) { return nil }
    return clearSince(lane.screen).map { $0 + lane.quiet }
  }

  private func isInScope(_ scope: GateScope, of screen: String?) -> Bool {
    guard let screen else { return true }
    return scope == .machine || scope == .screen(screen)
  }

  private func isInScope(_ hold: Hold, of screen: String?) -> Bool {
    screen == nil || hold.screen == nil || hold.screen == screen
  }

  // MARK: Adding up

  /// To be called whenever anything of this has changed.
  mutating func noteShared(at now: Instant) {
    for screen in Array(sharedTimes.keys) { noteShared(of: screen, at: now) }
  }

  private mutating func noteShared(of screen: String?, at now: Instant) {
    let (codes, since) = (sharedCodes(screen), clearSince(screen))
    sharedTimes[screen, default: SharedTimes()].set(codes, clearSince: since, at: now)
  }

  func sharedCodes(_ screen: String?) -> Set<Blocker.Code> {
    var codes: Set<Blocker.Code> = []
    if stoppingSince != nil { codes.insert(.stopping) }
    if let storeTrouble { codes.insert(storeTrouble.reason.code) }
    if paused != nil { codes.insert(.paused) }
    if disturbedSince != nil { codes.insert(.touched) }
    switch current?.id {
    case .update: codes.insert(.applying)
    case .turn: codes.insert(.turn)
    case nil: break
    }
    if holds.values.contains(where: { isInScope($0.hold, of: screen) }) { codes.insert(.hold) }
    for (scope, gateState) in gateStates where isInScope(scope, of: screen) {
      switch gateState {
      case .blocked(let blocker): codes.insert(blocker.code)
      case .absent(let blocker) where screen != nil: codes.insert(blocker.code)
      case .absent, .clear: break
      }
    }
    if let screen, gateStates[.screen(screen)] == nil { codes.insert(.unknown) }
    return codes
  }

  /// It begins to wait for this.
  mutating func beginSample(_ id: WorkID, _ reason: WaitingLine.Reason, at now: Instant) {
    guard let entry = entries[id] else { return }
    let screen = entry.work.screen
    if sharedTimes[screen] == nil { noteShared(of: screen, at: now) }
    let quiet = quiet(reason)
    let shared = sharedTimes[screen]?.reading(quiet, at: now) ?? BlockedTimes()
    entries[id]?.sample = Sample(reason: reason, since: now, shared: shared)
  }

  /// It does not wait for that any more.
  mutating func endSample(_ id: WorkID, at now: Instant) {
    guard let entry = entries[id], entry.sample != nil else { return }
    let blocked = entry.blocked.plus(sinceSample(of: entry, at: now))
    entries[id]?.blocked = blocked
    entries[id]?.sample = nil
  }

  private func sinceSample(of entry: Entry, at now: Instant) -> BlockedTimes {
    guard let sample = entry.sample, let shared = sharedTimes[entry.work.screen] else { return BlockedTimes() }
    var times = shared.peek(quiet(sample.reason), at: now).since(sample.shared)
    switch sample.reason {
    case .notBefore: times.add(now - sample.since, .notBefore)
    case .backoff: times.add(now - sample.since, .backoff)
    case .parked(let code): times.add(now - sample.since, code)
    case .turn, .nothing: break
    }
    return times
  }

  private func quiet(_ reason: WaitingLine.Reason) -> Duration {
    if case .turn(let quiet) = reason { quiet } else { .zero }
  }
}
