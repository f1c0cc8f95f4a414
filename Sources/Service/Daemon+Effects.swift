import EventLoop
import Scheduling
import SocketServer
import Timeline
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
      if let update = scheduler.update(id) { note(update, "waiting") }
      if waitInstead(id) { break }
      answer(id) { try show(id, status: 202, now) }
    case .refused(let id, let reason):
      waitsAfter[id] = nil
      let message = "the update could not be stored and was not accepted: \(reason)"
      answer(id) { throw Refusal(503, Problem(code: "storeFull", message: message)) }
    case .lookAgain:
      look(now)
      pending += scheduler.looked(at: now)
    case .verify(let id):
      commit(id, now)
    case .start(let update, let attempt, let releasedAt):
      if turns[update.id] != nil { return startTurn(update.id, releasedAt, now) }
      note(update, "applying")
      let kind = configuration.handlers[update.handler]?.feedbackOnApply
      withFeedback(kind, { [unowned self] now in start(update, attempt, releasedAt, now) }, now)
    case .probe(let id):
      let running = HandlerProcess.holdsLock(lockPath(id))
      if running { log.warning("the handler that a former run started for \(id) still runs; waiting for it") }
      pending += scheduler.probed(id, stillRunning: running, at: now)
    case .ended(let id, let result):
      events.add(
        .update(id: id.text, handler: (try? store.find(id))?.update.handler ?? "", state: result.state.rawValue),
        at: Clock.wall)
      let tell = { [unowned self] (now: Instant) in
        log.info("\(id): \(result.state.rawValue), \(result.message)")
        answer(id) { try show(id, status: 200, now) }
        answerWaits(for: id, now)
      }
      withFeedback(feedbackOnFail(id, result), tell, now)
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
    touch.lookAgain(now)
    pending += scheduler.screens(touch.passages, at: now)
  }

  /// Between the verdict and the start nothing is written: it would take longer than a finger needs to land.
  private func commit(_ id: UpdateID, _ now: Instant) {
    let update = scheduler.update(id)
    let kind = update.flatMap { configuration.handlers[$0.handler]?.guardKind } ?? turns[id]?.guardKind ?? .verify
    var disturbed = false
    if kind != .none { disturbed = touch.commit(screen: update?.screen, grab: kind == .grab, now) }
    let changed = scheduler.screens(touch.passages, at: now)
    let verdict = scheduler.verified(id, disturbed: disturbed, at: now)
    touch.decided(starts: verdict.contains(where: \.isStart))
    pending = verdict + changed + pending
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
      let process = try HandlerProcess(
        definition, update, attempt: attempt, payload: try store.payload(of: update.id) ?? [],
        lock: lockPath(update.id), releasedAt: releasedAt, loop: loop, log: log, now: EventLoop.now
      ) { [unowned self] process, end, now in
        handler = nil
        touch.handlerEnded(now)
        _ = HandlerProcess.holdsLock(lockPath(process.update.id))  // Removes the file.
        let result = process.result(end, at: Clock.wall)
        perform(
          scheduler.handlerEnded(process.update.id, result, tryLater: process.asksToTryLater(end), at: now), now)
        settle(now)
        stopIfAsked()
      }
      handler = process
      if let kind = definition.feedbackOnFail { prepareFeedback(kind, while: definition.timeout) }
      let after = releasedAt.map { ", \((process.started - $0).wholeMilliseconds) ms after the last touch" } ?? ""
      log.info("\(update.id): handler '\(update.handler)' started (attempt \(attempt))\(after)")
    } catch {
      let result = UpdateResult(
        state: .failed, exitCode: nil, message: "\(error)", finishedAt: Clock.wall, releaseToStartMilliseconds: nil)
      touch.handlerEnded(now)
      pending += scheduler.handlerEnded(update.id, result, at: now)
    }
  }

  private func lockPath(_ id: UpdateID) -> String { "\(options.stateDirectory)/handler-\(id).lock" }

  var handlerNames: String {
    let names = configuration.handlers.keys.sorted()
    return names.isEmpty ? "none (put one in handlers.d)" : names.joined(separator: ", ")
  }
}
