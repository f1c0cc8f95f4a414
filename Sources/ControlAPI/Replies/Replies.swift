import FoundationEssentials
import Gating
public import HTTPTypes
public import Scheduling
public import Timeline
public import TouchgateAPI

/// Values of the service as replies of the socket, at one moment.
public struct Replies {
  public let clock: ReplyClock
  public let scheduler: Scheduler
  public let now: Instant

  public init(clock: ReplyClock, scheduler: Scheduler, now: Instant) {
    self.clock = clock
    self.scheduler = scheduler
    self.now = now
  }

  // MARK: Bytes

  public static func json(_ status: Int, _ value: some Encodable, headers: [HTTPHeader] = []) -> HTTPResponse {
    HTTPResponse(status: status, body: line(value), headers: headers)
  }

  /// JSON and a newline: a line of a stream.
  public static func line(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Every reply is a struct of strings, numbers and lists: it cannot fail to encode.
    let body = (try? encoder.encode(value)).map { Array($0) } ?? []
    return body + [UInt8(ascii: "\n")]
  }

  // MARK: The service

  public static let about = AboutReply(name: "touchgate", version: Version.text)

  public static func event(_ event: Event) -> EventReply {
    var reply = EventReply(seq: event.sequence, time: event.time.rfc3339, type: "")
    switch event.happening {
    case .touch(let touched, let contacts):
      (reply.type, reply.touched, reply.contacts) = ("touch", touched, contacts)
    case .screen(let name, let state, let contacts):
      (reply.type, reply.screen, reply.state, reply.contacts) = ("screen", name, state, contacts)
    case .update(let id, let handler, let state):
      (reply.type, reply.id, reply.handler, reply.state) = ("update", id, handler, state)
    }
    return reply
  }

  /// For a reader that has missed events; the next event that it gets has the number `next`.
  public static func gap(missed: Int64, next: Int64, at time: WallTime) -> EventReply {
    var reply = EventReply(seq: next - 1, time: time.rfc3339, type: "gap")
    reply.missed = missed
    return reply
  }

  public func hold(_ hold: Hold) -> HoldReply {
    HoldReply(
      id: hold.id.text, screen: hold.screen, uid: hold.owner.uid, pid: hold.owner.pid, unit: hold.unit,
      reason: hold.reason, since: hold.since.rfc3339, until: hold.until.map { clock.rfc3339(scheduler.instant($0)) })
  }

  public func turn(_ state: TurnState) -> TurnStateReply {
    let turn = state.turn
    return TurnStateReply(
      id: turn.id.text, screen: turn.screen, uid: turn.owner.uid, pid: turn.owner.pid, unit: turn.unit,
      reason: turn.reason, since: turn.since.rfc3339, startedAt: state.begun.map(clock.rfc3339),
      until: state.ends.map(clock.rfc3339), blockers: state.begun == nil ? blockers(of: .turn(turn.id)) : nil)
  }

  public func pause(_ pause: OperatorPause) -> PauseReply {
    PauseReply(since: pause.since.rfc3339, uid: pause.by.uid, reason: pause.reason)
  }

  // MARK: Updates

  public func blocker(_ blocker: Blocker) -> BlockerReply {
    BlockerReply(
      code: blocker.code.rawValue, since: clock.rfc3339(blocker.since), screen: blocker.screen,
      device: blocker.device, contacts: blocker.contacts, owner: blocker.owner,
      reason: blocker.reason?.wording, clears: blocker.clears.wording(at: now, in: scheduler.zone))
  }

  /// RFC 3339, as far as is known now; of a time of day without a day, its text.
  private func time(_ moment: Moment) -> String {
    switch moment {
    case .wall(let time): time.rfc3339
    case .steady(let time): clock.rfc3339(scheduler.instant(time))
    case .daily(let time): time.text
    }
  }

  /// What blocks an update or a turn now.
  public func blockers(of id: WorkID) -> [BlockerReply] { scheduler.blockers(of: id, at: now).map(blocker) }

  /// The scheduler's view of an update that has not ended, and the store's of any other.
  public func update(_ stored: StoredUpdate) -> UpdateReply {
    var result: ResultReply?
    if case .finished(let end) = stored.state {
      result = ResultReply(
        exitCode: end.exitCode, message: end.message, finishedAt: end.finishedAt.rfc3339,
        releaseToStartMs: end.releaseToStartMilliseconds, successor: end.successor?.text)
    }
    let (id, update) = (stored.update.id, stored.update)
    return UpdateReply(
      id: id.text, clientId: update.clientID?.text, uid: update.submitter.uid, handler: update.handler,
      key: update.key, state: stored.state.name, createdAt: update.createdAt.rfc3339,
      attempts: scheduler.attempts(of: id) ?? stored.attempts,
      checks: scheduler.rechecks(of: id), blockers: blockers(of: .update(id)),
      blockedMs: (scheduler.blockedTimes(of: id, at: now) ?? stored.blocked).milliseconds,
      screen: update.screen, priority: update.priority, quietPeriod: update.quietPeriod.map { TimeSpan.describe($0) },
      notBefore: update.notBefore.map(time), deadline: update.deadline.map(time),
      onDeadline: update.deadline == nil ? nil : update.onDeadline.rawValue,
      overrode: stored.overrode.isEmpty ? nil : stored.overrode.map(\.rawValue), result: result)
  }

  /// For `dryRun=1`: an update that is not stored, with what would block it.
  public static func dryRun(_ update: Update, blockers: [BlockerReply]) -> UpdateReply {
    UpdateReply(
      id: update.id.text, clientId: update.clientID?.text, uid: update.submitter.uid, handler: update.handler,
      key: update.key, state: "dryRun",
      createdAt: update.createdAt.rfc3339, attempts: 0, checks: nil, blockers: blockers, screen: update.screen,
      result: nil)
  }

  /// For an application that applies updates itself. The payload is text if it is UTF-8, else base64. `timeout`: until
  /// the answer is due; infinity counts as a year.
  public static func delivery(
    _ update: Update, payload: [UInt8], attempt: Int, timeout: Duration, at time: WallTime
  ) -> DeliveryReply {
    let text = String(validating: payload, as: UTF8.self)
    return DeliveryReply(
      id: update.id.text, clientId: update.clientID?.text, handler: update.handler, parameters: update.parameters,
      payload: payload.isEmpty ? nil : text, payloadBase64: text == nil ? Data(payload).base64EncodedString() : nil,
      attempt: attempt, answerBy: (time + min(timeout, .seconds(365 * 86400))).rfc3339)
  }
}
