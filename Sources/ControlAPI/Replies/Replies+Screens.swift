public import Gating
import Timeline
public import TouchgateAPI

/// Gates and screens as replies.
extension Replies {
  public func gate(_ state: Gate.State) -> GateReply {
    switch state {
    case .unknown(let why, let since): gate(unknown: Words.unknown(why), since)
    case .touched(_, let since): GateReply(state: "touched", since: clock.rfc3339(since))
    case .stuck(let contacts, let since):
      GateReply(state: "touched", since: clock.rfc3339(since), reason: Words.stuck(contacts))
    case .clear(let since): GateReply(state: "clear", since: clock.rfc3339(since))
    }
  }

  /// All screens together: touched before unknown before the latest that became clear.
  public func machine(_ snapshot: ScreensSnapshot) -> GateReply {
    if let since = snapshot.sleepsSince { return gate(unknown: Words.goesToSleep, since) }
    let screens = snapshot.screens
    switch screens.machine {
    case .starting(let since): return gate(unknown: Words.starting, since)
    case .noScreenYet(let since, _): return gate(unknown: Words.noScreenYet, since)
    case .noScreen(let since): return gate(unknown: Words.noScreen, since)
    case .clear(let since):
      let worst = screens.gates.values.map(\.state).max { rank($0) < rank($1) }
      let missing = screens.absences.filter { $0.value.reach != .own }.min { $0.key < $1.key }
      let isTouched = worst.map { rank($0).0 == 2 } ?? false
      if let pending = snapshot.pending, !isTouched {
        return gate(unknown: Words.unreported(node: pending.node), pending.since)
      }
      if let missing, !isTouched {
        return gate(unknown: Words.missing(missing.key), missing.value.since)
      }
      return worst.map(gate) ?? GateReply(state: "clear", since: clock.rfc3339(since))
    }
  }

  /// Present and missing screens, by name.
  public func screens(_ snapshot: ScreensSnapshot) -> [ScreenReply] {
    let missing = snapshot.screens.absences.map { name, absence in
      ScreenReply(
        name: name, state: "unknown", since: clock.rfc3339(absence.since), contacts: 0, devices: [],
        reason: Words.missing)
    }
    let present = snapshot.screens.gates.map { name, gate in
      let reply = self.gate(gate.state)
      return ScreenReply(
        name: name, state: reply.state, since: reply.since, contacts: gate.contacts,
        devices: snapshot.devices.filter { $0.screen == name }.map {
          DeviceReply(node: $0.node, name: $0.name, path: $0.path, health: $0.health)
        }, reason: reply.reason)
    }
    return (present + missing).sorted { $0.name < $1.name }
  }

  private func gate(unknown reason: String, _ since: Instant) -> GateReply {
    GateReply(state: "unknown", since: clock.rfc3339(since), reason: reason)
  }

  private func rank(_ state: Gate.State) -> (Int, Instant) {
    switch state {
    case .clear(let since): (0, since)
    case .unknown(_, let since): (1, since)
    case .touched(_, let since), .stuck(_, let since): (2, since)
    }
  }
}
