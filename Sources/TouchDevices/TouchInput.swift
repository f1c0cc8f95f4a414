import DeviceRules
public import EventLoop
public import Gating
public import ServiceLog
public import Timeline
import TouchModel
import TouchReading

/// All touch devices of the machine: found, opened, read and rechecked. Their contacts go to `screens`.
public final class TouchInput {
  /// Whether updates wait. Without any, no device is sampled.
  public var somethingWaits = false {
    didSet { for device in attached.values { device.reader.somethingWaits = somethingWaits } }
  }

  public private(set) var screens: Screens
  /// Since when the machine has been going to sleep; nil: it is not.
  public private(set) var sleepsSince: Instant?
  /// Differences between frames and slot tables that were repaired so far.
  public private(set) var repaired = 0
  /// Contacts found stuck so far.
  public private(set) var stuck = 0
  public let guards: DeviceGuard

  /// Contact changes so far, from frames or slot tables.
  private(set) var changeCount = 0
  private(set) var attached: [DeviceID: AttachedDevice] = [:]
  let finder: DeviceFinder
  let log: Log
  private let settings: TouchSettings
  private let loop: EventLoop
  private var absences = AbsenceReport()
  private var access: (any NodeAccess)?
  private var accessWatches: [Source] = []

  /// `remembered`: screens that the machine has had before. `formerNames`: the names of screens that hardware had before,
  /// by `hardware` of the device.
  public init(
    loop: EventLoop, log: Log, settings: TouchSettings, remembered: Set<String>, formerNames: [String: String] = [:],
    now: Instant
  ) {
    self.loop = loop
    self.log = log
    self.settings = settings
    guards = DeviceGuard(longest: settings.guardMax)
    finder = DeviceFinder(settings, formerNames: formerNames, log: log)
    screens = Screens(at: now, rules: settings.screenRules, remembered: remembered)
  }

  // MARK: Start

  /// Starts to watch udev and `/dev/input`, then opens the devices that are present. Throws if udev cannot be watched.
  public func startDevices(now: Instant) throws {
    let nodes = try SystemNodes()
    if let problem = nodes.problem { log.warning(problem) }
    try start(nodes, now: now)
  }

  func start(_ access: any NodeAccess, now: Instant) throws {
    self.access = access
    for descriptor in access.descriptors {
      accessWatches.append(
        try loop.watch(descriptor, .touch) { [unowned self] now in
          for event in access.receive(from: descriptor) { handle(event, now) }
          absences.update(screens, log)
        })
    }
    apply(finder.start(access, now), now)
    screens.enumerated(at: now)
    absences.update(screens, log)
  }

  /// Plays a recording instead of reading devices. Throws if its timer cannot be watched.
  public func startReplay(_ source: ReplaySource, file: String, now: Instant) throws {
    let id = DeviceID(file)
    let name = InputNode.printable(source.profile.name)
    screens.deviceAdded(id, name: name, screen: name, at: now)
    let device = AttachedDevice(
      screen: name, node: file, name: name, idPath: "", hardware: nil, source: source, grabbable: nil,
      reader: reader(source.profile, name))
    try attach(id, device, source.descriptor, now)
    screens.enumerated(at: now)
  }

  // MARK: Coming and going

  /// What udev or `/dev/input` reports.
  func handle(_ event: NodeEvent, _ now: Instant) { apply(finder.handle(event, now), now) }

  private func apply(_ outputs: [DeviceFinder.Output], _ now: Instant) {
    for output in outputs {
      switch output {
      case .opened(let id, let candidate, let device):
        apply(attach(id, candidate, device, now), now)
      case .unreadable(let id, let name, let names, let why):
        for screen in names { screens.deviceUnreadable(id, name: name, screen: screen, why: why, at: now) }
      case .dropped(let id, let names):
        for screen in names { screens.deviceGone(id, screen: screen, at: now) }
      case .gone(let id):
        detach(id, contacts: attached[id]?.reader.tracker.contacts.count ?? 0, now)
      case .forgotten(let screen):
        screens.forget(screen)
      }
    }
  }

  private func attach(
    _ id: DeviceID, _ candidate: DeviceDiscovery.Candidate, _ device: any TouchNode, _ now: Instant
  ) -> [DeviceFinder.Output] {
    let screen = candidate.screen
    screens.deviceAdded(id, name: candidate.name, screen: screen, at: now)
    do {
      let attached = AttachedDevice(
        screen: screen, node: candidate.node, name: candidate.name, idPath: candidate.path,
        hardware: candidate.hardware, source: device, grabbable: device, reader: reader(device.profile, screen))
      try attach(id, attached, device.descriptor, now)
    } catch {
      return finder.failed(candidate, error, now)
    }
    log.info("screen '\(screen)': \(candidate.node) (\(candidate.name), \(candidate.identity)) found")
    return []
  }

