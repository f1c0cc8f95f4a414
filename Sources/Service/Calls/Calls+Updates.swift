import ControlAPI
import HTTPTypes
import Linux
import Scheduling
import ServiceConfiguration
import ServiceLog
import Timeline
import TouchgateAPI
import UpdateStore

/// The calls about updates that were accepted.
extension Calls {
  static let longestWait: Duration = .seconds(86400)

  func list(_ caller: Caller) throws -> HTTPResponse {
    let states = try caller.query.states(known: Set(engine.store.counts.keys))
    let updates = try engine.store.list(states: states, limit: try caller.query.limit())
    return Replies.json(200, UpdateListReply(updates: updates.map(replies(caller.now).update)))
  }

  /// Those that are waiting, and those that ended as not applied within a day.
  func whyAll(_ caller: Caller) throws -> HTTPResponse {
    let replies = replies(caller.now)
    let waiting = try engine.store.oldestUnfinished(limit: 1000).map(replies.update)
    let unapplied = try engine.store.unapplied(since: SystemClock.wall + .seconds(-86400), limit: 1000)
    return Replies.json(
      200,
      WhyReply(
        waiting: waiting, unapplied: unapplied.map(replies.update),
        turns: engine.scheduler.turns.map(replies.turn), warnings: warnings(caller.now)))
  }

  /// For a unit to read; not for everybody who can open the socket.
  func payload(_ text: String, _ caller: Caller) throws -> HTTPResponse {
    let id = try own(text, caller).update.id
    let payload = try engine.store.payload(of: id) ?? []
    return HTTPResponse(status: 200, body: payload, contentType: "application/octet-stream")
  }

  func waitForEnd(_ text: String, _ caller: Caller) throws -> HTTPResponse? {
    let timeout = try caller.query.span("timeout", atMost: Self.longestWait)
    let stored = try find(text, caller)
    if case .finished = stored.state { return Replies.json(200, replies(caller.now).update(stored)) }
    answers.awaitEnd(
      stored.update.id, until: timeout.map { caller.now + $0 }, accepted: false, caller.token)
    return nil
  }

  // MARK: Changes

  func cancel(_ text: String, _ caller: Caller) throws -> HTTPResponse? {
    let id = try waiting(try own(text, caller))
    answers.awaitRequestedEnd(id, caller.token)
    engine.feed { $0.cancel(id, reason: "cancelled by \(caller.name)", at: caller.now) }
    return nil
  }

  /// The update is to wait for less.
  func expedite(_ text: String, _ kind: Expedited, _ caller: Caller) throws -> HTTPResponse? {
    if kind == .force { try permissions(caller).require(.force) }
    let id = try waiting(kind == .force ? try find(text, caller) : try own(text, caller))
    if kind == .force { log.warning("\(id): forced by \(caller.name)", .forced, [.update(id)]) }
    try awaitChange(caller) { $0.expedite(id, kind) }
    return nil
  }

  /// An update that ended as not applied waits again.
  func retry(_ text: String, _ caller: Caller) throws -> HTTPResponse? {
    let stored = try own(text, caller)
    guard case .finished(let result) = stored.state else {
      throw StateProblem.notEnded(state: stored.state.name, id: text).refusal
    }
    if result.state == .applied { throw StateProblem.alreadyApplied.refusal }
    let update = stored.update
    let (scheduler, user) = (engine.scheduler, update.submitter.uid)
    let definition = try definition(update.handler)
    if let reason = definition.refusal(of: update, admin: configuration.rights.admin) {
      throw StateProblem.notPermittedAnyMore(reason: reason).refusal
    }
    if let key = update.key, scheduler.policy(of: update.handler).coalescing != .all,
      let other = try scheduler.waiting(handler: update.handler, key: key, user: user)
        ?? engine.store.newer(than: update, ofUser: scheduler.keyOwner(update.handler, key, user))
    {
      throw StateProblem.superseded(by: other.text, key: key).refusal
    }
    if try engine.store.payload(of: update.id) == nil { throw StateProblem.payloadGone.refusal }
    try checkBounds(update.handler, update.key, update.size, of: user, caller.now)
    try awaitChange(caller) { $0.reopen(update, at: caller.now) }
    return nil
  }

  private func waiting(_ stored: StoredUpdate) throws(CallRefusal) -> UpdateID {
    if engine.scheduler.isWaiting(stored.update.id) { return stored.update.id }
    throw StateProblem.notWaiting(state: stored.state.name).refusal
  }
}
