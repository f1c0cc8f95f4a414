import ControlAPI
import Gating
import Scheduling
import Timeline
import TouchDevices

extension TouchInput {
  /// What the scheduler is told: the gate states, and the machine shut while it goes to sleep or a frame is incomplete.
  var passages: [String: Passage] {
    var passages = screens.passages
    for frame in cutFrames {
      passages[""] = .shut(
        Blocker(
          code: .unknown, since: frame.since, device: frame.device,
          reason: "a frame of \(frame.device) is not complete",
          clears: "within 20 ms"))
    }
    if let since = sleepsSince {
      passages[""] = .shut(
        Blocker(code: .unknown, since: since, reason: Words.goesToSleep, clears: "when it has been awake again"))
    }
    return passages
  }
}

/// The gates' states in the terms of the scheduler.
extension Screens {
  /// One for each screen, and the machine itself under the empty name.
  var passages: [String: Passage] {
    var passages = Dictionary(uniqueKeysWithValues: gates.map { ($0.key, $0.value.passage(screen: $0.key)) })
    switch machine {
    case .starting(let since):
      passages[""] = .shut(
        Blocker(code: .unknown, since: since, reason: Words.starting, clears: "when all devices are opened"))
    case .noScreenYet(let since, let until):
      let wait = TimeSpan.describe(until - since)
      passages[""] = .shut(
        Blocker(
          code: .unknown, since: since, reason: Words.noScreenYet,
          clears: "when one is found, or \(wait) after the start without one"))
    case .noScreen(let since):
      passages[""] = .shut(
        Blocker(
          code: .unknown, since: since, reason: Words.noScreen,
          clears: "when one is found; OnNoScreen=apply would go on"))
    case .clear(let since):
      passages[""] = .clear(since: since)
    }
    for (name, absence) in absences { passages[name] = absence.passage(screen: name) }
    return passages
  }
}

extension Screens.Absence {
  fileprivate func passage(screen: String) -> Passage {
    let clears: String
    switch reach {
    case .grace(let until): clears = "when it is back, or \(TimeSpan.describe(until - since)) after it was missed"
    case .all: clears = "when it is back"
    case .own: clears = "when it is back; only updates for it wait"
    }
    let blocker = Blocker(code: .unknown, since: since, screen: screen, reason: Words.missing, clears: clears)
    return reach == .own ? .absent(blocker) : .shut(blocker)
  }
}

extension Gate {
  fileprivate func passage(screen: String) -> Passage {
    switch state {
    case .clear(let since):
      return .clear(since: since)
    case .touched(0, let since):
      return .shut(
        Blocker(
          code: .touched, since: since, screen: screen, contacts: 0, reason: "unplugged or suspended while touched",
          clears: "when the grace time after it is over"))
    case .touched(let contacts, let since):
      return .shut(
        Blocker(
          code: .touched, since: since, screen: screen, device: touchedDevice, contacts: contacts,
          clears: "when the last contact ends"))
    case .stuck(let contacts, let since):
      return .shut(
        Blocker(
          code: .stuck, since: since, screen: screen, device: touchedDevice, contacts: contacts,
          reason: "nothing of it has changed for longer than StuckAfter=",
          clears: "when it changes or ends; OnStuck=ignore would leave it out"))
    case .unknown(let why, let since):
      var blocker = Blocker(
        code: .unknown, since: since, screen: screen, reason: Words.unknown(why),
        clears: "when the state of the screen could be read")
      switch why {
      case .starting(let device), .unreadable(let device, why: _), .eventsLost(let device): blocker.device = device
      }
      return .shut(blocker)
    }
  }
}
