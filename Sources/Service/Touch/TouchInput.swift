import Evdev
import EventLoop
import Gating
import Scheduling
import ServiceConfiguration
import ServiceLog
import Timeline
import TouchModel
import TouchReading

/// One open device with what is known of it.
final class AttachedDevice {
  let screen: String
  let hardware: String
  let node: String
  let name: String
  let idPath: String
  let source: any FrameSource
  /// The same device; nil for a recording, which nobody else reads.
  let grabbable: (any GrabbableDevice)?
  var reader: DeviceReader
  var watch: Source?

  init(
    screen: String, hardware: String, node: String, name: String, idPath: String, source: any FrameSource,
    grabbable: (any GrabbableDevice)?, reader: DeviceReader
  ) {
    self.screen = screen
    self.hardware = hardware
    self.node = node
    self.name = name
    self.idPath = idPath
    self.source = source
    self.grabbable = grabbable
    self.reader = reader
  }
}

/// All touch devices of the machine: found, opened, read, looked at again; their contacts go to `screens`.
final class TouchInput {
  /// Called after anything that may have changed what `screens` says.
  var changed: (Instant) -> Void = { _ in }

  /// A touchscreen that could not be opened; tried again with growing pauses.
  private struct Unopened {
    let found: DeviceMonitor.Found
    let screen: String
    let problem: String
    var pause: Duration
    var due: Instant
  }

  private struct Disputed {
    let found: DeviceMonitor.Found
    let screens: [String]
    let problem: String
  }

  struct DeviceView {
    let screen: String
    let node: String
    let name: String
    let path: String
    let health: String
  }

  private(set) var screens: Screens
  /// Since when the machine has been going to sleep.
  private(set) var sleepsSince: Instant?
  /// Updates wait; without them nothing is sampled.
  var somethingWaits = false {
    didSet { for device in attached.values { device.reader.somethingWaits = somethingWaits } }
  }
  /// Differences between frames and tables that were repaired, and contacts found stuck, so far.
  private(set) var repaired = 0
  private(set) var stuck = 0
  /// Changes of contacts told so far, by frames or by tables.
  private(set) var changesTold = 0
  let guards: DeviceGuard
  private let loop: EventLoop
  let log: Log
  private let configuration: Configuration
  private(set) var attached: [DeviceID: AttachedDevice] = [:]
  private var unopened: [DeviceID: Unopened] = [:]
  /// Devices that two sections of the configuration match: they stay shut, and so do those screens.
  private var disputed: [DeviceID: Disputed] = [:]
  private var toldAbsences: [String: Screens.Absence] = [:]
  private var monitor: DeviceMonitor?
  private var monitorWatch: Source?

  /// `remembered`: screens that the machine has had before.
  init(loop: EventLoop, log: Log, configuration: Configuration, remembered: Set<String>, now: Instant) {
    self.loop = loop
    self.log = log
    self.configuration = configuration
    guards = DeviceGuard(longest: configuration.guardMax)
    screens = Screens(at: now, rules: configuration.screenRules, remembered: remembered)
  }

  // MARK: Start

  /// Starts to hear of devices, then takes those that are there.
  func startDevices(now: Instant) throws {
    let monitor = try DeviceMonitor()
    self.monitor = monitor
    monitorWatch = try loop.watch(monitor.descriptor, .touch) { [unowned self] now in
      while let event = monitor.receive() { hear(event, now) }
      tellAbsences()
      changed(now)
    }
    for found in monitor.enumerate() { hear(.present(found), now) }
    screens.enumerated(at: now)
    tellAbsences()
  }

  /// Plays a recording in place of devices.
  func startReplay(_ source: ReplaySource, file: String, now: Instant) throws {
    let id = DeviceID(file)
    screens.deviceAdded(id, name: source.profile.name, screen: source.profile.name, at: now)
    let device = AttachedDevice(
      screen: source.profile.name, hardware: file, node: file, name: source.profile.name, idPath: "", source: source,
      grabbable: nil, reader: reader(source.profile))
    try attach(id, device, source.descriptor, now)
    screens.enumerated(at: now)
  }

