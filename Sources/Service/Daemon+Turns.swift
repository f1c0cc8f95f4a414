import ControlAPI
import HTTPTypes
import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline
import TouchgateAPI

/// Turns, and the waiting for quiet, which is a turn that ends as it begins.
extension Daemon {
  struct Turn {
    let token: RequestToken
    /// Until then it is waited for; nil: for as long as it takes.
    let deadline: Instant?
    let guardKind: GuardKind
    /// Only the moment counts.
    let isMoment: Bool
    var hasStarted = false
  }

  func quiet(_ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let query = Query(incoming.request.query)
    let span = try query.span("for", atMost: Submission.longestQuietPeriod)
    try checkScreen(query["screen"])
    let timeout = try query.span("timeout", atMost: .seconds(86400))
    return wait(
      incoming, quiet: span, screen: query["screen"], timeout: timeout, guardKind: .verify, isMoment: true, now)
  }

  func turn(_ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let peer = incoming.request.peer
    try permissions(peer).require(.hold)
    let query = Query(incoming.request.query)
    let timeout = try query.span("timeout", atMost: .seconds(86400))
    let request = try CheckedTurn(body: incoming.request.body, guardKinds: GuardKind.allCases.map(\.rawValue))
    try checkScreen(request.screen)
    return wait(
      incoming, quiet: request.quietPeriod, screen: request.screen, timeout: timeout,
      guardKind: request.guardKind.flatMap(GuardKind.init) ?? .verify, isMoment: false, now)
  }

  private func wait(
    _ incoming: IncomingRequest, quiet: Duration?, screen: String?, timeout: Duration?, guardKind: GuardKind,
    isMoment: Bool, _ now: Instant
  ) -> HTTPResponse? {
    let peer = incoming.request.peer
    let update = Update(
      id: newID(), handler: "(turn)", parameters: [:], createdAt: SystemClock.wall,
      submitter: Submitter(uid: peer.uid, pid: peer.pid), sequence: sequence, quietPeriod: quiet, screen: screen)
    sequence += 1
    turns[update.id] = Turn(
      token: incoming.token, deadline: timeout.map { now + $0 }, guardKind: guardKind, isMoment: isMoment)
    // What is known may be a second old where nothing waited.
    lookAtScreens(now)
    perform(scheduler.takeTurn(update, at: now), now)
    if timeout == .zero { endTurns(now) }
    return nil
  }

  /// The scheduler's `start` of a turn.
  func startTurn(_ id: UpdateID, _ releasedAt: Instant?, _ now: Instant) {
    guard var turn = turns[id] else {
      pending += scheduler.leave(id, at: now)
      return
    }
    if turn.isMoment {
      turns[id] = nil
      server.respond(turn.token, Replies.json(200, QuietReply()))
      endGuard(now)
      pending += scheduler.leave(id, at: now)
      return
    }
    turn.hasStarted = true
    turns[id] = turn
    streams[turn.token] = .turn(id)
    let reply = TurnReply(
      id: id.text, startedAt: SystemClock.wall.rfc3339,
      releaseToStartMs: releasedAt.map { (now - $0).wholeMilliseconds })
    server.openStream(turn.token)
    _ = server.write(turn.token, Replies.line(reply), now: now)
    log.info("\(id): the turn of a process of its own has begun")
  }

  /// Those who have waited long enough.
  func endTurns(_ now: Instant) {
    for (id, turn) in turns where !turn.hasStarted && turn.deadline.map({ $0 <= now }) == true {
      let blockers = replies(now).blockers(of: id)
      leaveTurn(id, now)
      server.respond(turn.token, StateProblem.notQuiet(blockers).refusal.response)
    }
  }

  /// Its time is over, or its owner is gone.
  func leaveTurn(_ id: UpdateID, _ now: Instant) {
    guard let turn = turns.removeValue(forKey: id) else { return }
    if turn.hasStarted {
      endGuard(now)
    }
    perform(scheduler.leave(id, at: now), now)
  }

  var nextTurnDeadline: Instant? { turns.values.filter { !$0.hasStarted }.compactMap(\.deadline).min() }
}
