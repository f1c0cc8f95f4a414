import Gating
import Linux
import Scheduling
import ServiceLog
import SocketServer
import Timeline
import TouchDevices
import TouchgateAPI
import UpdateStore

/// Those who wait for the end of an update, and streams in general.
extension Daemon {
  /// Who a reply that stays open belongs to.
  enum StreamOwner: Equatable {
    case hold(HoldID)
    case turn(UpdateID)
    /// Reads events; the number of the next one.
    case events(next: Int64)
    /// Applies updates itself.
    case receiver
  }

  struct EndWait {
    let id: UpdateID
    let deadline: Instant?
    /// The update was accepted by this request: at the time-out it is told so.
    let wasSubmitted: Bool
  }

  static let longestWait: Duration = .seconds(86400)

  func waitForEnd(_ text: String, _ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let query = Query(incoming.request.query)
    let timeout = try query.span("timeout", atMost: Self.longestWait)
    let stored = try find(text)
    if case .finished = stored.state { return Replies.json(200, replies(now).update(stored)) }
    endWaits[incoming.token] = EndWait(
      id: stored.update.id, deadline: timeout.map { now + $0 }, wasSubmitted: false)
    if timeout == .zero { endWaitsDue(now) }
    return nil
  }

  /// A submission with `wait=` is answered when the update ends, or its time is over.
  func waitInstead(_ id: UpdateID) -> Bool {
    guard let deadline = waitsAfter.removeValue(forKey: id), let token = asked.removeValue(forKey: id) else {
      return false
    }
    endWaits[token] = EndWait(id: id, deadline: deadline, wasSubmitted: true)
    return true
  }

  /// An update has ended: whoever waits for it hears so.
  func answerWaits(for id: UpdateID, _ now: Instant) {
    for (token, wait) in endWaits where wait.id == id {
      endWaits[token] = nil
      if let response = orProblem({ try show(id, status: 200, now) }) { server.respond(token, response) }
    }
  }

  /// Those who have waited long enough.
  func endWaitsDue(_ now: Instant) {
    for (token, wait) in endWaits where wait.deadline.map({ $0 <= now }) == true {
      endWaits[token] = nil
      let response = orProblem {
        if wait.wasSubmitted { return try show(wait.id, status: 202, now) }
        let blockers = scheduler.blockers(of: wait.id, at: now).map(replies(now).blocker)
        let words = blockers.first.map { "; blocked by \($0.code), clears \($0.clears)" } ?? ""
        throw Refusal(
          408, Problem(code: "notEnded", message: "the update has not ended yet\(words)", blockers: blockers))
      }
      if let response { server.respond(token, response) }
    }
  }

  var nextWaitDeadline: Instant? { endWaits.values.compactMap(\.deadline).min() }

  /// Clients that are gone: what they held, waited for or read is over.
  func forgetGone(_ now: Instant) {
    for token in server.takeGone() {
      endWaits[token] = nil
      if let turn = turns.first(where: { $0.value.token == token }) { leaveTurn(turn.key, now) }
      switch streams.removeValue(forKey: token) {
      case .hold(let id):
        log.info("hold \(id) ended with its owner's connection")
        perform(scheduler.release(id, at: now), now)
      case .receiver: receiverIsGone(token, now)
      case .turn, .events, nil: break
      }
    }
  }

  // MARK: Events

  func readEvents(_ incoming: IncomingRequest, _ now: Instant) throws -> HTTPResponse? {
    let query = Query(incoming.request.query)
    var next = events.next
    if let text = query["since"] {
      guard let since = Int64(text), since >= 0, since < .max else {
        throw Problem(code: "badSince", message: "since is the number of an event, 0 or more", field: "since")
      }
      next = since + 1
    }
    streams[incoming.token] = .events(next: next)
    server.openStream(incoming.token)
    return nil
  }

  /// What is new goes to each reader as far as there is room; the rest waits in the log, where it may be overtaken.
  func pumpEvents(_ now: Instant) {
    for (token, owner) in streams {
      guard case .events(var next) = owner else { continue }
      while let unsent = server.unsent(token), unsent < 16 * 1024, let news = events.read(from: next) {
        switch news {
        case .gap(let missed, let resumed):
          var reply = EventReply(seq: resumed - 1, time: SystemClock.wall.rfc3339, type: "gap")
          reply.missed = missed
          _ = server.write(token, Replies.line(reply), now: now)
          next = resumed
        case .event(let event):
          _ = server.write(token, Replies.line(Replies.event(event)), now: now)
          next = event.sequence + 1
        }
      }
      streams[token] = .events(next: next)
    }
  }

  /// What the screens say now, where it is another thing than before.
  func noteScreens() {
    let touched = EventLog.Happening.touch(touched: touch.screens.isTouched, contacts: touch.screens.contacts)
    if touched != lastTouch {
      lastTouch = touched
      events.add(touched, at: SystemClock.wall)
    }
    for (name, gate) in touch.screens.gates {
      noteScreen(name, .screen(name, state: Words.state(gate.state), contacts: gate.contacts))
    }
    for name in touch.screens.absences.keys { noteScreen(name, .screen(name, state: "unknown", contacts: 0)) }
    for name in lastScreens.keys where !touch.screens.isKnown(name) {
      lastScreens[name] = nil
      events.add(.screen(name, state: "gone", contacts: 0), at: SystemClock.wall)
    }
  }

  private func noteScreen(_ name: String, _ happening: EventLog.Happening) {
    if lastScreens[name] == happening { return }
    lastScreens[name] = happening
    events.add(happening, at: SystemClock.wall)
  }

  func note(_ update: Update, _ state: String) {
    events.add(.update(id: update.id.text, handler: update.handler, state: state), at: SystemClock.wall)
  }
}
