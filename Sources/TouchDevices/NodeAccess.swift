import DeviceRules
import Evdev
import TouchModel
import TouchReading

/// What discovery asks of the system. A test replaces it.
protocol NodeAccess: AnyObject {
  /// Each becomes readable when `receive` has something from it.
  var descriptors: [CInt] { get }
  /// All event nodes that exist now, with udev's reports of those that it has initialized.
  func present() -> [(node: InputNode, udev: UdevReport?)]
  /// What has happened, in order; what is left wakes the service again.
  func receive(from descriptor: CInt) -> [NodeEvent]
  /// Opens a node. Throws `EvdevError` or `ScreenProfile.Refusal`.
  func open(_ candidate: DeviceDiscovery.Candidate) throws -> any TouchNode
}

/// What the two methods of discovery report.
enum NodeEvent {
  case found(InputNode, UdevReport?)
  case gone(syspath: String)
  /// The node no longer exists.
  case nodeGone(String)
  /// These are all nodes of the folder.
  case listed([InputNode])
  /// Events of udev were lost: enumerate again.
  case lost
}

/// An open device.
protocol TouchNode: FrameSource, GrabbableDevice {
  /// Becomes readable when it has events.
  var descriptor: CInt { get }
  var profile: ScreenProfile { get }
}

extension TouchDevice: TouchNode {}

/// udev and `/dev/input` of this machine.
final class SystemNodes: NodeAccess {
  /// Most events of udev that one wake-up reads, so that a storm of devices does not delay everything else.
  private static let most = 64

  private let monitor: DeviceMonitor
  /// Nil: the kernel has no more inotify instances.
  private let watch: NodeWatch?
  private let reader = SysfsReader()
  /// Why there is only one method of discovery.
  let problem: String?

  /// Throws `EvdevError` if udev cannot be watched.
  init() throws {
    monitor = try DeviceMonitor()
    do throws(EvdevError) {
      watch = try NodeWatch()
      problem = nil
    } catch {
      watch = nil
      problem = "devices that udev does not report are not found: \(error)"
    }
  }

  var descriptors: [CInt] { [monitor.descriptor] + (watch.map { [$0.descriptor] } ?? []) }

  func present() -> [(node: InputNode, udev: UdevReport?)] {
    var found: [String: (node: InputNode, udev: UdevReport?)] = [:]
    for device in monitor.enumerate() { found[device.syspath] = (device.input, device.udev) }
    // In a container a node may have another name than on the host.
    for node in reader.nodes() { found[node.syspath] = (node, found[node.syspath]?.udev) }
    return Array(found.values)
  }

  func receive(from descriptor: CInt) -> [NodeEvent] {
    if descriptor == monitor.descriptor {
      var events: [NodeEvent] = []
      while events.count < Self.most, let event = monitor.receive() {
        switch event {
        case .present(let found): events.append(.found(found.input, found.udev))
        case .gone(let syspath): events.append(.gone(syspath: syspath))
        case .overflowed: events.append(.lost)
        }
      }
      return events
    }
    switch watch?.receive() {
    case .names(let names):
      return names.map { name in
        reader.node(named: name).map { .found($0, nil) } ?? .nodeGone("\(NodeWatch.folder)/\(name)")
      }
    case .all: return [.listed(reader.nodes())]
    case nil: return []
    }
  }

  func open(_ candidate: DeviceDiscovery.Candidate) throws -> any TouchNode {
    try TouchDevice(
      node: candidate.node, taggedTouchscreen: candidate.isTagged, isConfigured: candidate.isConfigured)
  }
}
