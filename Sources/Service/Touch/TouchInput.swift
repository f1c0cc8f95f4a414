import Evdev
import EventLoop
import Gating
import Scheduling
import ServiceLog
import Timeline
import TouchModel

/// One open device with what is known of it.
final class AttachedDevice {
  let screen: String
  let hardware: String
  let node: String
  let idPath: String
  let source: any TouchSource
  var tracker: ContactTracker
  /// Its first table has been read.
  var isReady = false
  /// A table is wanted and was not to be had: it is tried again then.
  var tableDue: Instant?
  var watch: Source?

  /// When its table was last compared.
  var lastLook = Instant.distantPast
  var reported = (drift: 0, stuck: 0)

  init(
    screen: String, hardware: String, node: String, idPath: String, source: any TouchSource,
    configuration: Configuration
  ) {
    self.screen = screen
    self.hardware = hardware
    self.node = node
    self.idPath = idPath
    self.source = source
    tracker = ContactTracker(
      profile: source.profile, stuckAfter: configuration.stuckAfter, onStuck: configuration.onStuck)
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

  /// Under a foreign grab the table is all there is: read so often that a tap of 60 ms is not missed.
  private static let sampling: Duration = .milliseconds(50)

  private(set) var screens: Screens
  /// Since when the machine has been going to sleep.
  private(set) var sleepsSince: Instant?
  /// Updates wait; without them nothing is sampled.
  var somethingWaits = false
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
    try attach(
      id,
      AttachedDevice(
        screen: source.profile.name, hardware: file, node: file, idPath: "", source: source,
        configuration: configuration), now)
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
      try attach(
        id,
        AttachedDevice(
          screen: screen, hardware: hardware(found), node: found.node, idPath: found.idPath, source: device,
          configuration: configuration), now)
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

  private func attach(_ id: DeviceID, _ device: AttachedDevice, _ now: Instant) throws {
    device.watch = try loop.watch(device.source.descriptor, .touch) { [unowned self] now in
      pump(id, now)
      letGoIfFree(now)
      changed(now)
    }
    attached[id] = device
    adoptTable(id, now)
  }

  private func detach(_ id: DeviceID, _ now: Instant) {
    for screen in disputed.removeValue(forKey: id)?.screens ?? [] {
      screens.deviceGone(id, screen: screen, at: now)
    }
    if let lost = unopened.removeValue(forKey: id) {
      screens.deviceGone(id, screen: lost.screen, at: now)
    }
    guard let gone = attached.removeValue(forKey: id) else { return }
    guards.letGo(id)
    let count = gone.tracker.contacts.count
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

  /// Reads and applies all that is there; true where there was anything.
  @discardableResult
  func pump(_ id: DeviceID, _ now: Instant) -> Bool {
    guard let device = attached[id] else { return false }
    let reading = device.source.read(now: now)
    for output in reading.outputs { tell(id, now) { $0.handle(output) } }
    if reading.gone {
      detach(id, now)
    } else if reading.needsTable {
      adoptTable(id, now)
    } else if !reading.outputs.isEmpty {
      tune(device, id, now)
    }
    return !reading.outputs.isEmpty
  }

  /// After frames: what the kernel should send from now on, and how it left the table where nobody is there any more.
  private func tune(_ device: AttachedDevice, _ id: DeviceID, _ now: Instant) {
    if device.source.wantPositions(device.tracker.wantsPositions) { adoptTable(id, now) }
    if device.tracker.isAtRest, let table = device.source.table(), !device.source.hasQueued {
      device.tracker.rest(table)
    }
  }

  private func adoptTable(_ id: DeviceID, _ now: Instant) {
    guard let device = attached[id] else { return }
    guard let table = device.source.settledTable() else {
      device.tableDue = now + .milliseconds(50)
      // What was queued is thrown away: nothing is known before a table is.
      tell(id, now) { $0.handle(.lost(now)) }
      return
    }
    device.tableDue = nil
    tell(id, now) { $0.adopt(table, at: now) }
    if device.isReady { return }
    device.isReady = true
    screens.deviceReady(id, screen: device.screen, at: now)
  }

  private func tell(_ id: DeviceID, _ now: Instant, _ input: (inout ContactTracker) -> [ContactChange]) {
    guard let device = attached[id] else { return }
    for change in input(&device.tracker) {
      changesTold += 1
      if case .began = change, guards.holds(id), !device.source.othersHeard { guards.swallowed() }
      screens.handle(change, of: id, screen: device.screen, at: now)
    }
  }

  // MARK: Looking again

  /// Reads the kernel's tables of all devices and repairs what disagrees.
  func lookAgain(_ now: Instant) {
    for id in attached.keys { look(id, now) }
  }

  private func look(_ id: DeviceID, _ now: Instant) {
    // A table is compared only where no frame came around its reading: an old table would bring back what a frame
    // has ended. A device that never pauses that long is followed by its frames alone.
    for _ in 0..<10 {
      if pump(id, now) { continue }
      guard let device = attached[id], device.tableDue == nil else { return }
      guard let table = device.source.table() else {
        unreadable(id, now)
        return
      }
      if device.source.hasQueued { continue }
      device.lastLook = now
      tell(id, now) { $0.verify(table, at: now) }
      if device.source.wantPositions(device.tracker.wantsPositions) { adoptTable(id, now) }
      report(device)
      return
    }
  }

  /// Whose fault it is belongs in the log.
  private func report(_ device: AttachedDevice) {
    let tracker = device.tracker
    if tracker.drift != device.reported.drift {
      log.warning(
        "screen '\(device.screen)': the kernel's table and the events of \(device.node) disagreed (\(tracker.drift) so "
          + "far); another process may have grabbed it. The table is followed")
    }
    if tracker.stuckTotal != device.reported.stuck {
      let policy = configuration.onStuck == .ignore ? "it is left out until it changes" : "it goes on blocking"
      log.warning(
        "screen '\(device.screen)': a contact on \(device.node) has not changed for "
          + "\(TimeSpan.describe(configuration.stuckAfter)) and is taken as stuck; \(policy)")
    }
    repaired += tracker.drift - device.reported.drift
    stuck += tracker.stuckTotal - device.reported.stuck
    device.reported = (tracker.drift, tracker.stuckTotal)
  }

  private func unreadable(_ id: DeviceID, _ now: Instant) {
    guard let device = attached[id] else { return }
    if device.source.read(now: now).gone {
      detach(id, now)
      return
    }
    device.isReady = false
    device.tableDue = now + .milliseconds(50)
    screens.deviceUnreadable(
      id, name: device.source.profile.name, screen: device.screen, why: "its state cannot be read", at: now)
  }

  var nextDeadline: Instant? {
    var deadlines = unopened.values.map(\.due)
    for device in attached.values {
      deadlines += [device.tracker.nextDeadline, device.source.cutFrameDue].compactMap(\.self)
      // No look comes before a table that is due, so none is waited for.
      deadlines += device.tableDue.map { [$0] } ?? [device.tracker.secondReadDue, sampleDue(device)].compactMap(\.self)
    }
    if let deadline = screens.nextDeadline { deadlines.append(deadline) }
    if let deadline = guards.nextDeadline { deadlines.append(deadline) }
    return deadlines.min()
  }

  private func sampleDue(_ device: AttachedDevice) -> Instant? {
    somethingWaits && device.tracker.mayBeGrabbed ? device.lastLook + Self.sampling : nil
  }

  func timePassed(_ now: Instant) {
    for (id, waiting) in unopened where waiting.due <= now {
      open(waiting.found, id, screen: waiting.screen, pause: waiting.pause, now)
    }
    for (id, device) in attached {
      if let due = device.source.cutFrameDue, due <= now, !pump(id, now),
        let output = device.source.finishCutFrame(now: now)
      {
        tell(id, now) { $0.handle(output) }
        tune(device, id, now)
      }
      if let due = device.tableDue, due <= now {
        adoptTable(id, now)
      }
      if let due = [device.tracker.secondReadDue, sampleDue(device)].compactMap(\.self).min(), due <= now {
        look(id, now)
      }
      tell(id, now) { $0.timePassed(now) }
    }
    screens.timePassed(now)
    tellAbsences()
    letGoIfFree(now)
  }

  /// Shut until `resumed`.
  func goesToSleep(_ now: Instant) { sleepsSince = sleepsSince ?? now }

  /// The machine has slept: what is known of every device is from before.
  func resumed(_ now: Instant) {
    sleepsSince = nil
    for id in Array(attached.keys) {
      tell(id, now) { $0.handle(.lost(now)) }
      adoptTable(id, now)
    }
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
  var passages: [String: GateState] {
    var passages = screens.passages
    for device in attached.values {
      guard let due = device.source.cutFrameDue else { continue }
      passages[""] = .blocked(
        Blocker(
          code: .unknown, since: due - ContactTracker.secondRead, device: device.source.profile.name,
          reason: .words("a frame of \(device.source.profile.name) is not complete"), clears: .frameEnds))
    }
    if let since = sleepsSince {
      passages[""] = .blocked(
        Blocker(code: .unknown, since: since, reason: .words(Words.goesToSleep), clears: .machineIsAwake))
    }
    return passages
  }

  /// What an administrator should know of devices that work.
  var warnings: [String] {
    attached.values.sorted { $0.node < $1.node }.flatMap { device -> [String] in
      var warnings: [String] = []
      if device.tracker.stuckCount > 0 {
        warnings.append("\(device.tracker.stuckCount) contacts on \(device.screen) (\(device.node)) are stuck")
      }
      if device.tracker.mayBeGrabbed {
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
        screen: $0.screen, node: $0.node, name: $0.source.profile.name, path: $0.idPath,
        health: $0.tableDue == nil ? "ok" : "its state is being read")
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
