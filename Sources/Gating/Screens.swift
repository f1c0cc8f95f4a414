public import Timeline
public import TouchModel

/// All screens of the machine with a gate each, and what holds for the machine as a whole: at start, and where there
/// is no screen at all.
public struct Screens: Sendable {
  public enum Machine: Equatable, Sendable {
    /// The first enumeration is not done.
    case starting(since: Instant)
    /// No touchscreen was found, and the time to wait for a first one runs.
    case noScreenYet(since: Instant, until: Instant)
    /// Open, as far as it is not a matter of one screen.
    case clear(since: Instant)
  }

  public private(set) var machine: Machine
  public private(set) var gates: [String: Gate] = [:]
  private let firstScreenTimeout: Duration

  public init(at now: Instant, firstScreenTimeout: Duration) {
    machine = .starting(since: now)
    self.firstScreenTimeout = firstScreenTimeout
  }

  public var contacts: Int { gates.values.reduce(0) { $0 + $1.contacts } }

  public var isTouched: Bool { gates.values.contains(where: \.isTouched) }

  public var nextDeadline: Instant? {
    var deadlines = gates.values.compactMap(\.nextDeadline)
    if case .noScreenYet(since: _, let until) = machine { deadlines.append(until) }
    return deadlines.min()
  }

  /// The devices that were there at start are opened and have their snapshots.
  public mutating func enumerated(at now: Instant) {
    if gates.isEmpty {
      machine = .noScreenYet(since: now, until: now + firstScreenTimeout)
    } else {
      machine = .clear(since: now)
    }
  }

  public mutating func deviceAdded(_ device: DeviceID, name: String, screen: String, at now: Instant) {
    gates[screen, default: Gate(at: now)].deviceAdded(device, name: name, at: now)
    if case .noScreenYet = machine { machine = .clear(since: now) }
  }

  public mutating func deviceReady(_ device: DeviceID, screen: String, at now: Instant) {
    gates[screen]?.deviceReady(device, at: now)
  }

  public mutating func deviceUnreadable(
    _ device: DeviceID, name: String, screen: String, why: String, at now: Instant
  ) {
    gates[screen, default: Gate(at: now)].deviceUnreadable(device, name: name, why: why, at: now)
    if case .noScreenYet = machine { machine = .clear(since: now) }
  }

  public mutating func deviceGone(_ device: DeviceID, screen: String, at now: Instant) {
    gates[screen]?.deviceGone(device, at: now)
    forgetEmpty()
  }

  public mutating func handle(_ change: ContactChange, of device: DeviceID, screen: String, at now: Instant) {
    gates[screen]?.handle(change, of: device, at: now)
  }

  public mutating func timePassed(_ now: Instant) {
    for name in gates.keys { gates[name]?.timePassed(now) }
    forgetEmpty()
    if case .noScreenYet(since: _, let until) = machine, until <= now { machine = .clear(since: until) }
  }

  /// A screen that is gone is no reason to apply at once: what was its time of clearness is the machine's now.
  private mutating func forgetEmpty() {
    for gate in gates.values where gate.isEmpty {
      if case .clear(let last) = gate.state, case .clear(let since) = machine {
        machine = .clear(since: max(since, last))
      }
    }
    gates = gates.filter { !$0.value.isEmpty }
  }
}
