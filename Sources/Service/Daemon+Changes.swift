import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline
import TouchgateAPI
import UpdateStore

/// The calls that change what waits, or whether anything is applied at all.
extension Daemon {
  /// The update is to wait for less: answered once that is durable.
  func hasten(_ text: String, _ urgency: Expedited, _ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse?
  {
    let peer = incoming.request.peer
    if urgency == .force { try require(configuration.rights.force, "Force", peer) }
    let id = try ownWaiting(text, peer, orRight: urgency == .force)
    if urgency == .force {
      log.warning("\(id): forced by user \(peer.uid), process \(peer.pid)", .forced, [.update(id)])
    }
    try ask(scheduler.expedite(id, urgency), incoming.token)
    return nil
  }

  /// What has ended otherwise than applied waits again.
  func retry(_ text: String, _ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let stored = try own(text, incoming.request.peer)
    guard case .finished(let result) = stored.state else {
      throw Refusal(
        409,
        Problem(
          code: "notEnded",
          message: "the update is \(stored.state.name); `touchgate apply \(text)` ends its pause after a failure"))
    }
    guard result.state != .applied else {
      throw Refusal(409, Problem(code: "applied", message: "the update has been applied; submit another"))
    }
    let update = stored.update
    guard configuration.handlers[update.handler] != nil else { throw unknownHandler(update.handler) }
    if let key = update.key, scheduler.policy(of: update.handler).coalescing != .all,
      let other = try scheduler.waiting(handler: update.handler, key: key) ?? store.newer(than: update)
    {
      throw Refusal(
        409,
        Problem(code: "superseded", message: "\(other) is about the same (key '\(key)') and newer, or waits already"))
    }
    guard try store.payload(of: update.id) != nil else {
      throw Refusal(
        409,
        Problem(code: "payloadGone", message: "its payload is not kept any more (KeepPayloads=); submit it again"))
    }
    try checkBounds(update.handler, update.key, update.size, incoming.request.peer, now)
    try ask(scheduler.reopen(update, at: now), incoming.token)
    return nil
  }

  func pause(_ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let peer = incoming.request.peer
    try require(configuration.rights.admin, "Admin", peer)
    let body = incoming.request.body
    let request = body.isEmpty ? PauseRequest() : try StrictJSON.decode(body, fields: PauseRequest.fields)
    let reason = request.reason ?? ""
    if reason.utf8.count > 200 {
      throw Problem(code: "badReason", message: "a reason has at most 200 bytes", field: "reason")
    }
    let submitter = Submitter(uid: peer.uid, pid: peer.pid)
    log.notice("paused by user \(peer.uid), process \(peer.pid)\(reason.isEmpty ? "" : ": ")\(reason)", .paused)
    try ask(scheduler.pause(OperatorPause(since: SystemClock.wall, by: submitter, reason: reason)), incoming.token)
    return nil
  }

  func resume(_ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let peer = incoming.request.peer
    try require(configuration.rights.admin, "Admin", peer)
    guard scheduler.isPaused else {
      throw Refusal(409, Problem(code: "notPaused", message: "nothing is paused"))
    }
    log.notice("resumed by user \(peer.uid), process \(peer.pid)", .resumed)
    try ask(scheduler.pause(nil), incoming.token)
    return nil
  }

  // MARK: Who may

  func require(_ right: Principals, _ name: String, _ peer: Peer) throws {
    guard right.contains(peer) else {
      throw Refusal(
        403,
        Problem(
          code: "notPermitted",
          message: "user \(peer.uid) lacks the right \(name)=; an administrator gives it in [Rights] of touchgate.conf")
      )
    }
  }

  func find(_ text: String) throws -> StoredUpdate {
    guard let id = UpdateID(text), let stored = try store.find(id) else {
      throw Refusal(404, Problem(code: "noSuchID", message: "there is no update with the id '\(text.shortened)'"))
    }
    return stored
  }

  /// An update that belongs to the peer; whoever has the right `Admin=` may change all.
  func own(_ text: String, _ peer: Peer) throws -> StoredUpdate {
    let stored = try find(text)
    guard peer.uid == stored.update.submitter.uid || configuration.rights.admin.contains(peer) else {
      throw Refusal(
        403,
        Problem(
          code: "notYours",
          message: "the update belongs to user \(stored.update.submitter.uid), and you lack the right Admin="))
    }
    return stored
  }

  func ownWaiting(_ text: String, _ peer: Peer, orRight: Bool = false) throws -> UpdateID {
    let stored = orRight ? try find(text) : try own(text, peer)
    guard scheduler.isWaiting(stored.update.id) else {
      throw Refusal(
        409,
        Problem(code: "notWaiting", message: "the update is \(stored.state.name): only one that waits can be changed"))
    }
    return stored.update.id
  }

  func cancel(_ text: String, _ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let id = try ownWaiting(text, incoming.request.peer)
    cancelled[id] = incoming.token
    let peer = incoming.request.peer
    effects.actions.append(scheduler.cancel(id, reason: "cancelled by user \(peer.uid), process \(peer.pid)", at: now))
    return nil
  }

  // MARK: Answers

  /// The one asked for is a write; its answer comes when it is durable. Nothing to write: another request of the same
  /// moment came first.
  func ask(_ actions: [Scheduler.Action], _ token: RequestToken) throws {
    guard case .store(let write)? = actions.first else {
      throw Refusal(409, Problem(code: "justChanged", message: "another request is changing it at this moment"))
    }
    awaited.append((write, token))
    effects.actions.append(actions)
  }

  /// `.done` and `.notDone` of the scheduler, where somebody waits for them.
  func answerChange(_ write: StoreWrite, failure: String?, _ now: Instant) {
    guard let index = awaited.firstIndex(where: { $0.write == write }) else { return }
    let token = awaited.remove(at: index).token
    let response = orProblem {
      if let failure {
        throw Refusal(503, Problem(code: "storeFull", message: "it could not be stored and was not done: \(failure)"))
      }
      switch write {
      case .pause(let pause?): return Replies.json(200, replies(now).pause(pause))
      case .hold(let hold): return Replies.json(201, replies(now).hold(hold))
      case .release, .pause(nil): return Replies.json(200, AboutReply(name: "touchgate", version: Version.text))
      default: return try write.id.flatMap { try show($0, status: 200, now) }
      }
    }
    if let response { server.respond(token, response) }
  }
}
