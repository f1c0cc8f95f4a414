public import Timeline
public import TouchModel

/// All screens of the machine with a gate each, screens that are missing, and the state of the machine as a whole: at
/// start, and without any screen.
public struct Screens: Sendable {
  /// The state of the machine as a whole.
  public enum Machine: Equatable, Sendable {
    /// The first enumeration has not finished.
    case starting(since: Instant)
    /// No touchscreen was found yet; the wait for a first one ends at `until`.
    case noScreenYet(since: Instant, until: Instant)
    /// No touchscreen was found, and nothing is applied without one.
    case noScreen(since: Instant)
    /// Only the gates of the screens decide.
    case clear(since: Instant)
  }

  /// `OnNoScreen=`: what applies without a screen that was there before, and without any.
  public enum OnNoScreen: String, Equatable, Sendable, CaseIterable {
    /// After the grace time, updates are applied without it.
    case apply
    case hold
  }

  /// What the administrator decides.
  public struct Rules: Equatable, Sendable {
    /// `FirstScreenTimeout=`: how long to wait at start for a first screen.
    public var firstScreenTimeout: Duration
    /// `MissingScreenGrace=`: how long all updates wait for a missing screen.
    public var missingGrace: Duration
    /// `OnNoScreen=`.
    public var onNoScreen: OnNoScreen
    /// Screens with a section in the configuration: they are known, present or not.
    public var named: Set<String>
    /// Nothing is applied if one of these is missing.
    public var required: Set<String>

    public init(
      firstScreenTimeout: Duration = .seconds(10), missingGrace: Duration = .seconds(60),
      onNoScreen: OnNoScreen = .apply, named: Set<String> = [], required: Set<String> = []
    ) {
      self.firstScreenTimeout = firstScreenTimeout
      self.missingGrace = missingGrace
      self.onNoScreen = onNoScreen
      self.named = named
      self.required = required
    }
  }

  /// A screen that is known and missing.
  public struct Absence: Equatable, Sendable {
    /// Which updates wait for it.
    public enum Reach: Equatable, Sendable {
      /// All updates, until then.
      case grace(until: Instant)
      /// All updates.
      case all
      /// Only updates for it.
      case own
    }

    /// Since when the screen has been missing.
    public let since: Instant
    /// Which updates wait for it.
    public var reach: Reach
  }

  /// The state of the machine as a whole.
  public private(set) var machine: Machine
  /// The gates of the present screens, by name.
  public private(set) var gates: [String: Gate] = [:]
  /// The missing screens that updates wait for, by name.
  public private(set) var absences: [String: Absence] = [:]
  private let rules: Rules
  /// Screens that are missing if they are absent, in addition to those of the rules.
  private var remembered: Set<String>

  /// `remembered`: screens that the machine has had before.
  public init(at now: Instant, rules: Rules, remembered: Set<String> = []) {
    machine = .starting(since: now)
    self.rules = rules
    self.remembered = remembered
    for name in rules.named.union(rules.required).union(remembered) { miss(name, at: now) }
  }

  /// Number of contacts on all screens.
  public var contacts: Int { gates.values.reduce(0) { $0 + $1.contacts } }

  /// Whether any screen is touched, or its grace time runs.
  public var isTouched: Bool { gates.values.contains(where: \.isTouched) }

  /// Updates are applied although there is no screen.
  public var isWithoutAny: Bool { if case .clear = machine { gates.isEmpty } else { false } }

  /// Present, or known to be missing.
  public func isKnown(_ screen: String) -> Bool { gates[screen] != nil || absences[screen] != nil }

  /// When to call `timePassed`; nil: never.
  public var nextDeadline: Instant? {
    var deadlines = gates.values.compactMap(\.nextDeadline)
    if case .noScreenYet(since: _, let until) = machine { deadlines.append(until) }
    for absence in absences.values {
      if case .grace(let until) = absence.reach { deadlines.append(until) }
    }
    return deadlines.min()
  }

