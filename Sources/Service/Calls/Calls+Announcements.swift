import ControlAPI
import Gating
import HTTPTypes
import Handlers
import Haptics
import Linux
import Scheduling
import ServiceConfiguration
import ServiceLog
import SocketServer
import Timeline
import TouchDevices
import TouchgateAPI
import UpdateStore

/// What the engine announces: counted, logged, put into the event feed, and answered to whoever waits for it.
extension Calls {
  func announced(_ announcement: Announcement, _ now: Instant) {
    switch announcement {
    case .accepted(let id):
      metrics.accepted += 1
      if let update = engine.scheduler.update(id) { note(id, update.handler, "waiting") }
      if let token = answers.accepted(id) { answer(token) { try show(id, status: 202, now) } }
    case .refused(let id, let reason):
      if let token = answers.refused(id) { answer(token) { throw StateProblem.notAccepted(reason).refusal } }
    case .ended(let id, let result):
      ended(id, result, now)
    case .notEnded(let id, let reason):
      if let token = answers.notEnded(id) { answer(token) { throw StateProblem.notCancelled(reason).refusal } }
    case .done(let write):
      if case .expedite(let id, .force) = write { overruleTurn(for: id, now) }
      if let token = answers.changed(write) { answer(token) { try changed(write, now) } }
    case .notDone(.bind(let bound), let reason):
      log.warning("\(bound.hold.id) is not kept if touchgated is restarted: \(reason)")
    case .notDone(let write, let reason):
      if let token = answers.changed(write) { answer(token) { throw StateProblem.notChanged(reason).refusal } }
    }
  }

  private func changed(_ write: StoreWrite, _ now: Instant) throws -> HTTPResponse? {
    switch write {
    case .pause(let pause?): Replies.json(200, replies(now).pause(pause))
    case .hold(let hold): Replies.json(201, replies(now).hold(hold))
    case .release, .pause(nil): Replies.json(200, Replies.about)
    case .accept, .replace, .acceptEnded, .beginApplying, .backToWaiting, .finish, .expedite, .reopen,
      .retime, .bind:
      try write.id.flatMap { try show($0, status: 200, now) }
    }
  }

  /// A failure is announced with the pulse that the handler wants, at most 20 ms later.
  private func ended(_ id: UpdateID, _ result: UpdateResult, _ now: Instant) {
    let handler = (try? engine.store.find(id))?.update.handler ?? ""
    note(id, handler, result.state.rawValue)
    metrics.ended[result.state, default: 0] += 1
    let kind = result.state == .failed ? configuration.handlers[handler]?.feedbackOnFail : nil
    haptics.withPulse(kind, now) { [unowned self] now in
      logEnd(id, result, handler)
      for token in answers.ended(id) { answer(token) { try show(id, status: 200, now) } }
    }
  }

  private func logEnd(_ id: UpdateID, _ result: UpdateResult, _ handler: String) {
    var fields: [Log.Field] = [.update(id), .handler(handler), .state(result.state)]
    if let status = result.exitCode { fields.append(.exitStatus(status)) }
    let line = "\(id): \(result.state.rawValue), \(result.message)"
    switch result.state {
    case .applied: log.info(line, .applied, fields)
    case .failed: log.warning(line, .failed, fields)
    case .superseded, .cancelled, .expired: log.info(line, .endedUnapplied, fields)
    }
  }

  func note(_ id: UpdateID, _ handler: String, _ state: String) {
    feed.note(.update(id: id.text, handler: handler, state: state), at: SystemClock.wall)
  }

  // MARK: Time

  var nextDeadline: Instant? { [answers.nextDeadline, open.nextDeadline].compactMap(\.self).min() }

  /// Requests that have waited for as long as they wanted.
  func timePassed(_ now: Instant) {
    refuseOverdueTurns(now)
    endOverrunTurn(now)
    endOverrunHold(now)
    for overdue in answers.timedOut(at: now) {
      answer(overdue.token) {
        if overdue.accepted { return try show(overdue.id, status: 202, now) }
        throw StateProblem.notEndedInTime(replies(now).blockers(of: .update(overdue.id))).refusal
      }
    }
  }

  // MARK: Stop

  /// Streams end, but for that of an application that may still acknowledge what it has.
  func stop(_ now: Instant) {
    for (token, owner) in open.all {
      if case .turn(let id) = owner { leaveTurn(id, now, because: "the service is stopping; it is kept as a hold") }
      if runner.delivery?.receiver == token { continue }
      server.end(token)
    }
  }

  /// What the screens say, if it has changed.
  func noteScreens() {
    let screens = input.screens
    var states = screens.gates.mapValues { (state: Words.state($0.state), contacts: $0.contacts) }
    for name in screens.absences.keys { states[name] = ("unknown", 0) }
    feed.noteScreens(
      touched: screens.isTouched, contacts: screens.contacts, screens: states, at: SystemClock.wall)
  }
}
