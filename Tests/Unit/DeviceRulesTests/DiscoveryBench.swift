import Testing
import Timeline
import TouchModel

@testable import DeviceRules

/// A machine whose discovery is under test: nodes that come and go, udev's reports, and what opening them gives.
struct DiscoveryBench {
  /// What opening a node gives.
  enum Opening {
    case works
    case refused(ScreenProfile.Refusal)
    case problem(String)
    case absent
  }

  var discovery: DeviceDiscovery
  /// By syspath; missing: `works`.
  var openings: [String: Opening] = [:]
  /// Actions other than `open` and `log`, in order.
  private(set) var effects: [DeviceDiscovery.Action] = []
  private(set) var logged: [String] = []
  private(set) var now: Instant

  init(rules: [DeviceRule] = [], sections: ScreenRules = ScreenRules(), remembered: [String: String] = [:]) {
    discovery = DeviceDiscovery(rules: rules, sections: sections, remembered: remembered)
    now = at(0)
  }

  // MARK: Inputs

  mutating func find(_ nodes: [(InputNode, UdevReport?)]) {
    carryOut(discovery.found(nodes.map { (node: $0.0, udev: $0.1) }, at: now))
  }

  mutating func find(_ node: InputNode, _ udev: UdevReport? = nil) { find([(node, udev)]) }
  mutating func remove(_ node: InputNode) { carryOut(discovery.gone(syspath: node.syspath)) }

  mutating func pass(_ seconds: Double) {
    let end = now + .milliseconds(Int64(seconds * 1000))
    while let due = discovery.nextDeadline, due <= end {
      now = max(now, due)
      carryOut(discovery.timePassed(now))
    }
    now = end
  }

  mutating func apply(_ input: (inout DeviceDiscovery) -> [DeviceDiscovery.Action]) { carryOut(input(&discovery)) }

  private mutating func carryOut(_ actions: [DeviceDiscovery.Action]) {
    for action in actions {
      switch action {
      case .open(let candidate):
        switch openings[candidate.syspath] ?? .works {
        case .works: carryOut(discovery.opened(candidate))
        case .refused(let refusal): carryOut(discovery.refused(candidate, refusal))
        case .problem(let text): carryOut(discovery.failed(candidate, text, isAbsent: false, at: now))
        case .absent: carryOut(discovery.failed(candidate, "gone", isAbsent: true, at: now))
        }
      case .log(_, let text): logged.append(text)
      case .shut, .drop, .close, .forget: effects.append(action)
      }
    }
  }

  // MARK: What it says

  /// The screens of adopted nodes, by node.
  var adopted: [String: String] {
    Dictionary(
      discovery.nodes.filter(\.isAdopted).map { ($0.node, $0.screen ?? "") }, uniquingKeysWith: { one, _ in one })
  }

  /// The screens that are shut by nodes which cannot be read.
  var shut: Set<String> { Set(discovery.unreadable.map(\.screen)) }

  func why(_ node: InputNode) -> String { discovery.nodes.first { $0.node == node.node }?.why ?? "" }

  /// The shut screens as `shut` and `drop` have reported them.
  var reportedShut: [String: Set<String>] {
    var shut: [String: Set<String>] = [:]
    for effect in effects {
      switch effect {
      case .shut(let syspath, name: _, let screens, why: _): shut[syspath] = Set(screens)
      case .drop(let syspath, _): shut[syspath] = nil
      case .open, .close, .forget, .log: break
      }
    }
    return shut
  }
}

func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1_000_000_000) + 1_000_000_000_000) }

// MARK: Nodes of a desktop

/// INPUT_PROP_DIRECT, slots and BTN_TOUCH.
func panel(_ number: Int = 3, name: String = "Panel", path: String? = nil) -> InputNode {
  node(
    number, name, direct: true,
    axes: [
      EventCode.absX, EventCode.absY, EventCode.positionX, EventCode.positionY, EventCode.slot, EventCode.trackingID,
    ],
    keys: [EventCode.buttonTouch], path: path)
}

func node(
  _ number: Int, _ name: String, direct: Bool = false, axes: Set<UInt16> = [], keys: Set<UInt16> = [],
  path: String? = nil
) -> InputNode {
  InputNode(
    syspath: "/sys/devices/x/input/input\(number)/event\(number)", node: "/dev/input/event\(number)", name: name,
    identity: "222a:0001", path: path ?? "/devices/x/\(number)",
    capabilities: ScreenProfile.Capabilities(
      name: name, properties: direct ? [InputProperty.direct] : [], keys: keys, axes: axes,
      slots: axes.contains(EventCode.slot) ? 1 : nil, taggedTouchscreen: false))
}

let touchscreen = UdevReport(tags: [.touchscreen], idPath: "pci-usb-1")

/// Everything else that a desktop has, with udev's tags.
let desktop: [(InputNode, UdevReport)] = [
  (node(20, "Keyboard", axes: [0x20]), UdevReport(tags: [.keyboard])),
  (node(21, "Mouse", keys: [EventCode.buttonLeft]), UdevReport(tags: [.mouse])),
  (
    node(
      22, "Touchpad",
      axes: [
        EventCode.absX, EventCode.absY, EventCode.positionX, EventCode.positionY, EventCode.slot, EventCode.trackingID,
      ],
      keys: [EventCode.buttonTouch, EventCode.buttonToolFinger, EventCode.buttonLeft]), UdevReport(tags: [.touchpad])
  ),
  (
    node(
      23, "Pen display", direct: true, axes: [EventCode.absX, EventCode.absY],
      keys: [EventCode.buttonTouch, EventCode.buttonToolPen]), UdevReport(tags: [.tablet])
  ),
  (
    node(
      24, "Tablet", axes: [EventCode.absX, EventCode.absY], keys: [EventCode.buttonTouch, EventCode.buttonToolPen]),
    UdevReport(tags: [.tablet])
  ),
  (node(25, "Gamepad", axes: Set(0...5).union([0x2e, 0x2f, 0x35, 0x36, 0x39])), UdevReport(tags: [.joystick])),
  (node(26, "Accelerometer", axes: [0, 1, 2]), UdevReport(tags: [.accelerometer])),
  (node(27, "Power Button"), UdevReport()),
  (node(28, "Lid Switch"), UdevReport()),
  (node(29, "Webcam"), UdevReport()),
  (node(30, "Absolute mouse", axes: [0, 1], keys: [EventCode.buttonLeft]), UdevReport(tags: [.mouse])),
]
