import EventLoop
import Glibc
import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline
import TouchgateAPI
import UpdateStore

/// Executes what the scheduler decided; the order is `ActionQueue`'s.
final class DaemonEffects: ActionEffects {
  var scheduler: Scheduler
  var actions = ActionQueue()
  /// Prepared before the last look.
  private(set) var payload: (id: UpdateID, bytes: [UInt8])?
  unowned var daemon: Daemon!

  init(_ scheduler: Scheduler) { self.scheduler = scheduler }

  func store(_ writes: [StoreWrite], at now: Instant) -> String? {
    do throws(StoreError) {
      try daemon.store.perform(writes)
      return nil
    } catch {
      if writes.count == 1 { daemon.log.error("\(error)") }
      return "\(error)"
    }
  }

  func recheck(at now: Instant) -> [String: GateState] {
    daemon.metrics.looks += 1
    daemon.touch.lookAgain(now)
    return daemon.touch.passages
  }

  func prepare(_ update: Update, attempt: Int, at now: Instant) -> HandlerProgress {
    guard case .program? = daemon.configuration.handlers[update.handler]?.kind else { return .ready }
    do {
      payload = (update.id, try daemon.store.payload(of: update.id) ?? [])
      return .ready
    } catch {
      return .failed(daemon.startFailed(update, attempt, error, now))
    }
  }

  func discardPrepared(_ id: UpdateID, at now: Instant) { payload = nil }

  func takePayload(_ id: UpdateID) -> [UInt8]? {
    defer { payload = nil }
    return payload?.id == id ? payload?.bytes : nil
  }

  func lastLook(for work: Work, at now: Instant) -> LastLook { daemon.lastLook(work, now) }

  func decided(starts: Bool, at now: Instant) -> [String: GateState] {
    daemon.touch.decided(starts: starts, now)
    return daemon.touch.passages
  }

  func start(_ update: Update, attempt: Int, releasedAt: Instant?, at now: Instant) -> HandlerProgress {
    daemon.start(update, attempt, releasedAt, now)
  }

  func startTurn(_ turn: Turn, releasedAt: Instant?, at now: Instant) { daemon.startTurn(turn.id, releasedAt, now) }

  func probe(_ id: UpdateID, at now: Instant) -> ProbeAnswer { daemon.probe(id, now) }

  func announce(_ announcement: Announcement, at now: Instant) { daemon.announce(announcement, now) }
}

extension Daemon {
  var scheduler: Scheduler {
    get { effects.scheduler }
    _modify { yield &effects.scheduler }
  }

  func perform(_ actions: [Scheduler.Action], _ now: Instant) {
    effects.actions.append(actions)
    effects.drain(at: now)
  }

  fileprivate func announce(_ announcement: Announcement, _ now: Instant) {
    switch announcement {
    case .accepted(let id):
      metrics.accepted += 1
      if let update = scheduler.update(id) { note(update, "waiting") }
      if waitInstead(id) { break }
      answer(id) { try show(id, status: 202, now) }
    case .refused(let id, let reason):
      waitsAfter[id] = nil
      let message = "the update could not be stored and was not accepted: \(reason)"
      answer(id) { throw Refusal(503, Problem(code: "storeFull", message: message)) }
    case .ended(let id, let result):
      let handler = (try? store.find(id))?.update.handler ?? ""
      events.add(.update(id: id.text, handler: handler, state: result.state.rawValue), at: SystemClock.wall)
      metrics.ended[result.state, default: 0] += 1
      let tell = { [unowned self] (now: Instant) in
        tellEnd(id, result, handler)
        answer(id) { try show(id, status: 200, now) }
        answerWaits(for: id, now)
      }
      withFeedback(feedbackOnFail(handler, result), tell, now)
      if historyDue == nil { pruneHistory(now) }
      stopIfAsked()
    case .notEnded(let id, let reason):
      let message = "the update could not be ended, because that could not be stored: \(reason)"
      answer(id) { throw Refusal(503, Problem(code: "storeFull", message: message)) }
    case .done(let write):
      answerChange(write, failure: nil, now)
    case .notDone(let write, let reason):
      answerChange(write, failure: reason, now)
    }
  }

  fileprivate func probe(_ id: UpdateID, _ now: Instant) -> ProbeAnswer {
    if let marker = UnitMarker(path: markerPath(id)) {
      probe(id, marker, now)
      return .pending
    }
    guard HandlerProcess.holdsLock(lockPath(id)) else { return .ended }
    log.warning(
      "the handler that a former run started for \(id) still runs; waiting for it", .interrupted, [.update(id)])
    return .running
  }

  fileprivate func lastLook(_ work: Work, _ now: Instant) -> LastLook {
    metrics.commits += 1
    let kind: GuardKind? =
      switch work {
      case .update(let update): configuration.handlers[update.handler]?.guardKind
      case .turn(let turn): turns[turn.id]?.guardKind
      }
    let disturbed = kind != GuardKind.none && touch.commit(screen: work.screen, grab: kind == .grab, now)
    return LastLook(isDisturbed: disturbed, screens: touch.passages)
  }

