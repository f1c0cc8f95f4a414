import FoundationEssentials
import Gating
import Scheduling
import SocketServer
import Timeline
import TouchgateAPI

/// Values of the service in the shapes of the socket, as things stand now.
struct Replies {
  let clock: Clock
  let scheduler: Scheduler
  let now: Instant

  static func json(_ status: Int, _ value: some Encodable, headers: [HTTPHeader] = []) -> HTTPResponse {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Every value is a struct of strings, numbers and lists: it cannot fail to encode.
    let body = (try? encoder.encode(value)).map { Array($0) } ?? []
    return HTTPResponse(status: status, body: body + [UInt8(ascii: "\n")], headers: headers)
  }

  /// A line of a stream.
  static func line(_ value: some Encodable) -> [UInt8] { json(200, value).body }

  static func event(_ event: EventLog.Event) -> EventReply {
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

  func hold(_ hold: Hold) -> HoldReply {
    HoldReply(
      id: hold.id.text, screen: hold.screen, uid: hold.owner.uid, pid: hold.owner.pid, unit: hold.unit,
      reason: hold.reason, since: hold.since.rfc3339, until: hold.until?.rfc3339)
  }

  static func problem(_ status: Int, _ problem: Problem, headers: [HTTPHeader] = []) -> HTTPResponse {
    json(status, ProblemReply(problem), headers: headers)
  }

  func blocker(_ blocker: Blocker) -> BlockerReply {
    BlockerReply(
      code: blocker.code.rawValue, since: clock.rfc3339(blocker.since), screen: blocker.screen,
      device: blocker.device, contacts: blocker.contacts, owner: blocker.owner, reason: blocker.reason?.wording,
      clears: blocker.clears.wording(at: now))
  }

  /// `scheduler` knows the state of what has not ended; the store knows the rest.
  func update(_ stored: StoredUpdate) -> UpdateReply {
    var result: ResultReply?
    if case .finished(let end) = stored.state {
      result = ResultReply(
        exitCode: end.exitCode, message: end.message, finishedAt: end.finishedAt.rfc3339,
        releaseToStartMs: end.releaseToStartMilliseconds, successor: end.successor?.text)
    }
    let id = stored.update.id
    return UpdateReply(
      id: id.text, handler: stored.update.handler, key: stored.update.key, state: stored.state.name,
      createdAt: stored.update.createdAt.rfc3339, attempts: scheduler.attempts(of: id) ?? stored.attempts,
      checks: scheduler.rechecks(of: id),
      blockers: scheduler.blockers(of: id, at: now).map(blocker),
      blockedMs: (scheduler.blockedTimes(of: id, at: now) ?? stored.blocked).milliseconds,
      screen: stored.update.screen,
      overrode: stored.overrode.isEmpty ? nil : stored.overrode.map(\.rawValue), result: result)
  }

  func pause(_ pause: OperatorPause) -> PauseReply {
    PauseReply(since: pause.since.rfc3339, uid: pause.by.uid, reason: pause.reason)
  }

  func gate(_ state: Gate.State) -> GateReply {
    switch state {
    case .unknown(let why, let since):
      GateReply(state: "unknown", since: clock.rfc3339(since), reason: Words.unknown(why))
    case .touched(_, let since):
      GateReply(state: "touched", since: clock.rfc3339(since))
    case .stuck(let contacts, let since):
      GateReply(
        state: "touched", since: clock.rfc3339(since), reason: "\(contacts) contacts are stuck")
    case .clear(let since):
      GateReply(state: "clear", since: clock.rfc3339(since))
    }
  }

  func machine(_ input: TouchInput) -> GateReply {
    if let since = input.sleepsSince {
      return GateReply(state: "unknown", since: clock.rfc3339(since), reason: Words.goesToSleep)
    }
    let screens = input.screens
    switch screens.machine {
    case .starting(let since):
      return GateReply(state: "unknown", since: clock.rfc3339(since), reason: Words.starting)
    case .noScreenYet(let since, _):
      return GateReply(state: "unknown", since: clock.rfc3339(since), reason: Words.noScreenYet)
    case .noScreen(let since):
      return GateReply(state: "unknown", since: clock.rfc3339(since), reason: Words.noScreen)
    case .clear(let since):
      // Of all screens: touched before unknown before the latest that became clear.
      let states = screens.gates.values.map(\.state)
      let worst = states.max { rank($0) < rank($1) }
      let missing = screens.absences.filter { $0.value.reach != .own }.min { $0.key < $1.key }
      if let missing, worst.map({ rank($0).0 < 2 }) ?? true {
        return GateReply(
          state: "unknown", since: clock.rfc3339(missing.value.since), reason: "screen '\(missing.key)' is missing")
      }
      return worst.map(gate) ?? GateReply(state: "clear", since: clock.rfc3339(since))
    }
  }

  private func rank(_ state: Gate.State) -> (Int, Instant) {
    switch state {
    case .clear(let since): (0, since)
    case .unknown(_, let since): (1, since)
    case .touched(_, let since), .stuck(_, let since): (2, since)
    }
  }

  func screens(_ input: TouchInput) -> [ScreenReply] {
    let missing = input.screens.absences.map { name, absence in
      ScreenReply(
        name: name, state: "unknown", since: clock.rfc3339(absence.since), contacts: 0, devices: [],
        reason: Words.missing)
    }
    let there = input.screens.gates.map { name, gate in
      let reply = self.gate(gate.state)
      return ScreenReply(
        name: name, state: reply.state, since: reply.since, contacts: gate.contacts,
        devices: input.devices.filter { $0.screen == name }.map {
          DeviceReply(node: $0.node, name: $0.name, path: $0.path, health: $0.health)
        }, reason: reply.reason)
    }
    return (there + missing).sorted { $0.name < $1.name }
  }
}

/// What states are called where people read them.
enum Words {
  static func state(_ state: Gate.State) -> String {
    switch state {
    case .unknown: "unknown"
    case .touched, .stuck: "touched"
    case .clear: "clear"
    }
  }

  static let starting = "the service is starting"
  static let noScreen = "no touchscreen was found (OnNoScreen=hold)"
  static let goesToSleep = "the machine is going to sleep"
  static let missing = "the screen is missing"
  static let noScreenYet = "no touchscreen was found yet"

  static func unknown(_ why: Gate.Unknown) -> String {
    switch why {
    case .starting(let device): "the state of \(device) is being read for the first time"
    case .unreadable(_, let why): why
    case .eventsLost(let device): "events of \(device) were lost; its state is being read"
    }
  }
}
