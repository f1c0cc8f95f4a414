import ControlAPI
import HTTPTypes
import Handlers
import Linux
import Scheduling
import ServiceConfiguration
import ServiceLog
import SocketServer
import Timeline
import TouchgateAPI

/// Readers of events, applications that receive updates, and what ends with a client's connection.
extension Calls {
  // MARK: Events

  func readEvents(_ caller: Caller) throws -> HTTPResponse? {
    feed.addReader(caller.token, since: try caller.query.since())
    open.open(.events, caller.token)
    server.openStream(caller.token)
    return nil
  }

  /// Hands readers what is new, as far as they have room.
  func pumpEvents(_ now: Instant) {
    feed.pump(
      unsent: { server.unsent($0) },
      gap: { token, missed, next in
        write(token, Replies.gap(missed: missed, next: next, at: SystemClock.wall), now)
      }, event: { token, event in write(token, Replies.event(event), now) })
  }

  // MARK: Receivers

  /// An application is connected as long as its reply stays open.
  func receive(_ caller: Caller) throws -> HTTPResponse? {
    let name = caller.query["handler"] ?? ""
    let definition = try definition(name)
    if definition.kind != .delivery { throw CallProblem.noDelivery(handler: name, file: definition.file).refusal }
    try requireHandler(definition, caller)
    open.connect(.init(token: caller.token, handler: name, user: caller.peer.uid))
    server.openStream(caller.token)
    engine.feed { $0.receivers(of: name, present: true, at: caller.now) }
    return nil
  }

  /// Offers an update to the applications of its handler, first come first.
  ///
  /// - Returns: who took it; nil: nobody.
  func offer(
    _ update: Update, attempt: Int, timeout: Duration, payload: [UInt8], _ now: Instant
  ) -> RequestToken? {
    let line = Replies.line(
      Replies.delivery(update, payload: payload, attempt: attempt, timeout: timeout, at: SystemClock.wall))
    return open.receivers(of: update.handler).map(\.token).first { server.write($0, line, now: now) }
  }

  func acknowledge(_ text: String, _ caller: Caller) throws -> HTTPResponse? {
    let delivery = try ownDelivery(text, caller)
    delivery.acknowledge(caller.now)
    return try show(delivery.update.id, status: 200, caller.now)
  }

  func refuse(_ text: String, _ caller: Caller) throws -> HTTPResponse? {
    let delivery = try ownDelivery(text, caller)
    let request = try CheckedNack(body: caller.request.body)
    let reason = request.reason.isEmpty ? "refused by the application" : "refused by the application: \(request.reason)"
    delivery.refuse(reason, later: request.isLater, caller.now)
    return try show(delivery.update.id, status: 200, caller.now)
  }

  private func ownDelivery(_ text: String, _ caller: Caller) throws(CallRefusal) -> Delivery {
    guard let delivery = runner.delivery, delivery.update.id.text == text else {
      throw StateProblem.notDelivered(id: text).refusal
    }
    if open.receiver(delivery.receiver)?.user != caller.peer.uid {
      throw CallProblem.deliveryOfOther(id: text).refusal
    }
    return delivery
  }

  // MARK: Clients that are gone

  /// What a client held, waited for or read is over with its connection.
  func clientGone(_ token: RequestToken, _ now: Instant) {
    answers.gone(token)
    switch open.gone(token) {
    case .hold(let id):
      let isKept = engine.scheduler.isStopping
      log.info("hold \(id) \(isKept ? "is kept: the service is stopping" : "ended with its owner's connection")")
      engine.feed { $0.disconnected(id, at: now) }
    case .turn(let id):
      leaveTurn(id, now, because: "its owner closed the connection")
    case .reader:
      feed.removeReader(token)
    case .receiver(let handler, let isLast):
      if isLast { engine.feed { $0.receivers(of: handler, present: false, at: now) } }
      if let update = runner.receiverGone(token, at: now) { engine.progressed(update, .notTaken, now) }
    case nil:
      break
    }
  }
}
