import ControlAPI
import HTTPTypes
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
  func hasten(_ text: String, _ urgency: Urgency, _ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let peer = incoming.request.peer
    if urgency == .force { try permissions(peer).require(.force) }
    let id = try ownWaiting(text, peer, orRight: urgency == .force)
    if urgency == .force {
      log.warning("\(id): forced by user \(peer.uid), process \(peer.pid)", .forced, [.update(id)])
    }
    try ask(scheduler.hurry(id, urgency), incoming.token)
    return nil
  }

  /// What has ended otherwise than applied waits again.
  func retry(_ text: String, _ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let stored = try own(text, incoming.request.peer)
    guard case .finished(let result) = stored.state else {
      throw StateProblem.notEnded(state: stored.state.name, id: text)
    }
    guard result.state != .applied else { throw StateProblem.alreadyApplied }
    let update = stored.update
    guard configuration.handlers[update.handler] != nil else { throw unknownHandler(update.handler) }
    if let key = update.key, scheduler.policy(of: update.handler).coalescing != .all,
      let other = try scheduler.waiting(handler: update.handler, key: key) ?? store.newer(than: update)
    {
      throw StateProblem.superseded(by: other.text, key: key)
    }
    guard try store.payload(of: update.id) != nil else { throw StateProblem.payloadGone }
    try checkBounds(update.handler, update.key, update.size, incoming.request.peer, now)
    try ask(scheduler.reopen(update, at: now), incoming.token)
    return nil
  }

  func pause(_ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let peer = incoming.request.peer
    try permissions(peer).require(.admin)
    let reason = try CheckedPause(body: incoming.request.body).reason
    let submitter = Submitter(uid: peer.uid, pid: peer.pid)
    log.notice("paused by user \(peer.uid), process \(peer.pid)\(reason.isEmpty ? "" : ": ")\(reason)", .paused)
    try ask(scheduler.pause(OperatorPause(since: SystemClock.wall, by: submitter, reason: reason)), incoming.token)
    return nil
  }

  func resume(_ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let peer = incoming.request.peer
    try permissions(peer).require(.admin)
    guard scheduler.isPaused else { throw StateProblem.notPaused }
    log.notice("resumed by user \(peer.uid), process \(peer.pid)", .resumed)
    try ask(scheduler.pause(nil), incoming.token)
    return nil
  }

  // MARK: Permissions

  func permissions(_ peer: Peer) -> Permissions {
    let rights = configuration.rights
    return Permissions(peer) { right in
      switch right {
      case .force: rights.force.contains(peer)
      case .hold: rights.hold?.contains(peer) ?? true
      case .admin: rights.admin.contains(peer)
      }
    }
  }

  func find(_ text: String) throws -> StoredUpdate {
    guard let id = UpdateID(text), let stored = try store.find(id) else {
      throw StateProblem.unknownUpdate(text)
    }
    return stored
  }

  /// An update that belongs to the peer; whoever has the right `Admin=` may change all.
  func own(_ text: String, _ peer: Peer) throws -> StoredUpdate {
    let stored = try find(text)
    try permissions(peer).requireUpdate(of: stored.update.submitter.uid)
    return stored
  }

  func ownWaiting(_ text: String, _ peer: Peer, orRight: Bool = false) throws -> UpdateID {
    let stored = orRight ? try find(text) : try own(text, peer)
    guard scheduler.isWaiting(stored.update.id) else {
      throw StateProblem.notWaiting(state: stored.state.name)
    }
    return stored.update.id
  }

  func cancel(_ text: String, _ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let id = try ownWaiting(text, incoming.request.peer)
    cancelled[id] = incoming.token
    let peer = incoming.request.peer
    pending += scheduler.cancel(id, reason: "cancelled by user \(peer.uid), process \(peer.pid)", at: now)
    return nil
  }

  // MARK: Answers

  /// The one asked for is a write; its answer comes when it is durable. Nothing to write: another request of the same
  /// moment came first.
  func ask(_ actions: [Scheduler.Action], _ token: RequestToken) throws {
    guard case .store(let write)? = actions.first else {
      throw StateProblem.changing
    }
    awaited.append((write, token))
    pending += actions
  }

  /// `.done` and `.notDone` of the scheduler, where somebody waits for them.
  func answerChange(_ write: StoreWrite, failure: String?, _ now: Instant) {
    guard let index = awaited.firstIndex(where: { $0.write == write }) else { return }
    let token = awaited.remove(at: index).token
    let response = orProblem {
      if let failure { throw StateProblem.notChanged(reason: failure) }
      switch write {
      case .pause(let pause?): return Replies.json(200, replies(now).pause(pause))
      case .hold(let hold): return Replies.json(201, replies(now).hold(hold))
      case .release, .pause(nil): return Replies.json(200, Replies.about)
      default: return try write.id.flatMap { try show($0, status: 200, now) }
      }
    }
    if let response { server.respond(token, response) }
  }
}