  // MARK: Coming and going

  private func hear(_ event: DeviceMonitor.Event, _ now: Instant) {
    switch event {
    case .gone(let syspath):
      detach(DeviceID(syspath), now)
    case .present(var found):
      let id = DeviceID(found.syspath)
      switch DeviceRule.decide(configuration.deviceRules, on: found.forRules) {
      case .touchscreen:
        found.taggedTouchscreen = true
      case .asTagged where found.ignored || (found.taggedOther && !found.taggedTouchscreen), .ignored:
        return detach(id, now)  // It may have counted before udev said otherwise of it.
      case .asTagged where found.hasForceFeedback && !found.taggedTouchscreen:
        // Opening a vibrator would wait for as long as another program's upload to it hangs: 30 s.
        return
      case .asTagged:
        break
      case .foreignSeat:
        if found.taggedTouchscreen {
          log.info(
            "\(found.node) (\(found.name)) belongs to \(found.seat) and is left out; Use=seat:\(found.seat) in [Devices] "
              + "would let it count")
        }
        return detach(id, now)
      }
      if attached[id] != nil || disputed[id] != nil { return }
      let screens = configuration.screens.screens(of: found.forRules)
      if screens.count > 1 && found.taggedTouchscreen { return dispute(found, id, screens, now) }
      let screen = screens.first ?? found.screen.flatMap { ScreenRules.isName($0) ? $0 : nil }
      open(found, id, screen: unopened[id]?.screen ?? screen ?? screenName(found), pause: .milliseconds(50), now)
    }
  }

  private func dispute(_ found: DeviceMonitor.Found, _ id: DeviceID, _ names: [String], _ now: Instant) {
    let problem = ScreenRules.conflict("\(found.node) (\(found.name))", names)
    log.error(problem)
    disputed[id] = Disputed(found: found, screens: names, problem: problem)
    for name in names { screens.deviceUnreadable(id, name: found.name, screen: name, why: problem, at: now) }
  }

  private func open(_ found: DeviceMonitor.Found, _ id: DeviceID, screen: String, pause: Duration, _ now: Instant) {
    do {
      let device = try TouchDevice(node: found.node, taggedTouchscreen: found.taggedTouchscreen)
      unopened[id] = nil
      screens.deviceAdded(id, name: found.name, screen: screen, at: now)
      let new = AttachedDevice(
        screen: screen, hardware: hardware(found), node: found.node, name: device.profile.name, idPath: found.idPath,
        source: device, grabbable: device, reader: reader(device.profile))
      try attach(id, new, device.descriptor, now)
      log.info("screen '\(screen)': \(found.node) (\(found.name), \(found.identity)) found")
    } catch let refusal as ScreenProfile.Refusal {
      unopened[id] = nil
      // A device without the tag that is no touchscreen either is nobody's concern.
      if found.taggedTouchscreen {
        log.warning("\(found.node) (\(found.name)) is tagged as touchscreen by udev, but is none: \(refusal)")
      }
    } catch {
      // Without the tag it is not known to be a touchscreen: then it must not shut the gate.
      guard found.taggedTouchscreen else { return }
      let problem = "\(error)"
      if unopened[id]?.problem != problem { log.warning("screen '\(screen)': \(problem)") }
      unopened[id] = Unopened(
        found: found, screen: screen, problem: problem, pause: min(pause * 2, .seconds(5)), due: now + pause)
      screens.deviceUnreadable(id, name: found.name, screen: screen, why: problem, at: now)
    }
  }

  private func reader(_ profile: ScreenProfile) -> DeviceReader {
    DeviceReader(
      profile: profile, stuckAfter: configuration.stuckAfter, onStuck: configuration.onStuck,
      somethingWaits: somethingWaits)
  }

  private func attach(_ id: DeviceID, _ device: AttachedDevice, _ descriptor: CInt, _ now: Instant) throws {
    device.watch = try loop.watch(descriptor, .touch) { [unowned self] now in
      pump(id, now)
      letGoIfFree(now)
      changed(now)
    }
    attached[id] = device
    tell(id, now) { $0.timePassed(device.source, at: now) }
  }