  private func tellEnd(_ id: UpdateID, _ result: UpdateResult, _ handler: String) {
    var fields: [Log.Field] = [.update(id), .handler(handler), .state(result.state)]
    if let status = result.exitCode { fields.append(.exitStatus(status)) }
    let line = "\(id): \(result.state.rawValue), \(result.message)"
    switch result.state {
    case .applied: log.info(line, .applied, fields)
    case .failed: log.warning(line, .failed, fields)
    case .superseded, .cancelled, .expired: log.info(line, .endedUnapplied, fields)
    }
  }

  // MARK: Handlers

  fileprivate func start(_ update: Update, _ attempt: Int, _ releasedAt: Instant?, _ now: Instant) -> HandlerProgress {
    note(update, "applying")
    guard let kind = configuration.handlers[update.handler]?.feedbackOnApply else {
      return startHandler(update, attempt, releasedAt, now)
    }
    let start = { [unowned self] (now: Instant) in
      let progress = startHandler(update, attempt, releasedAt, now)
      effects.actions.append(scheduler.handlerProgressed(update.id, progress, at: now))
    }
    withFeedback(kind, start, now)
    return .ready
  }

  private func startHandler(
    _ update: Update, _ attempt: Int, _ releasedAt: Instant?, _ now: Instant
  ) -> HandlerProgress {
    do {
      guard let definition = configuration.handlers[update.handler] else {
        throw HandlerProcess.CannotStart(
          description: "handler '\(update.handler)' is not configured any more; known are \(handlerNames)")
      }
      let running: any RunningHandler
      let ended = { [unowned self] (end: HandlerEnd, now: Instant) in handlerEnded(update.id, end, now) }
      switch definition.kind {
      case .program(let command):
        let payload = try effects.takePayload(update.id) ?? store.payload(of: update.id) ?? []
        running = try HandlerProcess(
          definition, command: command, update, attempt: attempt, payload: payload, lock: lockPath(update.id),
          releasedAt: releasedAt, loop: loop, log: log, now: SystemClock.monotonic, ended: ended)
      case .delivery:
        guard let delivery = try deliver(update, attempt, definition, releasedAt, now, ended) else {
          perform(scheduler.receivers(of: update.handler, present: false, at: now), now)
          endGuard(now)
          return .notTaken
        }
        running = delivery
      case .unit(let unit):
        running = try startUnit(definition.kind.unit(for: update.id) ?? unit, definition, update, releasedAt, ended)
      }
      handler = running
      if let kind = definition.feedbackOnFail { prepareFeedback(kind, while: definition.timeout) }
      let after = releasedAt.map { ", \((running.started - $0).wholeMilliseconds) ms after the last touch" } ?? ""
      log.info(
        "\(update.id): handler '\(update.handler)' started (attempt \(attempt))\(after)", .handlerStarted,
        [.update(update.id), .handler(update.handler), .attempt(attempt)])
      metrics.started += 1
      if let releasedAt { metrics.releaseToStart.add(running.started - releasedAt) }
      return .ready
    } catch {
      return .failed(startFailed(update, attempt, error, now))
    }
  }

  fileprivate func startFailed(
    _ update: Update, _ attempt: Int, _ error: any Error, _ now: Instant
  ) -> UpdateResult {
    unlink(markerPath(update.id))
    if attempt < scheduler.policy(of: update.handler).attempts {
      log.notice("\(update.id): is tried again; \(error)", .attemptFailed, [.update(update.id)])
    }
    endGuard(now)
    return UpdateResult(
      state: .failed, exitCode: nil, message: "\(error)", finishedAt: SystemClock.wall, releaseToStartMilliseconds: nil)
  }

  /// Nothing is at work any more: the devices may be let go of, which reads what came meanwhile.
  func endGuard(_ now: Instant) {
    touch.handlerEnded(now)
    touchChanged(now)
  }

  private func handlerEnded(_ id: UpdateID, _ end: HandlerEnd, _ now: Instant) {
    if let handler { metrics.handlerTime.add(now - handler.started) }
    handler = nil
    endGuard(now)
    _ = HandlerProcess.holdsLock(lockPath(id))  // Removes the file.
    perform(scheduler.handlerEnded(id, end.result, tryLater: end.triesLater, at: now), now)
    if end.result.state == .failed && scheduler.isWaiting(id) {
      let again = end.triesLater ? "asks to be tried later" : "is tried again"
      log.notice("\(id): \(again); \(end.result.message)", .attemptFailed, [.update(id)])
    }
    // Not earlier: its result is stored now.
    unlink(markerPath(id))
    settle(now)
    stopIfAsked()
  }

  func markerPath(_ id: UpdateID) -> String { "\(options.stateDirectory)/handler-\(id).unit" }

  private func lockPath(_ id: UpdateID) -> String { "\(options.stateDirectory)/handler-\(id).lock" }

  var handlerNames: String {
    let names = configuration.handlers.keys.sorted()
    return names.isEmpty ? "none (put one in handlers.d)" : names.joined(separator: ", ")
  }
}
