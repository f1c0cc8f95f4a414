import EventLoop
import Glibc
import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline
import TouchDevices
import TouchgateAPI
import UpdateStore

/// Carrying out what the scheduler decided. Results go back to it as new inputs, whose actions queue up behind.
extension Daemon {
  func perform(_ actions: [Scheduler.Action], _ now: Instant) {
    pending += actions
    if isPerforming { return }
    isPerforming = true
    defer { isPerforming = false }
    while !pending.isEmpty {
      let writes = takeWrites()
      if writes.isEmpty {
        perform(pending.removeFirst(), now)
      } else {
        write(writes, now)
      }
    }
  }

  private func perform(_ action: Scheduler.Action, _ now: Instant) {
    switch action {
    case .store:
      break  // `takeWrites` has taken them.
    case .accepted(let id):
      metrics.accepted += 1
      if let update = scheduler.update(id) { note(update, "waiting") }
      if waitInstead(id) { break }
      answer(id) { try show(id, status: 202, now) }
    case .refused(let id, let reason):
      waitsAfter[id] = nil
      let message = "the update could not be stored and was not accepted: \(reason)"
      answer(id) { throw Refusal(503, Problem(code: "storeFull", message: message)) }
    case .lookAgain:
      metrics.looks += 1
      look(now)
      pending += scheduler.looked(at: now)
    case .verify(let id):
      metrics.commits += 1
      commit(id, now)
    case .start(let update, let attempt, let releasedAt):
      if turns[update.id] != nil { return startTurn(update.id, releasedAt, now) }
      note(update, "applying")
      let kind = configuration.handlers[update.handler]?.feedbackOnApply
      withFeedback(kind, { [unowned self] now in start(update, attempt, releasedAt, now) }, now)
    case .probe(let id):
      if let marker = UnitMarker(path: markerPath(id)) { return probe(id, marker, now) }
      let running = HandlerProcess.holdsLock(lockPath(id))
      if running {
        log.warning(
          "the handler that a former run started for \(id) still runs; waiting for it", .interrupted, [.update(id)])
      }
      pending += scheduler.probed(id, stillRunning: running, at: now)
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

  private func look(_ now: Instant) {
    touch.recheck(now)
    pending += scheduler.screens(touch.passages, at: now)
  }

  /// Between the verdict and the start nothing is written: it would take longer than a finger needs to land.
  private func commit(_ id: UpdateID, _ now: Instant) {
    let update = scheduler.update(id)
    let kind = update.flatMap { configuration.handlers[$0.handler]?.guardKind } ?? turns[id]?.guardKind ?? .verify
    var disturbed = false
    if kind != .none { disturbed = touch.lastLook(screen: update?.screen, grab: kind == .grab, now) }
    let changed = scheduler.screens(touch.passages, at: now)
    let verdict = scheduler.verified(id, disturbed: disturbed, at: now)
    touch.decided(starts: verdict.contains(where: \.isStart), now)
    // Letting go of devices reads what came meanwhile.
    pending = verdict + changed + scheduler.screens(touch.passages, at: now) + pending
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

  // MARK: Store

  /// The writes at the head of the queue go in one transaction: requests of one wake-up share its fsync.
  private func takeWrites() -> [StoreWrite] {
    var writes: [StoreWrite] = []
    while case .store(let write)? = pending.first {
      writes.append(write)
      pending.removeFirst()
    }
    return writes
  }

  private func write(_ writes: [StoreWrite], _ now: Instant) {
    do throws(StoreError) {
      try store.perform(writes)
      for write in writes { pending += scheduler.stored(write, at: now) }
    } catch {
      if writes.count > 1 {
        // All or nothing: one that cannot be written must not take the others with it.
        for write in writes { self.write([write], now) }
        return
      }
      log.error("\(error)")
      for write in writes { pending += scheduler.storeFailed(write, reason: "\(error)", at: now) }
    }
  }

  // MARK: Handlers

  private func start(_ update: Update, _ attempt: Int, _ releasedAt: Instant?, _ now: Instant) {
    do {
      guard let definition = configuration.handlers[update.handler] else {
        throw HandlerProcess.CannotStart(
          description: "handler '\(update.handler)' is not configured any more; known are \(handlerNames)")
      }
      let running: any RunningHandler
      let ended = { [unowned self] (end: HandlerEnd, now: Instant) in handlerEnded(update.id, end, now) }
      switch definition.kind {
      case .program(let command):
        running = try HandlerProcess(
          definition, command: command, update, attempt: attempt, payload: try store.payload(of: update.id) ?? [],
          lock: lockPath(update.id), releasedAt: releasedAt, loop: loop, log: log, now: SystemClock.monotonic,
          ended: ended)
      case .delivery:
        guard let delivery = try deliver(update, attempt, definition, releasedAt, now, ended) else {
          perform(scheduler.receivers(of: update.handler, present: false, at: now), now)
          endGuard(now)
          pending += scheduler.notTaken(update.id, at: now)
          return
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
    } catch {
      unlink(markerPath(update.id))
      if attempt < scheduler.policy(of: update.handler).attempts {
        log.notice("\(update.id): is tried again; \(error)", .attemptFailed, [.update(update.id)])
      }
      let result = UpdateResult(
        state: .failed, exitCode: nil, message: "\(error)", finishedAt: SystemClock.wall,
        releaseToStartMilliseconds: nil)
      endGuard(now)
      pending += scheduler.handlerEnded(update.id, result, at: now)
    }
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
