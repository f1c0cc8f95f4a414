public import Timeline
public import TouchModel

/// One device of a screen: its syspath in udev. Never eventN, which another device may get after replugging.
public struct DeviceID: Hashable, Sendable {
  public let syspath: String

  public init(_ syspath: String) { self.syspath = syspath }
}

/// Whether a screen may be changed now: the contacts of its devices in, `unknown`, `touched` or `clear` out. Knows
/// neither updates nor quiet periods.
public struct Gate: Sendable {
  public enum State: Equatable, Sendable {
    /// Shut: what is on the glass is not known.
    case unknown(Unknown, since: Instant)
    /// Shut: so many contacts; 0 while a grace time runs.
    case touched(contacts: Int, since: Instant)
    /// Shut: all contacts that are left are stuck, and `OnStuck=hold`.
    case stuck(contacts: Int, since: Instant)
    /// No contact since then; after `unknown`, since the good snapshot.
    case clear(since: Instant)
  }

  public enum Unknown: Equatable, Sendable {
    /// The device was found and its first snapshot is not taken yet.
    case starting(device: String)
    /// A known touchscreen that cannot be opened or read.
    case unreadable(device: String, why: String)
    /// The kernel dropped events, and the snapshot after them is not taken yet.
    case eventsLost(device: String)
  }

  /// After a device went away with fingers on it: re-enumeration puts it back within this time, with the same fingers.
  /// Also after the kernel released the keys itself: that is the first that is heard of an unplug (the device is gone
  /// some milliseconds later), and the fingers have not moved. Tried on a test kernel: without it an update was applied
  /// between the two.
  public static let grace: Duration = .seconds(2)

  private struct Device: Sendable {
    let name: String
    var condition: Condition
    var contacts: Set<Contact> = []
    var stuck: Set<Contact> = []
  }

  private enum Condition: Sendable {
    case starting
    /// It has been opened, but has no table, and has not spoken yet.
    case unheard
    case ready
    case eventsLost
    case unreadable(String)
  }

  public private(set) var state: State
  private var devices: [DeviceID: Device] = [:]
  private var graceEnds: Instant?
  /// The latest end of a contact or other sign that somebody was there; the latest good snapshot after `unknown`.
  private var quietSince: Instant

  public init(at now: Instant) {
    quietSince = now
    state = .clear(since: now)
  }

  public var contacts: Int {
    switch state {
    case .touched(let contacts, since: _), .stuck(let contacts, since: _): contacts
    case .unknown, .clear: 0
    }
  }

  /// The first device with a contact on it.
  public var touchedDevice: String? {
    devices.filter { !$0.value.contacts.isEmpty }.min { $0.key.syspath < $1.key.syspath }?.value.name
  }

  /// A contact is on it, or a grace time runs.
  public var isTouched: Bool {
    switch state {
    case .touched, .stuck: true
    case .unknown, .clear: false
    }
  }

  /// No device is left, and no grace time runs: the screen can be forgotten.
  public var isEmpty: Bool { devices.isEmpty && graceEnds == nil }

  public var nextDeadline: Instant? { graceEnds }

  // MARK: Inputs

  public mutating func deviceAdded(_ id: DeviceID, name: String, at now: Instant) {
    devices[id] = Device(name: name, condition: .starting)
    update(at: now)
  }

  /// The first snapshot was good; its contacts have been given to `handle` before. Where these left the device
  /// uncertain it stays so, up to `becameCertain`.
  public mutating func deviceReady(_ id: DeviceID, at now: Instant) {
    switch devices[id]?.condition {
    case .starting, .unreadable, .ready: devices[id]?.condition = .ready
    case .unheard, .eventsLost, nil: break
    }
    quietSince = max(quietSince, now)
    if graceEnds != nil { graceEnds = now + Self.grace }
    update(at: now)
  }

  public mutating func deviceUnreadable(_ id: DeviceID, name: String, why: String, at now: Instant) {
    devices[id] = Device(name: name, condition: .unreadable(why), contacts: devices[id]?.contacts ?? [])
    update(at: now)
  }

  public mutating func deviceGone(_ id: DeviceID, at now: Instant) {
    guard let device = devices.removeValue(forKey: id) else { return }
    if !device.contacts.isEmpty || graceEnds != nil { graceEnds = now + Self.grace }
    update(at: now)
  }

  public mutating func handle(_ change: ContactChange, of id: DeviceID, at now: Instant) {
    switch change {
    case .began(let contact, at: _):
      devices[id]?.contacts.insert(contact)
    case .ended(let contact, let cause, at: let time):
      devices[id]?.contacts.remove(contact)
      devices[id]?.stuck.remove(contact)
      quietSince = max(quietSince, time)
      // From now on: a finger that stays has not had its chance to speak while the machine slept.
      if cause == .keysReleased { graceEnds = now + Self.grace }
    case .stuck(let contact, at: _):
      devices[id]?.stuck.insert(contact)
    case .unstuck(let contact, at: _):
      devices[id]?.stuck.remove(contact)
    case .activity(at: let time):
      quietSince = max(quietSince, time)
    case .becameUncertain(.eventsLost, at: _):
      devices[id]?.condition = .eventsLost
    case .becameUncertain(.unheard, at: _):
      devices[id]?.condition = .unheard
    case .becameCertain(at: let time):
      devices[id]?.condition = .ready
      quietSince = max(quietSince, time)
    }
    update(at: now)
  }

  public mutating func timePassed(_ now: Instant) {
    guard let ends = graceEnds, ends <= now else { return }
    graceEnds = nil
    quietSince = max(quietSince, ends)
    update(at: now)
  }

  // MARK: State

  private mutating func update(at now: Instant) {
    let contacts = devices.values.reduce(0) { $0 + $1.contacts.count }
    let stuck = devices.values.reduce(0) { $0 + $1.stuck.count }
    if contacts > 0 && contacts == stuck && graceEnds == nil {
      if case .stuck(contacts, since: _) = state { return }
      state = .stuck(contacts: contacts, since: now)
    } else if contacts > 0 || graceEnds != nil {
      if case .touched(_, since: let since) = state {
        state = .touched(contacts: contacts, since: since)
      } else {
        state = .touched(contacts: contacts, since: now)
      }
    } else if let unknown = firstUnknown {
      if case .unknown(unknown, since: _) = state { return }
      state = .unknown(unknown, since: now)
    } else {
      state = .clear(since: quietSince)
    }
  }

  private var firstUnknown: Unknown? {
    for (_, device) in devices.sorted(by: { $0.key.syspath < $1.key.syspath }) {
      switch device.condition {
      case .ready: continue
      case .starting, .unheard: return .starting(device: device.name)
      case .eventsLost: return .eventsLost(device: device.name)
      case .unreadable(let why): return .unreadable(device: device.name, why: why)
      }
    }
    return nil
  }
}
