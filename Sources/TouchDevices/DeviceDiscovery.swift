public import DeviceRules
public import Evdev
import Gating
import ServiceLog
import Timeline
import TouchModel

/// Which devices are touchscreens, and of which screen: opens them, and retries those that cannot be opened.
final class DeviceDiscovery {
  enum Output {
    /// Open, and the first of its inputs can be read.
    case opened(DeviceID, DeviceMonitor.Found, screen: String, TouchDevice)
    /// A touchscreen whose state is unknown. Its screens stay shut.
    case unreadable(DeviceID, name: String, screens: [String], why: String)
    /// One that was reported as unreadable no longer counts.
    case dropped(DeviceID, screens: [String])
    /// The device no longer counts, or is gone; reported for devices of which nothing was reported, too.
    case gone(DeviceID)
  }

  /// A touchscreen that could not be opened; retried with growing pauses.
  private struct Unopened {
    let found: DeviceMonitor.Found
    let screen: String
    let problem: String
    var pause: Duration
    var due: Instant
  }

  /// A touchscreen that several sections of the configuration match.
  private struct Disputed {
    let found: DeviceMonitor.Found
    let screens: [String]
    let problem: String
  }

  private static let firstPause: Duration = .milliseconds(50)
  private static let longestPause: Duration = .seconds(5)

  private let rules: [DeviceRule]
  private let sections: ScreenRules
  private let log: Log
  private var names: ScreenNames
  private var opened: Set<DeviceID> = []
  private var unopened: [DeviceID: Unopened] = [:]
  private var disputed: [DeviceID: Disputed] = [:]

  init(_ settings: TouchSettings, log: Log) {
    rules = settings.deviceRules
    sections = settings.screens
    self.log = log
    names = ScreenNames(reserved: settings.screens.names)
  }

  var nextDeadline: Instant? { unopened.values.map(\.due).min() }

  /// Devices that count but cannot be read, by screen.
  var views: [TouchInput.DeviceView] {
    let broken = unopened.values.map {
      TouchInput.DeviceView(
        screen: $0.screen, node: $0.found.node, name: $0.found.name, path: $0.found.idPath, health: $0.problem)
    }
    let shut = disputed.values.flatMap { device in
      device.screens.map {
        TouchInput.DeviceView(
          screen: $0, node: device.found.node, name: device.found.name, path: device.found.idPath,
          health: device.problem)
      }
    }
    return broken + shut
  }

  /// What is wrong with the sections of the configuration on this machine.
  var problems: [String] { disputed.values.map(\.problem).sorted() }

  // MARK: Inputs

  /// udev reports a device as present, changed, or gone.
  func handle(_ event: DeviceMonitor.Event, _ now: Instant) -> [Output] {
    switch event {
    case .gone(let syspath):
      return detach(DeviceID(syspath))
    case .present(var found):
      let id = DeviceID(found.syspath)
      switch DeviceRule.decide(rules, on: found.forRules) {
      case .touchscreen:
        found.taggedTouchscreen = true
      case .asTagged where found.ignored || (found.taggedOther && !found.taggedTouchscreen), .ignored:
        return detach(id)  // It may have counted before udev described it otherwise.
      case .asTagged where found.hasForceFeedback && !found.taggedTouchscreen:
        // Opening a vibrator would wait for as long as another program's upload to it hangs: 30 s.
        return []
      case .asTagged:
        break
      case .foreignSeat:
        noteForeignSeat(found)
        return detach(id)
      }
      if opened.contains(id) || disputed[id] != nil { return [] }
      let matching = sections.screens(of: found.forRules)
      if matching.count > 1 && found.taggedTouchscreen { return dispute(found, id, matching) }
      let named = matching.first ?? found.screen.flatMap { ScreenRules.isName($0) ? $0 : nil }
      let screen = unopened[id]?.screen ?? named ?? names.name(for: found.name, hardware: found.hardware)
      return open(found, id, screen: screen, pause: Self.firstPause, now)
    }
  }

