public import Timeline
public import TouchModel

/// One device of a screen: its syspath in udev. Never eventN, which another device may have after replugging.
public struct DeviceID: Hashable, Sendable {
  /// Its path in sysfs.
  public let syspath: String

  public init(_ syspath: String) { self.syspath = syspath }
}

/// The gate state of one screen, from the contacts of its devices: `unknown`, `touched` or `clear`. It is independent of
/// updates and quiet periods.
public struct Gate: Sendable {
  /// Whether the screen is clear, touched or unknown, and since when.
  public enum State: Equatable, Sendable {
    /// Shut: the contacts are not known.
    case unknown(Unknown, since: Instant)
    /// Shut: this number of contacts; 0 during a grace time.
    case touched(contacts: Int, since: Instant)
    /// Shut: all remaining contacts are stuck, with `OnStuck=hold`.
    case stuck(contacts: Int, since: Instant)
    /// No contact since then; after `unknown`, since the slot table was read.
    case clear(since: Instant)
  }

  /// Why the contacts are not known.
  public enum Unknown: Equatable, Sendable {
    /// The device was found, and its first slot table has not been read yet.
    case starting(device: String)
    /// A known touchscreen that cannot be opened or read.
    case unreadable(device: String, why: String)
    /// The kernel dropped events, and the slot table after them has not been read yet.
    case eventsLost(device: String)
  }

  /// How long the gate stays shut after a device was removed with fingers on it: re-enumeration brings it back within this
  /// time, with the same fingers. Also after the kernel released the keys itself: that is the first sign of an unplug (the
  /// device is gone some milliseconds later), and the fingers have not moved. Tried on a test kernel: without it an update
  /// was applied between the two.
  public static let grace: Duration = .seconds(2)

  private struct Device: Sendable {
    let name: String
    var condition: Condition
    var contacts: Set<Contact> = []
    var stuck: Set<Contact> = []
  }

  private enum Condition: Sendable {
    case starting
    /// It is open, but has no slot table, and has sent nothing yet.
    case unheard
    case ready
    case eventsLost
    case unreadable(String)
  }

  /// The gate state; only `clear` lets updates be applied.
  public private(set) var state: State
  /// The number of contacts that have begun so far.
  public private(set) var begun = 0
  private var devices: [DeviceID: Device] = [:]
  private var graceEnds: Instant?
  /// When a contact last ended or other activity was seen; after `unknown`, when the slot table was read.
  private var quietSince: Instant

  /// A gate without devices, clear since `now`.
  public init(at now: Instant) {
    quietSince = now
    state = .clear(since: now)
  }

  /// The number of contacts, as in `state`.
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

  /// A contact is on the screen, or a grace time runs.
  public var isTouched: Bool {
    switch state {
    case .touched, .stuck: true
    case .unknown, .clear: false
    }
  }

  /// No device remains, and no grace time runs: the screen can be removed.
  public var isEmpty: Bool { devices.isEmpty && graceEnds == nil }

  /// When to call `timePassed`; nil: never.
  public var nextDeadline: Instant? { graceEnds }

  // MARK: Inputs

  /// A device was found; its contacts are unknown until `deviceReady`.
  public mutating func deviceAdded(_ id: DeviceID, name: String, at now: Instant) {
    devices[id] = Device(name: name, condition: .starting)
    update(at: now)
  }

  /// The first slot table was read; its contacts must have been passed to `handle` before. If these left the device
  /// uncertain, it stays uncertain until `becameCertain`.
  public mutating func deviceReady(_ id: DeviceID, at now: Instant) {
    switch devices[id]?.condition {
    case .starting, .unreadable, .ready: devices[id]?.condition = .ready
    case .unheard, .eventsLost, nil: break
    }
    quietSince = max(quietSince, now)
    if graceEnds != nil { graceEnds = now + Self.grace }
    update(at: now)
  }

  /// A device cannot be opened or read, so its contacts are unknown; `why` is for people.
  public mutating func deviceUnreadable(_ id: DeviceID, name: String, why: String, at now: Instant) {
    devices[id] = Device(name: name, condition: .unreadable(why), contacts: devices[id]?.contacts ?? [])
    update(at: now)
  }

  /// A device was removed. Contacts that it still had start the grace time.
  public mutating func deviceGone(_ id: DeviceID, at now: Instant) {
    guard let device = devices.removeValue(forKey: id) else { return }
    if !device.contacts.isEmpty || graceEnds != nil { graceEnds = now + Self.grace }
    update(at: now)
  }

  /// Applies a change of a device's contacts.
  public mutating func handle(_ change: ContactChange, of id: DeviceID, at now: Instant) {
    switch change {
    case .began(let contact, at: _):
      devices[id]?.contacts.insert(contact)
      begun += 1
    case .ended(let contact, let cause, at: let time):
      devices[id]?.contacts.remove(contact)
      devices[id]?.stuck.remove(contact)
      quietSince = max(quietSince, time)
      // From now on: a finger that stays could not send anything while the machine slept.
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

  /// Ends the grace time if it is over.
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
