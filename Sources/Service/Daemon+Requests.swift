import ControlAPI
import EventLoop
import Gating
import HTTPTypes
import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline
import TouchgateAPI
import UpdateStore

/// The calls of the socket.
extension Daemon {
  /// Answers at once, or notes who asked and queues what the scheduler wants done first.
  func handle(_ incoming: IncomingRequest, _ now: Instant) {
    let request = incoming.request
    let response = orProblem {
      switch try Endpoint.call(for: request) {
      case .submit:
        return try self.submit(incoming, now)
      case .about:
        return Replies.json(200, Replies.about)
      case .metrics:
        return metricsReply(now)
      case .status:
        return try self.status(now)
      case .feedback:
        return try feedback(incoming)
      case .list:
        return try self.list(request.query, now)
      case .show(let text):
        return Replies.json(200, replies(now).update(try find(text)))
      case .payload(let text):
        return try payload(text, incoming.request.peer)
      case .parameters(let text):
        return Replies.json(200, try own(text, incoming.request.peer).update.parameters)
      case .cancel(let text):
        return try cancel(text, incoming, now)
      case .hurry(let text):
        return try hasten(text, .apply, incoming, now)
      case .force(let text):
        return try hasten(text, .force, incoming, now)
      case .retry(let text):
        return try retry(text, incoming, now)
      case .pause:
        return try pause(incoming, now)
      case .resume:
        return try resume(incoming, now)
      case .wait(let text):
        return try waitForEnd(text, incoming, now)
      case .why(let text):
        return Replies.json(200, replies(now).update(try find(text)))
      case .whyAll:
        return try whyAll(now)
      case .quiet:
        return try quiet(incoming, now)
      case .turn:
        return try turn(incoming, now)
      case .hold:
        return try hold(incoming, now)
      case .holds:
        return holds(now)
      case .release(let text):
        return try release(text, incoming, now)
      case .screens:
        lookAtScreens(now)
        return Replies.json(200, ScreenListReply(screens: replies(now).screens(touch.snapshot)))
      case .events:
        return try readEvents(incoming, now)
      case .receive:
        return try receive(incoming, now)
      case .acknowledge(let text):
        return try acknowledge(text, incoming, now)
      case .refuse(let text):
        return try refuse(text, incoming, now)
      case .contract:
        return Contract.response
      }
    }
    if let response { server.respond(incoming.token, response) }
  }

  func orProblem(_ body: () throws -> HTTPResponse?) -> HTTPResponse? {
    do {
      return try body()
    } catch let refusal as CallRefusal {
      return refusal.response
    } catch let problem as any ProblemText {
      return problem.refusal.response
    } catch {
      log.error("a request could not be answered: \(error)")
      return CallProblem.internalError("\(error)").refusal.response
    }
  }

  // MARK: Submit

  /// Nil: the answer comes when the update is durable.
  private func submit(_ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    if scheduler.isStopping { throw CallProblem.stopping }
    let peer = incoming.request.peer
    let query = Query(incoming.request.query)
    let wait = try query.span("wait", atMost: Self.longestWait)
    let (dryRun, ifQuiet) = (try query.flag("dryRun"), try query.flag("ifQuiet"))
    let submission = try submission(incoming.request.body, peer)
    let id = submission.id ?? newID()
    // The same id twice in one wake-up: the first must be durable before the second is compared with it.
    if asked[id] != nil { perform([], now) }
    if let known = try store.find(id) {
      try checkSame(known, submission)
      if case .finished = known.state { return try show(id, status: 200, now) }
      guard let wait else { return try show(id, status: 202, now) }
      endWaits[incoming.token] = EndWait(id: id, deadline: now + wait, wasSubmitted: true)
      return nil
    }
    try submission.checkDeadline(SystemClock.wall)
    // Nor may the one whose place it takes be on its way into the store.
    if submission.key != nil { perform([], now) }
    try checkBounds(submission.handler, submission.key, submission.size, peer, now)
    let update = Update(
      id: id, handler: submission.handler, parameters: submission.parameters, createdAt: SystemClock.wall,
      submitter: Submitter(uid: peer.uid, pid: peer.pid), sequence: sequence, key: submission.key,
      priority: submission.priority, quietPeriod: submission.quietPeriod, notBefore: submission.notBefore,
      deadline: submission.deadline, onDeadline: submission.onDeadline,
      screen: submission.screen, size: submission.size, content: submission.content)
    if let response = try answerPreview(update, dryRun: dryRun, ifQuiet: ifQuiet, now) { return response }
    sequence += 1
    asked[id] = incoming.token
    if let wait { waitsAfter[id] = now + wait }
    pending += scheduler.submit(update, payload: submission.payload, at: now)
    return nil
  }

