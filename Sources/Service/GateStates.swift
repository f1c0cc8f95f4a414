import ControlAPI
import DeviceRules
import Gating
import Scheduling
import Timeline
import TouchDevices

extension TouchInput {
  /// What the scheduler is told: the gate states, and the machine blocked while it goes to sleep or a frame is incomplete.
  var gateStates: [GateScope: GateState] {
    var states = screens.gateStates
    for frame in cutFrames {
      states[.machine] = .blocked(
        Blocker(
          code: .unknown, since: frame.since, device: frame.device,
          reason: .words("a frame of \(frame.device) is incomplete"), clears: .frameEnds))
    }
    if let (node, since) = pendingNode {
      states[.machine] = .blocked(
        Blocker(
          code: .unknown, since: since, device: node.name, reason: .words(Words.unreported(node: node.node)),
          clears: .devicesAreOpened))
    }
    if let since = sleepsSince {
      states[.machine] = .blocked(
        Blocker(code: .unknown, since: since, reason: .words(Words.goesToSleep), clears: .machineIsAwake))
    }
    return states
  }
}

/// The gates' states in the terms of the scheduler.
extension Screens {
  /// One for each screen, and one for the machine itself.
  var gateStates: [GateScope: GateState] {
    var states = Dictionary(
      uniqueKeysWithValues: gates.map { (GateScope.screen($0.key), $0.value.gateState(screen: $0.key)) })
    switch machine {
    case .starting(let since):
      states[.machine] = .blocked(
        Blocker(code: .unknown, since: since, reason: .words(Words.starting), clears: .devicesAreOpened))
    case .noScreenYet(let since, let until):
      states[.machine] = .blocked(
        Blocker(
          code: .unknown, since: since, reason: .words(Words.noScreenYet), clears: .screenIsFound(orAt: until)))
    case .noScreen(let since):
      states[.machine] = .blocked(
        Blocker(
          code: .unknown, since: since, reason: .words(Words.noScreen), clears: .screenIsFound(orAt: nil)))
    case .clear(let since):
      states[.machine] = .clear(since: since)
    }
    for (name, absence) in absences { states[.screen(name)] = absence.gateState(screen: name, isNamed: isNamed(name)) }
    return states
  }
}

extension Screens.Absence {
  fileprivate func gateState(screen: String, isNamed: Bool) -> GateState {
    let clears: Blocker.Clears
    switch reach {
    case .grace(let until) where !isNamed: clears = .screenIsBackOrForgotten(screen, orAt: until)
    case .all where !isNamed: clears = .screenIsBackOrForgotten(screen, orAt: nil)
    case .grace(let until): clears = .screenIsBack(orAt: until)
    case .all: clears = .screenIsBack(orAt: nil)
    case .own: clears = .ownScreenIsBack
    }
    let blocker = Blocker(code: .unknown, since: since, screen: screen, reason: .words(Words.missing), clears: clears)
    return reach == .own ? .absent(blocker) : .blocked(blocker)
  }
}

extension Gate {
  fileprivate func gateState(screen: String) -> GateState {
    switch state {
    case .clear(let since):
      return .clear(since: since)
    case .touched(0, let since):
      return .blocked(
        Blocker(
          code: .touched, since: since, screen: screen, contacts: 0,
          reason: .words("unplugged or suspended while touched"), clears: .graceTimeEnds))
    case .touched(let contacts, let since):
      return .blocked(
        Blocker(
          code: .touched, since: since, screen: screen, device: touchedDevice, contacts: contacts,
          clears: .contactsEnd))
    case .stuck(let contacts, let since):
      return .blocked(
        Blocker(
          code: .stuck, since: since, screen: screen, device: touchedDevice, contacts: contacts,
          reason: .words("the contact has not changed for longer than StuckAfter="), clears: .stuckContactChanges))
    case .unknown(let why, let since):
      var blocker = Blocker(
        code: .unknown, since: since, screen: screen, reason: .words(Words.unknown(why)),
        clears: .screenIsRead)
      switch why {
      case .starting(let device), .unreadable(let device, why: _), .eventsLost(let device): blocker.device = device
      }
      return .blocked(blocker)
    }
  }
}