  /// Retries devices that could not be opened.
  func timePassed(_ now: Instant) -> [Output] {
    unopened.filter { $0.value.due <= now }.flatMap { id, waiting in
      open(waiting.found, id, screen: waiting.screen, pause: waiting.pause, now)
    }
  }

  /// A device that was opened is gone.
  func lost(_ id: DeviceID) {
    opened.remove(id)
    names.release(id)
  }

  /// A device that was opened cannot be used.
  func failed(_ id: DeviceID, _ found: DeviceMonitor.Found, screen: String, _ error: any Error, _ now: Instant)
    -> [Output]
  {
    lost(id)
    if !found.taggedTouchscreen { return [.dropped(id, screens: [screen])] }
    return postpone(found, id, screen: screen, "\(error)", pause: Self.firstPause, now)
  }

  // MARK: Opening

  private func open(
    _ found: DeviceMonitor.Found, _ id: DeviceID, screen: String, pause: Duration, _ now: Instant
  ) -> [Output] {
    do {
      let device = try TouchDevice(node: found.node, taggedTouchscreen: found.taggedTouchscreen)
      unopened[id] = nil
      opened.insert(id)
      names.assign(screen, to: id, hardware: found.hardware)
      return [.opened(id, found, screen: screen, device)]
    } catch let refusal as ScreenProfile.Refusal {
      let wasReported = unopened.removeValue(forKey: id) != nil
      names.release(id)
      // A device that is neither tagged nor a touchscreen needs no log line.
      if found.taggedTouchscreen {
        log.warning("\(found.node) (\(found.name)) is tagged as touchscreen by udev, but is none: \(refusal)")
      }
      return wasReported ? [.dropped(id, screens: [screen])] : []
    } catch {
      return postpone(found, id, screen: screen, "\(error)", pause: pause, now)
    }
  }

  private func postpone(
    _ found: DeviceMonitor.Found, _ id: DeviceID, screen: String, _ problem: String, pause: Duration, _ now: Instant
  ) -> [Output] {
    // Without the tag it is not known to be a touchscreen: then it must not shut the gate.
    guard found.taggedTouchscreen else { return [] }
    if unopened[id]?.problem != problem { log.warning("screen '\(screen)': \(problem)") }
    unopened[id] = Unopened(
      found: found, screen: screen, problem: problem, pause: min(pause * 2, Self.longestPause), due: now + pause)
    names.assign(screen, to: id, hardware: found.hardware)
    return [.unreadable(id, name: found.name, screens: [screen], why: problem)]
  }

  private func dispute(_ found: DeviceMonitor.Found, _ id: DeviceID, _ screens: [String]) -> [Output] {
    let problem = ScreenRules.conflict("\(found.node) (\(found.name))", screens)
    log.error(problem)
    disputed[id] = Disputed(found: found, screens: screens, problem: problem)
    return [.unreadable(id, name: found.name, screens: screens, why: problem)]
  }

  private func detach(_ id: DeviceID) -> [Output] {
    var outputs: [Output] = []
    if let device = disputed.removeValue(forKey: id) { outputs.append(.dropped(id, screens: device.screens)) }
    if let device = unopened.removeValue(forKey: id) {
      names.release(id)
      outputs.append(.dropped(id, screens: [device.screen]))
    }
    return outputs + [.gone(id)]
  }

  private func noteForeignSeat(_ found: DeviceMonitor.Found) {
    guard found.taggedTouchscreen else { return }
    log.info(
      "\(found.node) (\(found.name)) belongs to \(found.seat) and is left out; Use=seat:\(found.seat) in [Devices] "
        + "would let it count")
  }
}

extension DeviceMonitor.Found {
  /// As rules of the configuration see it.
  public var forRules: DeviceRule.Device {
    DeviceRule.Device(name: name, identity: identity, path: idPath, seat: seat)
  }

  /// All nodes of one piece of hardware share this.
  var hardware: String { "\(idPath) \(identity)" }
}