  /// Who may submit to a handler may also apply what is submitted.
  func checkAllowed(_ definition: HandlerDefinition, _ peer: Peer) throws {
    try permissions(peer).requireHandler(
      definition.name, isAllowed: definition.allowed?.contains(peer) ?? true, file: definition.file)
  }

  func checkScreen(_ screen: String?) throws(CallRefusal) { try touch.snapshot.require(screen) }

  func unknownHandler(_ name: String) -> CallProblem {
    .unknownHandler(name, known: Array(configuration.handlers.keys))
  }

  private func submission(_ body: [UInt8], _ peer: Peer) throws -> Submission {
    let submission = try Submission(body: body, now: SystemClock.wall)
    guard let definition = configuration.handlers[submission.handler] else { throw unknownHandler(submission.handler) }
    try checkAllowed(definition, peer)
    if submission.onDeadline == .force { try permissions(peer).require(.force) }
    try checkScreen(submission.screen)
    if let problem = definition.check(parameters: submission.parameters) {
      throw CallProblem.badParameter(problem.parameter, message: problem.message)
    }
    return submission
  }

  /// The same id with the same content is the same update, so that a client may safely try again.
  private func checkSame(_ known: StoredUpdate, _ submission: Submission) throws {
    if known.update.content == submission.content { return }
    throw StateProblem.idInUse(known.update.id.text)
  }

  func newID() -> UpdateID {
    UpdateID(time: SystemClock.wall, randomHigh: .random(in: 0 ... .max), randomLow: .random(in: 0 ... .max))
  }

  // MARK: Answers

  /// `.accepted` and `.refused`, `.ended` and `.notEnded` of the scheduler, where somebody waits for them.
  func answer(_ id: UpdateID, _ response: () throws -> HTTPResponse?) {
    guard let token = asked.removeValue(forKey: id) ?? cancelled.removeValue(forKey: id),
      let response = orProblem(response)
    else { return }
    server.respond(token, response)
  }

  func replies(_ now: Instant) -> Replies { Replies(clock: clock, scheduler: scheduler, now: now) }

  func show(_ id: UpdateID, status: Int, _ now: Instant) throws -> HTTPResponse? {
    try store.find(id).map { Replies.json(status, replies(now).update($0)) }
  }

  private func list(_ items: [QueryItem], _ now: Instant) throws -> HTTPResponse {
    let query = Query(items)
    let states = try query.states(known: Set(store.counts.keys))
    let updates = try store.list(states: states, limit: try query.limit())
    return Replies.json(200, UpdateListReply(updates: updates.map(replies(now).update)))
  }

  /// Looks at the kernel's tables first, so that the answer is right now, whether anything waits or not.
  private func status(_ now: Instant) throws -> HTTPResponse {
    lookAtScreens(now)
    let (replies, snapshot) = (replies(now), touch.snapshot)
    return Replies.json(
      200,
      StatusReply(
        version: Version.text, touched: touch.screens.isTouched, contacts: touch.screens.contacts,
        gate: replies.machine(snapshot), screens: replies.screens(snapshot),
        updates: store.counts, oldestWaiting: try scheduler.oldestWaiting.flatMap(store.find).map(replies.update),
        lastResult: try store.lastFinished().map(replies.update), holds: scheduler.activeHolds.map(replies.hold),
        paused: scheduler.pause.map(replies.pause),
        guard: touch.guards.counts,
        warnings: storeWarnings + touch.warnings + desk.warnings, haptics: haptics))
  }
}
