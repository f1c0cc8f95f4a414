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
    if let right = configuration.rights.hold { try require(right, "Hold", peer) }
    let query = Query(incoming.request.query)
    let timeout = try query.span("timeout", atMost: .seconds(86400))
    let body = incoming.request.body
    let request = body.isEmpty ? TurnRequest() : try StrictJSON.decode(body, fields: TurnRequest.fields)
    try checkScreen(request.screen)
    var kind = GuardKind.verify
    if let text = request.guard {
      guard let known = GuardKind(rawValue: text) else {
        throw Problem(code: "badGuard", message: "guard is grab, verify or none", field: "guard")
      }
      kind = known
    }
    if let reason = request.reason, reason.utf8.count > 200 {
      throw Problem(code: "badReason", message: "a reason has at most 200 bytes", field: "reason")
    }
    let span = try request.quietPeriod.map { text throws(Problem) in try Submission.quietPeriod(text) }
    return wait(
      incoming, quiet: span, screen: request.screen, timeout: timeout, guardKind: kind, isMoment: false, now)
  }

  private func wait(
    _ incoming: IncomingRequest, quiet: Duration?, screen: String?, timeout: Duration?, guardKind: GuardKind,
    isMoment: Bool, _ now: Instant
  ) -> HTTPResponse? {
    let peer = incoming.request.peer
    let turn = Scheduling.Turn(
      id: newID(), owner: Submitter(uid: peer.uid, pid: peer.pid), screen: screen, quietPeriod: quiet,
      sequence: sequence)
    sequence += 1
    turns[turn.id] = Turn(
      token: incoming.token, deadline: timeout.map { now + $0 }, guardKind: guardKind, isMoment: isMoment)
    // What is known may be a second old where nothing waited.
    lookAtScreens(now)
    perform(scheduler.takeTurn(turn, at: now), now)
    if timeout == .zero { endTurns(now) }
    return nil
  }

  /// The scheduler's `start` of a turn.
  func startTurn(_ id: UpdateID, _ releasedAt: Instant?, _ now: Instant) {
    guard var turn = turns[id] else {
      effects.actions.append(scheduler.leave(id, at: now))
      return
    }
    if turn.isMoment {
      turns[id] = nil
      server.respond(turn.token, Replies.json(200, QuietReply()))
      endGuard(now)
      effects.actions.append(scheduler.leave(id, at: now))
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
      let blockers = scheduler.blockers(of: id, at: now).map(replies(now).blocker)
      leaveTurn(id, now)
      let words = blockers.first.map { ": \($0.code), clears \($0.clears)" } ?? ""
      server.respond(
        turn.token,
        Replies.problem(
          408, Problem(code: "notQuiet", message: "not quiet for long enough\(words)", blockers: blockers)))
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
