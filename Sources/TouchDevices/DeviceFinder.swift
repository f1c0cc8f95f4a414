import DeviceRules
import Evdev
import Gating
import ServiceLog
import Timeline
import TouchModel

/// Carries out what `DeviceDiscovery` decides: opens devices, logs, and tells the owner of the devices.
final class DeviceFinder {
  enum Output {
    /// Open, and the first of its inputs can be read.
    case opened(DeviceID, DeviceDiscovery.Candidate, any TouchNode)
    /// A touchscreen whose state is unknown. Its screens stay shut.
    case unreadable(DeviceID, name: String, screens: [String], why: String)
    /// One that was reported as unreadable no longer counts.
    case dropped(DeviceID, screens: [String])
    /// The device no longer counts, or is gone; reported for devices of which nothing was reported, too.
    case gone(DeviceID)
    /// The screen is ignored now.
    case forgotten(screen: String)
  }

  private(set) var discovery: DeviceDiscovery
  private let log: Log
  /// Nil until devices are followed.
  private var access: (any NodeAccess)?

  init(_ settings: TouchSettings, formerNames: [String: String], log: Log) {
    discovery = DeviceDiscovery(rules: settings.deviceRules, sections: settings.screens, remembered: formerNames)
    self.log = log
  }

  var nextDeadline: Instant? { discovery.nextDeadline }

  /// Starts with the nodes that are present.
  func start(_ access: any NodeAccess, _ now: Instant) -> [Output] {
    self.access = access
    return carryOut(discovery.found(access.present(), at: now), now)
  }

  func handle(_ event: NodeEvent, _ now: Instant) -> [Output] {
    switch event {
    case .found(let node, let udev):
      return carryOut(discovery.found([(node, udev)], at: now), now)
    case .gone(let syspath):
      return carryOut(discovery.gone(syspath: syspath), now)
    case .nodeGone(let node):
      return carryOut(discovery.gone(node: node), now)
    case .listed(let nodes):
      return carryOut(discovery.listed(nodes, at: now), now)
    case .lost:
      guard let access else { return [] }
      log.warning("events of udev were lost; all devices are enumerated again")
      let present = access.present()
      var outputs = carryOut(discovery.remain(Set(present.map(\.node.syspath))), now)
      outputs += carryOut(discovery.found(present, at: now), now)
      return outputs
    }
  }

  func timePassed(_ now: Instant) -> [Output] { carryOut(discovery.timePassed(now), now) }

  /// A device that was opened is gone.
  func lost(_ id: DeviceID, _ now: Instant) -> [Output] { carryOut(discovery.lost(syspath: id.syspath), now) }

  /// A device that was opened cannot be used.
  func failed(_ candidate: DeviceDiscovery.Candidate, _ error: any Error, _ now: Instant) -> [Output] {
    carryOut(discovery.failed(candidate, "\(error)", isAbsent: false, at: now), now)
  }

  // MARK: Actions

  private func carryOut(_ actions: [DeviceDiscovery.Action], _ now: Instant) -> [Output] {
    actions.flatMap { carryOut($0, now) }
  }

  private func carryOut(_ action: DeviceDiscovery.Action, _ now: Instant) -> [Output] {
    switch action {
    case .open(let candidate):
      return open(candidate, now)
    case .shut(let syspath, let name, let screens, let why):
      return [.unreadable(DeviceID(syspath), name: name, screens: screens, why: why)]
    case .drop(let syspath, let screens):
      return [.dropped(DeviceID(syspath), screens: screens)]
    case .close(let syspath):
      return [.gone(DeviceID(syspath))]
    case .forget(let screen):
      return [.forgotten(screen: screen)]
    case .log(let level, let text):
      switch level {
      case .info: log.info(text)
      case .warning: log.warning(text)
      case .error: log.error(text)
      }
      return []
    }
  }

  private func open(_ candidate: DeviceDiscovery.Candidate, _ now: Instant) -> [Output] {
    guard let access else { return [] }
    do {
      let device = try access.open(candidate)
      return [.opened(DeviceID(candidate.syspath), candidate, device)] + carryOut(discovery.opened(candidate), now)
    } catch let refusal as ScreenProfile.Refusal {
      return carryOut(discovery.refused(candidate, refusal), now)
    } catch {
      let isAbsent = (error as? EvdevError)?.isGone ?? false
      return carryOut(discovery.failed(candidate, "\(error)", isAbsent: isAbsent, at: now), now)
    }
  }
}
