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

/// The operator's pause, and holds.
extension Calls {
  func pause(_ caller: Caller) throws -> HTTPResponse? {
    try permissions(caller).require(.admin)
    let reason = try CheckedPause(body: caller.request.body).reason
    log.notice("paused by \(caller.name)\(reason.isEmpty ? "" : ": ")\(reason)", .paused)
    let pause = OperatorPause(since: SystemClock.wall, by: caller.submitter, reason: reason)
    try awaitChange(caller) { $0.pause(pause) }
    return nil
  }

  func resume(_ caller: Caller) throws -> HTTPResponse? {
    try permissions(caller).require(.admin)
    if !engine.scheduler.isPaused { throw StateProblem.notPaused.refusal }
    log.notice("resumed by \(caller.name)", .resumed)
    try awaitChange(caller) { $0.pause(nil) }
    return nil
  }

  func hold(_ caller: Caller) throws -> HTTPResponse? {
    let now = caller.now
    if engine.scheduler.isStopping { throw CallProblem.stopping.refusal }
    try permissions(caller).require(.hold)
    let request = try CheckedHold(body: caller.request.body, longest: configuration.maxHold)
    try snapshot.require(request.screen)
    if request.ttl == nil, let refusal = server.keepOpen(caller.token) { return refusal }
    let former = request.resumes.flatMap(engine.scheduler.keptHold)
    if let former { try permissions(caller).requireHold(of: former.owner.uid) } else { try makeRoom(for: caller) }
    let wall = SystemClock.wall
    let hold = Hold(
      id: former?.id ?? newID(), screen: request.screen, owner: caller.submitter, unit: unit(of: caller.peer),
      reason: request.reason, since: former?.since ?? wall,
      until: request.ttl.map { engine.scheduler.clocks(now).steady + $0 },
      spanBegan: engine.scheduler.clocks(now).steady, ends: former?.ends)
    log.info("held \(former == nil ? "" : "again ")by \(caller.name) (\(hold.id)): \(hold.reason)")
    if hold.until != nil {
      try awaitChange(caller) { $0.hold(hold, at: now) }
      return nil
    }
    open.open(.hold(hold.id), caller.token, ends: hold.ends.map(engine.scheduler.instant))
    engine.feed { $0.hold(hold, startTicks: ProcessIdentity(of: caller.peer.pid)?.startTicks, at: now) }
    server.openStream(caller.token)
    write(caller.token, replies(now).hold(hold), now)
    return nil
  }

  /// At the total limit, the last hold of the user who has the most ends.
  private func makeRoom(for caller: Caller) throws {
    // Those that are still being stored count.
    engine.drain(at: caller.now)
    let (held, limits) = (engine.scheduler.activeHolds, Limits.holds)
    switch limits.verdict(held.map(\.owner.uid), adding: caller.peer.uid) {
    case .admitted: break
    case .tooManyOfUser: throw StateProblem.tooManyHolds(limit: limits.perUser, uid: caller.peer.uid).refusal
    case .tooMany: throw StateProblem.tooManyHolds(limit: limits.all, uid: nil).refusal
    case .givesWay(let user):
      guard let hold = held.last(where: { $0.owner.uid == user }) else { break }
      let reason = "\(limits.all) holds are active, and its owner, user \(user), has the most"
      log.warning("hold \(hold.id) ended: \(reason)")
      end(hold, reason, caller.now)
    }
  }

  /// Ends a hold, and the stream of a bound one: its last line says why, so that the owner takes no other.
  private func end(_ hold: Hold, _ reason: String, _ now: Instant) {
    if let stream = open.closeHold(hold.id) {
      write(stream, TurnEndReply(ended: reason), now)
      server.end(stream)
    }
    engine.feed { $0.release(hold.id, at: now) }
  }

  /// A hold that continues a turn ends when that would have.
  func endOverrunHold(_ now: Instant) {
    guard let id = open.overrunHold(at: now),
      let hold = engine.scheduler.activeHolds.first(where: { $0.id == id })
    else { return }
    end(hold, "the turn that it continues has lasted as long as its --max or MaxTurn= allows", now)
  }

  func holds(_ caller: Caller) -> HTTPResponse {
    let (scheduler, replies) = (engine.scheduler, replies(caller.now))
    return Replies.json(
      200, HoldListReply(holds: scheduler.activeHolds.map(replies.hold), turns: scheduler.turns.map(replies.turn)))
  }

  /// Turns are released as holds are. A bound hold ends with its stream; if another request releases it, the stream ends with the hold.
  func release(_ text: String, _ caller: Caller) throws -> HTTPResponse? {
    guard let hold = engine.scheduler.activeHolds.first(where: { $0.id.text == text }) else {
      if engine.scheduler.turns.contains(where: { $0.turn.id.text == text }) { return try endTurn(text, caller) }
      throw StateProblem.unknownHold(text).refusal
    }
    try permissions(caller).requireHold(of: hold.owner.uid)
    log.info("hold \(hold.id) released by \(caller.name)")
    if hold.until != nil {
      try awaitChange(caller) { $0.release(hold.id, at: caller.now) }
      return nil
    }
    end(hold, "released by \(caller.name)", caller.now)
    return Replies.json(200, replies(caller.now).hold(hold))
  }

  /// The unit of a process, from its control group; nil: none, or the process is gone.
  func unit(of peer: Peer) -> String? {
    guard let bytes = try? readFile("/proc/\(peer.pid)/cgroup", limit: 4096) else { return nil }
    let names = String(decoding: bytes, as: UTF8.self).split(separator: "\n").flatMap { $0.split(separator: "/") }
    return names.last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }.map { String($0).shortened }
  }
}