  /// `contacts`: how many it had; nil: those that it has.
  private func detach(_ id: DeviceID, contacts: Int? = nil, _ now: Instant) {
    for screen in disputed.removeValue(forKey: id)?.screens ?? [] {
      screens.deviceGone(id, screen: screen, at: now)
    }
    if let lost = unopened.removeValue(forKey: id) {
      screens.deviceGone(id, screen: lost.screen, at: now)
    }
    guard let gone = attached.removeValue(forKey: id) else { return }
    guards.letGo(id)
    let count = contacts ?? gone.reader.tracker.contacts.count
    screens.deviceGone(id, screen: gone.screen, at: now)
    log.info("screen '\(gone.screen)': \(gone.node) is gone\(count > 0 ? " with \(count) contacts" : "")")
  }

  /// All nodes of one piece of hardware share this.
  private func hardware(_ found: DeviceMonitor.Found) -> String { "\(found.idPath) \(found.identity)" }

  /// Where nothing else is said: the device's name, which all nodes of one piece of hardware share; with a number where
  /// another piece of hardware, or a section of the configuration, has the same name.
  private func screenName(_ found: DeviceMonitor.Found) -> String {
    let own = hardware(found)
    if let sibling = attached.values.first(where: { $0.hardware == own }) { return sibling.screen }
    if let sibling = unopened.values.first(where: { hardware($0.found) == own }) { return sibling.screen }
    let taken = Set(attached.values.map(\.screen) + unopened.values.map(\.screen)).union(configuration.screens.names)
    var name = found.name
    var number = 2
    while taken.contains(name) {
      name = "\(found.name) \(number)"
      number += 1
    }
    return name
  }

  // MARK: Reading

  /// Reads and applies all that is there.
  func pump(_ id: DeviceID, _ now: Instant) {
    guard let device = attached[id] else { return }
    tell(id, now) { $0.readable(device.source, at: now) }
  }

  private func tell(_ id: DeviceID, _ now: Instant, _ input: (inout DeviceReader) -> [DeviceReader.Output]) {
    guard let device = attached[id] else { return }
    for output in input(&device.reader) { apply(output, device, id, now) }
  }

  private func apply(_ output: DeviceReader.Output, _ device: AttachedDevice, _ id: DeviceID, _ now: Instant) {
    switch output {
    case .change(let change):
      changesTold += 1
      if case .began = change, guards.holds(id), device.grabbable?.othersHeard != true { guards.swallowed() }
      screens.handle(change, of: id, screen: device.screen, at: now)
    case .ready:
      screens.deviceReady(id, screen: device.screen, at: now)
    case .unreadable:
      screens.deviceUnreadable(
        id, name: device.name, screen: device.screen, why: "its state cannot be read", at: now)
    case .repaired(let count):
      repaired += count
      log.warning(
        "screen '\(device.screen)': the kernel's table and the events of \(device.node) disagreed "
          + "(\(device.reader.tracker.drift) so far); another process may have grabbed it. The table is followed")
    case .stuck(let count):
      stuck += count
      let policy = configuration.onStuck == .ignore ? "it is left out until it changes" : "it goes on blocking"
      log.warning(
        "screen '\(device.screen)': a contact on \(device.node) has not changed for "
          + "\(TimeSpan.describe(configuration.stuckAfter)) and is taken as stuck; \(policy)")
    case .gone(let contacts):
      detach(id, contacts: contacts, now)
    }
  }

  // MARK: Looking again

  /// Reads the kernel's tables of all devices and repairs what disagrees.
  func lookAgain(_ now: Instant) {
    for (id, device) in attached { tell(id, now) { $0.recheck(device.source, at: now) } }
  }

  var nextDeadline: Instant? {
    var deadlines = unopened.values.map(\.due)
    deadlines += attached.values.compactMap(\.reader.nextDeadline)
    if let deadline = screens.nextDeadline { deadlines.append(deadline) }
    if let deadline = guards.nextDeadline { deadlines.append(deadline) }
    return deadlines.min()
  }

