import ControlAPI
import HTTPTypes
import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline
import TouchgateAPI
import UpdateStore

/// Updates that a connected application applies itself: offered to the one that connected first.
extension Daemon {
  struct Receiver {
    let token: RequestToken
    let handler: String
    let peer: Peer
  }

  /// Connected, as long as the answer stays open.
  func receive(_ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let query = Query(incoming.request.query)
    guard let name = query["handler"] else { throw QueryProblem.missing("handler") }
    guard let definition = configuration.handlers[name] else { throw unknownHandler(name) }
    guard definition.kind == .delivery else {
      throw CallProblem.noDelivery(handler: name, file: definition.file)
    }
    try checkAllowed(definition, incoming.request.peer)
    streams[incoming.token] = .receiver
    receivers.append(Receiver(token: incoming.token, handler: name, peer: incoming.request.peer))
    server.openStream(incoming.token)
    perform(scheduler.receivers(of: name, present: true, at: now), now)
    return nil
  }

  /// To be told at the start and whenever handlers or receivers have changed.
  func tellReceivers(_ now: Instant) {
    let names = configuration.handlers.filter { $0.value.kind == .delivery }.keys
    for name in names {
      let present = receivers.contains { $0.handler == name }
      perform(scheduler.receivers(of: name, present: present, at: now), now)
    }
    // One that is none any more, or is gone, waits for nobody.
    for name in delivering.subtracting(names) {
      perform(scheduler.receivers(of: name, present: true, at: now), now)
    }
    delivering = Set(names)
  }

  /// Offers it to the first who takes it; nil: there is nobody.
  func deliver(
    _ update: Update, _ attempt: Int, _ definition: HandlerDefinition, _ releasedAt: Instant?, _ now: Instant,
    _ ended: @escaping (HandlerEnd, Instant) -> Void
  ) throws -> Delivery? {
    for receiver in receivers where receiver.handler == update.handler {
      if try offer(update, attempt, definition.timeout, to: receiver, now) {
        return Delivery(
          update, attempt: attempt, releasedAt: releasedAt, timeout: definition.timeout, receiver: receiver.token,
          now: now, ended: ended)
      }
    }
    return nil
  }

  private func offer(
    _ update: Update, _ attempt: Int, _ timeout: Duration, to receiver: Receiver, _ now: Instant
  ) throws -> Bool {
    let reply = Replies.delivery(
      update, payload: try store.payload(of: update.id) ?? [], attempt: attempt, timeout: timeout,
      at: SystemClock.wall)
    return server.write(receiver.token, Replies.line(reply), now: now)
  }

  /// A receiver is gone: what it had goes to the next, or waits for one.
  func receiverIsGone(_ token: RequestToken, _ now: Instant) {
    guard let index = receivers.firstIndex(where: { $0.token == token }) else { return }
    let gone = receivers.remove(at: index)
    let isLast = !receivers.contains { $0.handler == gone.handler }
    if isLast { perform(scheduler.receivers(of: gone.handler, present: false, at: now), now) }
    guard let delivery = handler as? Delivery, delivery.receiver == token else { return }
    log.warning("\(delivery.update.id): its receiver is gone before it has acknowledged")
    for next in receivers where next.handler == gone.handler {
      if (try? offer(delivery.update, delivery.attempt, delivery.timeout, to: next, now)) == true {
        delivery.receiver = next.token
        return
      }
    }
    handler = nil
    endGuard(now)
    perform(scheduler.notTaken(delivery.update.id, at: now), now)
    stopIfAsked()
  }

  func acknowledge(_ text: String, _ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let delivery = try ownDelivery(text, incoming.request.peer)
    delivery.acknowledge(at: SystemClock.wall, now)
    return try show(delivery.update.id, status: 200, now)
  }

  func refuse(_ text: String, _ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let delivery = try ownDelivery(text, incoming.request.peer)
    let request = try CheckedNack(body: incoming.request.body)
    delivery.refuse(
      request.reason.isEmpty ? "refused by its receiver" : "refused by its receiver: \(request.reason)",
      later: request.isLater, at: SystemClock.wall, now)
    return try show(delivery.update.id, status: 200, now)
  }

  private func ownDelivery(_ text: String, _ peer: Peer) throws -> Delivery {
    guard let delivery = handler as? Delivery, delivery.update.id.text == text else {
      throw StateProblem.notDelivered(id: text)
    }
    guard let receiver = receivers.first(where: { $0.token == delivery.receiver }), receiver.peer.uid == peer.uid
    else { throw CallProblem.deliveryOfOther(id: text) }
    return delivery
  }
}
