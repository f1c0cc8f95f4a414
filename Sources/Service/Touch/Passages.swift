import Gating
import Scheduling
import Timeline

/// Gates as the scheduler is told of them.
extension Screens {
  /// One for each screen, and the machine itself under the empty name.
  var passages: [String: GateState] {
    var passages = Dictionary(uniqueKeysWithValues: gates.map { ($0.key, $0.value.passage(screen: $0.key)) })
    switch machine {
    case .starting(let since):
      passages[""] = .blocked(
        Blocker(code: .unknown, since: since, reason: .words(Words.starting), clears: .devicesAreOpened))
    case .noScreenYet(let since, let until):
      passages[""] = .blocked(
        Blocker(
          code: .unknown, since: since, reason: .words(Words.noScreenYet), clears: .screenIsFound(orAt: until)))
    case .noScreen(let since):
      passages[""] = .blocked(
        Blocker(
          code: .unknown, since: since, reason: .words(Words.noScreen), clears: .screenIsFound(orAt: nil)))
    case .clear(let since):
      passages[""] = .clear(since: since)
    }
    for (name, absence) in absences { passages[name] = absence.passage(screen: name) }
    return passages
  }
}

extension Screens.Absence {
  fileprivate func passage(screen: String) -> GateState {
    let clears: Blocker.Clears
    switch reach {
    case .grace(let until): clears = .screenIsBack(orAt: until)
    case .all: clears = .screenIsBack(orAt: nil)
    case .own: clears = .ownScreenIsBack
    }
    let blocker = Blocker(code: .unknown, since: since, screen: screen, reason: .words(Words.missing), clears: clears)
    return reach == .own ? .absent(blocker) : .blocked(blocker)
  }
}

extension Gate {
  fileprivate func passage(screen: String) -> GateState {
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
