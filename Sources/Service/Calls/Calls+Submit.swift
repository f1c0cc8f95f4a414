import ControlAPI
import HTTPTypes
import Linux
import Scheduling
import ServiceConfiguration
import SocketServer
import Timeline
import TouchDevices
import TouchgateAPI
import UpdateStore

/// `POST /v1/updates`.
extension Calls {
  /// Nil: the answer comes when the update is durable, or has ended.
  func submit(_ caller: Caller) throws -> HTTPResponse? {
    if engine.scheduler.isStopping { throw CallProblem.stopping.refusal }
    let (query, now) = (caller.query, caller.now)
    let wait = try query.span("wait", atMost: Self.longestWait)
    let (dryRun, ifQuiet) = (try query.flag("dryRun"), try query.flag("ifQuiet"))
    var submission = try Submission(body: caller.request.body, at: engine.scheduler.clocks(now), in: SystemZone())
    try check(&submission, caller)
    if let known = try known(submission.clientID, caller) {
      let id = known.update.id
      if known.update.content != submission.content {
        throw StateProblem.idInUse(known.update.clientID?.text ?? id.text).refusal
      }
      if case .finished = known.state { return try show(id, status: 200, now) }
      guard let wait else { return try show(id, status: 202, now) }
      answers.awaitEnd(id, until: now + wait, accepted: true, caller.token)
      return nil
    }
    let id: UpdateID = newID()
    try submission.checkDeadline(engine.scheduler.clocks(now))
    // Neither may the update that it supersedes be on its way into the store.
    let key = submission.key(engine.scheduler.policy(of: submission.handler))
    if key != nil { engine.drain(at: now) }
    try checkBounds(submission.handler, key, submission.size, of: caller.peer.uid, now)
    let update = Update(
      id: id, handler: submission.handler, parameters: submission.parameters, createdAt: SystemClock.wall,
      submitter: caller.submitter, sequence: engine.nextSequence(), key: key,
      priority: submission.priority, quietPeriod: submission.quietPeriod, notBefore: submission.notBefore,
      deadline: submission.deadline, onDeadline: submission.onDeadline ?? .expire,
      screen: submission.screen, size: submission.size, content: submission.content,
      clientID: submission.clientID, spansBegan: engine.scheduler.clocks(now).steady)
    if dryRun || ifQuiet {
      let blockers = preview(update, now)
      if ifQuiet, !blockers.isEmpty { throw StateProblem.wouldWait(blockers).refusal }
      if dryRun { return Replies.json(200, Replies.dryRun(update, blockers: blockers)) }
    }
    answers.awaitAcceptance(id, waitUntil: wait.map { now + $0 }, caller.token)
    engine.feed { $0.submit(update, payload: submission.payload, at: now) }
    return nil
  }

  /// The update that the caller has submitted with this id before. Throws if something else has the id.
  private func known(_ name: ClientID?, _ caller: Caller) throws -> StoredUpdate? {
    guard let name else { return nil }
    let uid = caller.peer.uid
    // The same id twice in one wake-up: the first must be durable before the second is compared with it.
    let arriving = answers.arriving.compactMap(engine.scheduler.update)
    if arriving.contains(where: { $0.clientID == name && $0.submitter.uid == uid }) { engine.drain(at: caller.now) }
    if let known = try engine.store.find(name, ofUser: uid) { return known }
    if engine.scheduler.isHoldOrTurn(name.text) { throw StateProblem.idOfHoldOrTurn(name.text).refusal }
    if let id = UpdateID(name.text), try engine.store.find(id) != nil {
      throw StateProblem.idOfUpdate(name.text).refusal
    }
    return nil
  }

  /// What the configuration has to say about it.
  private func check(_ submission: inout Submission, _ caller: Caller) throws {
    let definition = try definition(submission.handler)
    try requireHandler(definition, caller)
    if submission.onDeadline == .force { try permissions(caller).require(.force) }
    try submission.apply(definition.terms, file: definition.file, at: engine.scheduler.clocks(caller.now))
    try snapshot.require(submission.screen)
    if let problem = definition.check(parameters: submission.parameters) {
      throw CallProblem.badParameter(problem.parameter, message: problem.message).refusal
    }
  }

  /// Refuses what would make the queue longer or larger than allowed. What supersedes a waiting update, or ends because
  /// of it, does not make it longer.
  func checkBounds(
    _ handler: String, _ key: String?, _ size: Int, of uid: UInt32, _ now: Instant
  ) throws {
    let bounds = QueueBounds(
      all: .init(updates: configuration.maxWaiting, bytes: configuration.maxWaitingBytes),
      perUser: .init(updates: configuration.maxWaitingPerUser, bytes: configuration.maxWaitingBytesPerUser))
    // Submissions of the same wake-up that are still being stored count once they are; near a bound that is awaited.
    let arriving = answers.arriving.count
    if arriving > 0, bounds.couldBeExceeded(waiting(of: uid), by: arriving + 1) { engine.drain(at: now) }
    var waiting = waiting(of: uid)
    let scheduler = engine.scheduler
    if let key, let id = scheduler.waiting(handler: handler, key: key, user: uid), let old = scheduler.update(id) {
      switch scheduler.policy(of: handler).coalescing {
      case .first: return
      case .all: break
      case .latest: waiting = waiting.superseding(bytes: old.size, ofSameUser: old.submitter.uid == uid)
      }
    }
    try bounds.check(waiting, adding: size, uid: uid)
  }

  private func waiting(of uid: UInt32) -> QueueBounds.Waiting {
    let scheduler = engine.scheduler
    return QueueBounds.Waiting(
      all: .init(updates: scheduler.waitingCount, bytes: scheduler.waitingBytes),
      ofUser: .init(updates: scheduler.waitingCount(of: uid), bytes: scheduler.waitingBytes(of: uid)))
  }

  /// What would block the update if it were accepted now: a copy of the scheduler is asked.
  private func preview(_ update: Update, _ now: Instant) -> [BlockerReply] {
    engine.recheckNow(now)
    var copy = engine.scheduler
    _ = copy.submit(update, payload: [], at: now)
    _ = copy.stored(.accept(update, payload: []), at: now)
    return copy.blockers(of: update.id, at: now).map(replies(now).blocker)
  }
}
