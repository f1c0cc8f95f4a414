import ControlAPI
import HTTPTypes
import Linux
import Scheduling
import ServiceConfiguration
import ServiceLog
import SocketServer
import Timeline
import TouchDevices
import TouchgateAPI

/// Turns, and waiting for a quiet moment, which is a turn that ends as it begins.
extension Calls {
  func quiet(_ caller: Caller) throws -> HTTPResponse? {
    let query = caller.query
    let span = try query.span("for", atMost: Submission.longestQuietPeriod)
    try snapshot.require(query["screen"])
    let timeout = try query.span("timeout", atMost: Self.longestWait)
    let turn = Turn(
      id: newID(), owner: caller.submitter, unit: unit(of: caller.peer), reason: "waits for quiet",
      since: SystemClock.wall, screen: query["screen"], quietPeriod: span, sequence: engine.nextSequence())
    take(turn, caller, timeout: timeout, guardKind: .verify, isMoment: true)
    return nil
  }

  func turn(_ caller: Caller) throws -> HTTPResponse? {
    if engine.scheduler.isStopping { throw CallProblem.stopping.refusal }
    try permissions(caller).require(.hold)
    let timeout = try caller.query.span("timeout", atMost: Self.longestWait)
    let request = try CheckedTurn(
      body: caller.request.body, guardKinds: GuardKind.allCases.map(\.rawValue), longest: configuration.maxTurn)
    try snapshot.require(request.screen)
    let kind = request.guardKind.flatMap(GuardKind.init(rawValue:)) ?? .verify
    if kind == .grab { try permissions(caller).require(.grab) }
    let turn = Turn(
      id: newID(), owner: caller.submitter, unit: unit(of: caller.peer), reason: request.reason,
      since: SystemClock.wall, longest: request.longest, screen: request.screen, quietPeriod: request.quietPeriod,
      sequence: engine.nextSequence())
    overrunTurns.forget(of: caller.peer.pid)
    log.info("\(turn.id): \(caller.name) waits for a turn\(turn.reason.isEmpty ? "" : ": ")\(turn.reason)")
    take(turn, caller, timeout: timeout, guardKind: kind, isMoment: false)
    return nil
  }

  private func take(_ turn: Turn, _ caller: Caller, timeout: Duration?, guardKind: GuardKind, isMoment: Bool) {
    let now = caller.now
    open.awaitTurn(
      turn.id,
      .init(
        token: caller.token, deadline: timeout.map { now + $0 }, guardKind: guardKind, isMoment: isMoment,
        longest: turn.longest))
    // What is known may be a second old if nothing was waiting.
    engine.recheckNow(now)
    engine.feed { $0.takeTurn(turn, at: now) }
    // Without time to wait it begins now or not at all.
    if timeout == .zero {
      engine.drain(at: now)
      refuseOverdueTurns(now)
    }
  }

  /// The scheduler starts a turn.
  func startTurn(_ id: TurnID, _ releasedAt: Instant?, _ now: Instant) {
    guard let turn = open.startTurn(id, at: now) else {
      engine.feed { $0.leave(id, at: now) }
      return
    }
    if turn.isMoment {
      server.respond(turn.token, Replies.json(200, QuietReply()))
      engine.endGuard(now)
      engine.feed { $0.leave(id, at: now) }
      return
    }
    let reply = TurnReply(
      id: id.text, startedAt: SystemClock.wall.rfc3339,
      releaseToStartMs: releasedAt.map { (now - $0).wholeMilliseconds })
    server.openStream(turn.token)
    write(turn.token, reply, now)
    log.info("\(id): the turn has begun")
    let owner = engine.scheduler.currentTurn?.turn.owner
    engine.feed { $0.bind(id, startTicks: owner.flatMap { ProcessIdentity(of: $0.pid)?.startTicks }) }
  }

  func turns(_ caller: Caller) -> HTTPResponse {
    Replies.json(200, TurnListReply(turns: engine.scheduler.turns.map(replies(caller.now).turn)))
  }

  /// `DELETE /v1/turns/ID`: the command that runs in a turn is told, and continues.
  func endTurn(_ text: String, _ caller: Caller) throws -> HTTPResponse? {
    guard let state = engine.scheduler.turns.first(where: { $0.turn.id.text == text }) else {
      throw StateProblem.unknownTurn(text).refusal
    }
    try permissions(caller).requireTurn(of: state.turn.owner.uid)
    let reply = replies(caller.now).turn(state)
    endTurn(state.turn.id, "released by \(caller.name)", caller.now)
    return Replies.json(200, reply)
  }

  /// A turn that has lasted as long as it may.
  func endOverrunTurn(_ now: Instant) {
    guard let id = open.overrunTurn(at: now), let turn = open.turn(id) else { return }
    let span = turn.longest.map { TimeSpan.describe($0) } ?? ""
    let reason = "it has lasted \(span), the longest that its --max or MaxTurn= allows"
    if let turn = engine.scheduler.currentTurn?.turn { overrunTurns.note(turn, reason, at: SystemClock.wall) }
    endTurn(id, reason, now)
  }

  /// An update that was forced, which is stored, overrules the turn that lasts, unless something else keeps it waiting.
  func overruleTurn(for id: UpdateID, _ now: Instant) {
    guard engine.scheduler.isForced(id), let state = engine.scheduler.currentTurn else { return }
    endTurn(state.turn.id, "overruled: \(id) was forced", now)
  }

  /// Ends a turn whose owner is still there. The owner is told why.
  private func endTurn(_ id: TurnID, _ reason: String, _ now: Instant) {
    guard let turn = leaveTurn(id, now, because: reason) else { return }
    if turn.hasStarted {
      write(turn.token, TurnEndReply(ended: reason), now)
      server.end(turn.token)
    } else {
      server.respond(turn.token, StateProblem.turnEnded(reason: reason).refusal.response)
    }
  }

  /// Turns that were waited for as long as somebody wanted.
  func refuseOverdueTurns(_ now: Instant) {
    for id in open.overdueTurns(at: now) {
      let blockers = replies(now).blockers(of: .turn(id))
      guard let turn = leaveTurn(id, now, because: "its timeout has passed") else { continue }
      server.respond(turn.token, StateProblem.notQuiet(blockers).refusal.response)
    }
  }

  /// The turn is over, or nobody waits for it any more.
  @discardableResult
  func leaveTurn(_ id: TurnID, _ now: Instant, because reason: String) -> OpenReplies.OpenTurn? {
    guard let turn = open.endTurn(id) else { return nil }
    if !turn.isMoment { log.info("\(id): the turn \(turn.hasStarted ? "" : "did not begin; it ")ended: \(reason)") }
    if turn.hasStarted { engine.endGuard(now) }
    engine.feed { $0.leave(id, at: now) }
    return turn
  }
}