  /// The devices that were present at start are open, and their slot tables were read.
  public mutating func enumerated(at now: Instant) {
    if gates.isEmpty {
      machine = .noScreenYet(since: now, until: now + rules.firstScreenTimeout)
    } else {
      machine = .clear(since: now)
    }
  }

  /// A device of a screen was found; see `Gate.deviceAdded`.
  public mutating func deviceAdded(_ device: DeviceID, name: String, screen: String, at now: Instant) {
    arrived(screen, at: now)
    gates[screen, default: Gate(at: now)].deviceAdded(device, name: name, at: now)
  }

  /// The first slot table of a device was read; see `Gate.deviceReady`.
  public mutating func deviceReady(_ device: DeviceID, screen: String, at now: Instant) {
    gates[screen]?.deviceReady(device, at: now)
  }

  /// A device cannot be opened or read; see `Gate.deviceUnreadable`.
  public mutating func deviceUnreadable(
    _ device: DeviceID, name: String, screen: String, why: String, at now: Instant
  ) {
    arrived(screen, at: now)
    gates[screen, default: Gate(at: now)].deviceUnreadable(device, name: name, why: why, at: now)
  }

  /// A device was removed; see `Gate.deviceGone`.
  public mutating func deviceGone(_ device: DeviceID, screen: String, at now: Instant) {
    gates[screen]?.deviceGone(device, at: now)
    forgetEmpty(at: now)
  }

  /// Applies a change of a device's contacts.
  public mutating func handle(_ change: ContactChange, of device: DeviceID, screen: String, at now: Instant) {
    gates[screen]?.handle(change, of: device, at: now)
  }

  /// Ends grace times, and the wait for a first screen, that are over.
  public mutating func timePassed(_ now: Instant) {
    for name in Array(gates.keys) { gates[name]?.timePassed(now) }
    forgetEmpty(at: now)
    if case .noScreenYet(since: let since, let until) = machine, until <= now {
      machine = rules.onNoScreen == .apply ? .clear(since: until) : .noScreen(since: since)
    }
    for (name, absence) in absences {
      guard case .grace(let until) = absence.reach, until <= now else { continue }
      giveUp(name)
    }
  }

  // MARK: Missing screens

  /// From now on these screens are missing if they are absent.
  public mutating func remember(_ names: Set<String>) { remembered.formUnion(names) }

  /// The screen is no longer missing if it is absent, unless the rules name it.
  public mutating func forget(_ name: String) {
    remembered.remove(name)
    if !isNamed(name) { absences[name] = nil }
  }

  /// The rules name it: it is known, whether the machine has ever had it or not.
  public func isNamed(_ name: String) -> Bool { rules.named.contains(name) || rules.required.contains(name) }

  private mutating func arrived(_ screen: String, at now: Instant) {
    absences[screen] = nil
    switch machine {
    case .noScreenYet, .noScreen: machine = .clear(since: now)
    case .starting, .clear: break
    }
  }

  private mutating func miss(_ name: String, at now: Instant) {
    if rules.required.contains(name) {
      absences[name] = Absence(since: now, reach: .all)
    } else {
      absences[name] = Absence(since: now, reach: .grace(until: now + rules.missingGrace))
      if rules.missingGrace == .zero { giveUp(name) }
    }
  }

  /// Its grace time has ended.
  private mutating func giveUp(_ name: String) {
    switch rules.onNoScreen {
    case .hold: absences[name]?.reach = .all
    case .apply where rules.named.contains(name): absences[name]?.reach = .own
    case .apply: absences[name] = nil
    }
  }

  /// The removal of a screen is no reason to apply at once: the machine takes over the time since which it was clear.
  private mutating func forgetEmpty(at now: Instant) {
    for (name, gate) in gates where gate.isEmpty {
      if case .clear(let last) = gate.state, case .clear(let since) = machine {
        machine = .clear(since: max(since, last))
      }
      gates[name] = nil
      if isNamed(name) || remembered.contains(name) { miss(name, at: now) }
      if gates.isEmpty && rules.onNoScreen == .hold { machine = .noScreen(since: now) }
    }
  }
}