  private func attach(_ id: DeviceID, _ device: AttachedDevice, _ descriptor: CInt, _ now: Instant) throws {
    device.watch = try loop.watch(descriptor, .touch) { [unowned self] now in
      read(id, now)
      releaseGrabs(now)
    }
    attached[id] = device
    pass(id, now) { $0.timePassed(device.source, at: now) }  // Its first slot table.
  }

  /// `screen`: its ignored areas apply, if the device's axes are known.
  private func reader(_ profile: ScreenProfile, _ screen: String) -> DeviceReader {
    var profile = profile
    if let axes = profile.axes {
      profile.ignoredAreas = (settings.screens.sections[screen]?.ignoredAreas ?? []).map { area in
        let ranges = area.scaled(x: axes.x, y: axes.y)
        return IgnoredArea(x: ranges.x, y: ranges.y)
      }
    }
    return DeviceReader(
      profile: profile, stuckAfter: settings.stuckAfter, onStuck: settings.onStuck, somethingWaits: somethingWaits)
  }

  private func detach(_ id: DeviceID, contacts: Int, _ now: Instant) {
    guard let gone = attached.removeValue(forKey: id) else { return }
    guards.release(id)
    screens.deviceGone(id, screen: gone.screen, at: now)
    log.info("screen '\(gone.screen)': \(gone.node) is gone\(contacts > 0 ? " with \(contacts) contacts" : "")")
  }

  // MARK: Reading

  /// Reads and applies all that is queued.
  func read(_ id: DeviceID, _ now: Instant) {
    guard let device = attached[id] else { return }
    pass(id, now) { $0.readable(device.source, at: now) }
  }

  /// Reads the slot tables of all devices and repairs what disagrees with the frames.
  public func recheck(_ now: Instant) {
    for (id, device) in attached { pass(id, now) { $0.recheck(device.source, at: now) } }
  }

  /// Passes an input to the reader of a device and applies its outputs.
  private func pass(_ id: DeviceID, _ now: Instant, _ input: (inout DeviceReader) -> [DeviceReader.Output]) {
    guard let device = attached[id] else { return }
    for output in input(&device.reader) { apply(output, device, id, now) }
  }

  private func apply(_ output: DeviceReader.Output, _ device: AttachedDevice, _ id: DeviceID, _ now: Instant) {
    switch output {
    case .change(let change):
      changeCount += 1
      if case .began = change, guards.holds(id), !device.othersHeard { guards.swallowed() }
      screens.handle(change, of: id, screen: device.screen, at: now)
    case .ready:
      screens.deviceReady(id, screen: device.screen, at: now)
    case .unreadable:
      screens.deviceUnreadable(id, name: device.name, screen: device.screen, why: "its state cannot be read", at: now)
    case .repaired(let count):
      repaired += count
      log.warning(
        "screen '\(device.screen)': the events of \(device.node) did not match its slot table "
          + "(\(device.reader.tracker.drift) times so far); another process may have grabbed it. The slot table applies"
      )
    case .stuck(let count):
      stuck += count
      let policy = settings.onStuck == .ignore ? "it is ignored until it changes" : "it still blocks"
      log.warning(
        "screen '\(device.screen)': a contact on \(device.node) has not changed for "
          + "\(TimeSpan.describe(settings.stuckAfter)) and is stuck (StuckAfter=); \(policy) (OnStuck=)")
    case .gone(let contacts):
      detach(id, contacts: contacts, now)
      apply(finder.lost(id, now), now)
    }
  }

  // MARK: Memory

  /// From now on these screens are missing if they are removed.
  public func remember(_ names: Set<String>) { screens.remember(names) }

  /// The screen is no longer missing.
  public func forget(_ name: String) {
    screens.forget(name)
    absences.update(screens, log)
  }

  // MARK: Time

  /// When to call `timePassed`; nil: only after another input.
  public var nextDeadline: Instant? {
    let deadlines =
      attached.values.map(\.reader.nextDeadline)
      + [finder.nextDeadline, screens.nextDeadline, guards.nextDeadline]
    return deadlines.compactMap(\.self).min()
  }

  public func timePassed(_ now: Instant) {
    apply(finder.timePassed(now), now)
    for (id, device) in attached { pass(id, now) { $0.timePassed(device.source, at: now) } }
    screens.timePassed(now)
    absences.update(screens, log)
    releaseGrabs(now)
  }

  /// The machine is going to sleep: sets `sleepsSince` until `resumed`.
  public func goesToSleep(_ now: Instant) { sleepsSince = sleepsSince ?? now }

  /// The machine has slept: the state of every device is out of date, so every slot table is read.
  public func resumed(_ now: Instant) {
    sleepsSince = nil
    distrust(now)
  }

  /// Reads every slot table anew, because the machine has slept.
  public func distrust(_ now: Instant) {
    for (id, device) in attached { pass(id, now) { $0.distrust(device.source, at: now) } }
  }
}