  func timePassed(_ now: Instant) {
    for (id, waiting) in unopened where waiting.due <= now {
      open(waiting.found, id, screen: waiting.screen, pause: waiting.pause, now)
    }
    for (id, device) in attached { tell(id, now) { $0.timePassed(device.source, at: now) } }
    screens.timePassed(now)
    tellAbsences()
    letGoIfFree(now)
  }

  /// Shut until `resumed`.
  func goesToSleep(_ now: Instant) { sleepsSince = sleepsSince ?? now }

  /// The machine has slept: what is known of every device is from before.
  func resumed(_ now: Instant) {
    sleepsSince = nil
    for (id, device) in attached { tell(id, now) { $0.distrust(device.source, at: now) } }
  }

  private func tellAbsences() {
    let absences = screens.absences
    if absences == toldAbsences { return }
    for (name, absence) in absences where toldAbsences[name] != absence {
      switch absence.reach {
      case .grace(let until):
        log.warning(
          "screen '\(name)' is missing; updates wait for it, \(TimeSpan.describe(until - absence.since)) at most")
      case .all:
        log.error("screen '\(name)' is missing; nothing is applied without it")
      case .own:
        log.warning("screen '\(name)' is still missing; going on without it (OnNoScreen=apply)")
      }
    }
    for name in toldAbsences.keys where absences[name] == nil {
      log.warning(
        screens.gates[name] == nil
          ? "screen '\(name)' is still missing; going on without it (OnNoScreen=apply)" : "screen '\(name)' is back")
    }
    toldAbsences = absences
  }

  // MARK: Views

  /// What the gates say; shut where the kernel has cut a frame and its rest is still to come, 20 ms at most.
  var passages: [String: Passage] {
    var passages = screens.passages
    for device in attached.values {
      guard let due = device.reader.cutFrameDue else { continue }
      passages[""] = .shut(
        Blocker(
          code: .unknown, since: due - ContactTracker.secondRead, device: device.name,
          reason: "a frame of \(device.name) is not complete", clears: "within 20 ms"))
    }
    if let since = sleepsSince {
      passages[""] = .shut(
        Blocker(code: .unknown, since: since, reason: Words.goesToSleep, clears: "when it has been awake again"))
    }
    return passages
  }

  /// What an administrator should know of devices that work.
  var warnings: [String] {
    attached.values.sorted { $0.node < $1.node }.flatMap { device -> [String] in
      var warnings: [String] = []
      if device.reader.tracker.stuckCount > 0 {
        warnings.append("\(device.reader.tracker.stuckCount) contacts on \(device.screen) (\(device.node)) are stuck")
      }
      if device.reader.tracker.mayBeGrabbed {
        warnings.append("\(device.screen) (\(device.node)) is grabbed by another process; its state is sampled")
      }
      return warnings
    } + disputed.values.map(\.problem).sorted()
      + screens.absences.keys.sorted().map { "screen '\($0)' is missing" }
      + (screens.isWithoutAny ? ["no touchscreen was found; updates are applied without one (OnNoScreen=apply)"] : [])
  }

  var devices: [DeviceView] {
    let healthy = attached.values.map {
      DeviceView(
        screen: $0.screen, node: $0.node, name: $0.name, path: $0.idPath,
        health: $0.reader.isAwaitingTable ? "its state is being read" : "ok")
    }
    let broken = unopened.values.map {
      DeviceView(
        screen: $0.screen, node: $0.found.node, name: $0.found.name, path: $0.found.idPath, health: $0.problem)
    }
    let shut = disputed.values.flatMap { device in
      device.screens.map {
        DeviceView(
          screen: $0, node: device.found.node, name: device.found.name, path: device.found.idPath,
          health: device.problem)
      }
    }
    return (healthy + broken + shut).sorted { $0.node < $1.node }
  }
}

extension DeviceMonitor.Found {
  var forRules: DeviceRule.Device {
    DeviceRule.Device(name: name, identity: identity, path: idPath, seat: seat)
  }
}
