import EventLoop
import Gating
import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline
import TouchDevices
import TouchgateAPI
import UpdateStore

/// The calls of the socket.
extension Daemon {
  /// Answers at once, or notes who asked and queues what the scheduler wants done first.
  func handle(_ incoming: IncomingRequest, _ now: Instant) {
    let request = incoming.request
    let response = orProblem {
      // A browser sends Origin; no page has any business here.
      if request.origin != nil {
        throw Refusal(403, Problem(code: "originRefused", message: "requests of web pages are not taken"))
      }
      let match = Call.match(request.method, request.path)
      if case .call(let call) = match { try call.check(request) }
      switch match {
      case .noSuchPath:
        throw Refusal(404, Problem(code: "noSuchPath", message: "there is no \(request.path.shortened)"))
      case .wrongMethod(let allowed):
        throw Refusal(
          405, Problem(code: "wrongMethod", message: "\(request.path) takes \(allowed)"),
          headers: [HTTPHeader("Allow", allowed)])
      case .call(.submit):
        return try self.submit(incoming, now)
      case .call(.about):
        return Replies.json(200, AboutReply(name: "touchgate", version: Version.text))
      case .call(.metrics):
        return metricsReply(now)
      case .call(.status):
        return try self.status(now)
      case .call(.feedback):
        return try feedback(incoming)
      case .call(.list):
        return try self.list(request.query, now)
      case .call(.show(let text)):
        return Replies.json(200, replies(now).update(try find(text)))
      case .call(.payload(let text)):
        return try payload(text, incoming.request.peer)
      case .call(.parameters(let text)):
        return Replies.json(200, try own(text, incoming.request.peer).update.parameters)
      case .call(.cancel(let text)):
        return try cancel(text, incoming, now)
      case .call(.hurry(let text)):
        return try hasten(text, .apply, incoming, now)
      case .call(.force(let text)):
        return try hasten(text, .force, incoming, now)
      case .call(.retry(let text)):
        return try retry(text, incoming, now)
      case .call(.pause):
        return try pause(incoming, now)
      case .call(.resume):
        return try resume(incoming, now)
      case .call(.wait(let text)):
        return try waitForEnd(text, incoming, now)
      case .call(.why(let text)):
        return Replies.json(200, replies(now).update(try find(text)))
      case .call(.whyAll):
        return try whyAll(now)
      case .call(.quiet):
        return try quiet(incoming, now)
      case .call(.turn):
        return try turn(incoming, now)
      case .call(.hold):
        return try hold(incoming, now)
      case .call(.holds):
        return holds(now)
      case .call(.release(let text)):
        return try release(text, incoming, now)
      case .call(.screens):
        lookAtScreens(now)
        return Replies.json(200, ScreenListReply(screens: replies(now).screens(touch)))
      case .call(.events):
        return try readEvents(incoming, now)
      case .call(.receive):
        return try receive(incoming, now)
      case .call(.acknowledge(let text)):
        return try acknowledge(text, incoming, now)
      case .call(.refuse(let text)):
        return try refuse(text, incoming, now)
      case .call(.contract):
        return Contract.response
      }
    }
    if let response { server.respond(incoming.token, response) }
  }

  /// A call refused: the status, and what the client is told.
  struct Refusal: Error {
    let status: Int
    let problem: Problem
    let headers: [HTTPHeader]

    init(_ status: Int, _ problem: Problem, headers: [HTTPHeader] = []) {
      self.status = status
      self.problem = problem
      self.headers = headers
    }
  }

  func orProblem(_ body: () throws -> HTTPResponse?) -> HTTPResponse? {
    do {
      return try body()
    } catch let refusal as Refusal {
      return Replies.problem(refusal.status, refusal.problem, headers: refusal.headers)
    } catch let problem as Problem {
      return Replies.problem(400, problem)
    } catch {
      log.error("a request could not be answered: \(error)")
      return Replies.problem(500, Problem(code: "internal", message: "\(error)"))
    }
  }

