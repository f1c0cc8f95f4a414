import FoundationEssentials
import Gating
import Scheduling
import SocketServer
import Timeline
import TouchgateAPI

/// Values of the service in the shapes of the socket.
enum Replies {
  static func json(_ status: Int, _ value: some Encodable, headers: [HTTPHeader] = []) -> HTTPResponse {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Every value is a struct of strings, numbers and lists: it cannot fail to encode.
    let body = (try? encoder.encode(value)).map { Array($0) } ?? []
    return HTTPResponse(status: status, body: body + [UInt8(ascii: "\n")], headers: headers)
  }

  static func problem(_ status: Int, _ problem: Problem, headers: [HTTPHeader] = []) -> HTTPResponse {
    json(status, ProblemReply(problem), headers: headers)
  }

  static func blocker(_ blocker: Blocker, now: Instant) -> BlockerReply {
    BlockerReply(
      code: blocker.code.rawValue, since: Clock.rfc3339(blocker.since, now: now), screen: blocker.screen,
      device: blocker.device, contacts: blocker.contacts, owner: blocker.owner, reason: blocker.reason,
      clears: blocker.clears)
  }

  /// `scheduler` knows the state of what has not ended; the store knows the rest.
  static func update(_ stored: StoredUpdate, _ scheduler: Scheduler, now: Instant) -> UpdateReply {
    var result: ResultReply?
    if case .finished(let end) = stored.state {
      result = ResultReply(
        exitCode: end.exitCode, message: end.message, finishedAt: end.finishedAt.rfc3339,
        releaseToStartMs: end.releaseToStartMilliseconds)
    }
    let id = stored.update.id
    return UpdateReply(
      id: id.text, handler: stored.update.handler, state: stored.state.name,
      createdAt: stored.update.createdAt.rfc3339, attempts: scheduler.attempts(of: id) ?? stored.attempts,
      checks: scheduler.checks(of: id),
      blockers: scheduler.blockers(of: id, at: now).map { blocker($0, now: now) }, result: result)
  }

  static func gate(_ state: Gate.State, now: Instant) -> GateReply {
    switch state {
    case .unknown(let why, let since):
      GateReply(state: "unknown", since: Clock.rfc3339(since, now: now), reason: Words.unknown(why))
    case .touched(_, let since):
      GateReply(state: "touched", since: Clock.rfc3339(since, now: now))
    case .clear(let since):
      GateReply(state: "clear", since: Clock.rfc3339(since, now: now))
    }
  }

  static func machine(_ screens: Screens, now: Instant) -> GateReply {
    switch screens.machine {
    case .starting(let since):
      return GateReply(state: "unknown", since: Clock.rfc3339(since, now: now), reason: Words.starting)
    case .noScreenYet(let since, _):
      return GateReply(state: "unknown", since: Clock.rfc3339(since, now: now), reason: Words.noScreenYet)
    case .clear(let since):
      // Of all screens: touched before unknown before the latest that became clear.
      let states = screens.gates.values.map(\.state)
      let worst = states.max { rank($0) < rank($1) }
      return worst.map { gate($0, now: now) } ?? GateReply(state: "clear", since: Clock.rfc3339(since, now: now))
    }
  }

  private static func rank(_ state: Gate.State) -> (Int, Instant) {
    switch state {
    case .clear(let since): (0, since)
    case .unknown(_, let since): (1, since)
    case .touched(_, let since): (2, since)
    }
  }

  static func screens(_ input: TouchInput, now: Instant) -> [ScreenReply] {
    input.screens.gates.sorted { $0.key < $1.key }.map { name, gate in
      let reply = Replies.gate(gate.state, now: now)
      var contacts = 0
      if case .touched(let count, since: _) = gate.state { contacts = count }
      return ScreenReply(
        name: name, state: reply.state, since: reply.since, contacts: contacts,
        devices: input.devices.filter { $0.screen == name }.map {
          DeviceReply(node: $0.node, name: $0.name, path: $0.path, health: $0.health)
        })
    }
  }
}

/// What states are called where people read them.
enum Words {
  static let starting = "the service is starting"
  static let noScreenYet = "no touchscreen was found yet"

  static func unknown(_ why: Gate.Unknown) -> String {
    switch why {
    case .starting(let device): "the state of \(device) is being read for the first time"
    case .unreadable(_, let why): why
    case .eventsLost(let device): "events of \(device) were lost; its state is being read"
    }
  }
}
