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
    take(caller, quiet: span, screen: query["screen"], timeout: timeout, guardKind: .verify, isMoment: true)
    return nil
  }

  func turn(_ caller: Caller) throws -> HTTPResponse? {
    try permissions(caller).require(.hold)
    let timeout = try caller.query.span("timeout", atMost: Self.longestWait)
    let request = try CheckedTurn(body: caller.request.body, guardKinds: GuardKind.allCases.map(\.rawValue))
    try snapshot.require(request.screen)
    let kind = request.guardKind.flatMap(GuardKind.init(rawValue:)) ?? .verify
    if kind == .grab { try permissions(caller).require(.grab) }
    take(
      caller, quiet: request.quietPeriod, screen: request.screen, timeout: timeout, guardKind: kind, isMoment: false)
    return nil
  }

  private func take(
    _ caller: Caller, quiet: Duration?, screen: String?, timeout: Duration?, guardKind: GuardKind, isMoment: Bool
  ) {
    let now = caller.now
    let turn = Turn(
      id: newID(), owner: caller.submitter, screen: screen, quietPeriod: quiet, sequence: engine.nextSequence())
    open.awaitTurn(
      turn.id,
      .init(token: caller.token, deadline: timeout.map { now + $0 }, guardKind: guardKind, isMoment: isMoment))
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
    guard let turn = open.startTurn(id) else {
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
  }

  /// Turns that were waited for as long as somebody wanted.
  func refuseOverdueTurns(_ now: Instant) {
    for id in open.overdueTurns(at: now) {
      let blockers = replies(now).blockers(of: .turn(id))
      guard let turn = leaveTurn(id, now) else { continue }
      server.respond(turn.token, StateProblem.notQuiet(blockers).refusal.response)
    }
  }

  /// The turn is over, or nobody waits for it any more.
  @discardableResult
  func leaveTurn(_ id: TurnID, _ now: Instant) -> OpenReplies.OpenTurn? {
    guard let turn = open.endTurn(id) else { return nil }
    if turn.hasStarted { engine.endGuard(now) }
    engine.feed { $0.leave(id, at: now) }
    return turn
  }
}