  // MARK: Submit

  /// Nil: the answer comes when the update is durable.
  private func submit(_ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    if scheduler.isStopping {
      throw Refusal(
        503, Problem(code: "stopping", message: "the service is being stopped; try again when it is back"))
    }
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
    guard let allowed = definition.allowed, !allowed.contains(peer), !configuration.rights.admin.contains(peer) else {
      return
    }
    throw Refusal(
      403,
      Problem(
        code: "notPermitted",
        message: "user \(peer.uid) may not use handler '\(definition.name)' (AllowUsers=, AllowGroups= in "
          + "\(definition.file))", field: "handler"))
  }

  func checkScreen(_ screen: String?) throws(Problem) {
    guard let screen, !touch.screens.isKnown(screen) else { return }
    let known = touch.screens.passages.keys.filter { !$0.isEmpty }.sorted().map { "'\($0)'" }.joined(separator: ", ")
    throw Problem(
      code: "unknownScreen",
      message: "there is no screen '\(screen.shortened)'; known are \(known.isEmpty ? "none" : known)",
      field: "screen")
  }

  func unknownHandler(_ name: String) -> Problem {
    Problem(
      code: "unknownHandler", message: "there is no handler '\(name.shortened)'; known are \(handlerNames)",
      field: "handler")
  }

  private func submission(_ body: [UInt8], _ peer: Peer) throws -> Submission {
    let submission: Submission
    do {
      submission = try Submission(body: body, now: SystemClock.wall)
    } catch {
      throw Refusal(error.code == "payloadTooLarge" ? 413 : 400, error)
    }
    guard let definition = configuration.handlers[submission.handler] else { throw unknownHandler(submission.handler) }
    try checkAllowed(definition, peer)
    if submission.onDeadline == .force { try require(configuration.rights.force, "Force", peer) }
    try checkScreen(submission.screen)
    if let problem = definition.check(parameters: submission.parameters) {
      throw Problem(code: "badParameter", message: problem.message, field: "parameters.\(problem.parameter.shortened)")
    }
    return submission
  }

  /// The same id with the same content is the same update, so that a client may safely try again.
  private func checkSame(_ known: StoredUpdate, _ submission: Submission) throws {
    if known.update.content == submission.content { return }
    throw Refusal(
      409,
      Problem(
        code: "idInUse", message: "the id '\(known.update.id)' belongs to an update with other content", field: "id"))
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
    let states = Set(query.all("state"))
    let known = store.counts.keys.sorted()
    if let unknown = states.subtracting(known).min() {
      throw Problem(
        code: "badState",
        message: "there is no state '\(unknown.shortened)'; known are \(known.joined(separator: ", "))", field: "state")
    }
    var limit = 100
    if let text = query["limit"] {
      guard let number = Int(text), (1...1000).contains(number) else {
        throw Problem(code: "badLimit", message: "limit is a number from 1 to 1000", field: "limit")
      }
      limit = number
    }
    let updates = try store.list(states: states.isEmpty ? nil : states, limit: limit)
    return Replies.json(200, UpdateListReply(updates: updates.map(replies(now).update)))
  }

  /// Looks at the kernel's tables first, so that the answer is right now, whether anything waits or not.
  private func status(_ now: Instant) throws -> HTTPResponse {
    lookAtScreens(now)
    let replies = replies(now)
    return Replies.json(
      200,
      StatusReply(
        version: Version.text, touched: touch.screens.isTouched, contacts: touch.screens.contacts,
        gate: replies.machine(touch), screens: replies.screens(touch),
        updates: store.counts, oldestWaiting: try scheduler.oldestWaiting.flatMap(store.find).map(replies.update),
        lastResult: try store.lastFinished().map(replies.update), holds: scheduler.activeHolds.map(replies.hold),
        paused: scheduler.pause.map(replies.pause),
        guard: GuardReply(touch.guards.counts),
        warnings: storeWarnings + touch.warnings + desk.warnings, haptics: haptics))
  }
}
