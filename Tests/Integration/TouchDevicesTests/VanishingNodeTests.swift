import DeviceRules
import Evdev
import EventLoop
import Gating
import ServiceLog
import Testing
import Timeline

@testable import TouchDevices

@Suite("Nodes that vanish during discovery")
struct VanishingNodeTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private let tagged = UdevReport(tags: [.touchscreen], idPath: "usb-1")

  private func input() throws -> TouchInput {
    TouchInput(loop: try EventLoop(), log: Log(), settings: TouchSettings(), remembered: [], now: start)
  }

  private func expectNothing(_ input: TouchInput, _ place: String) {
    #expect(input.screens.gates.isEmpty && input.screens.absences.isEmpty, "\(place): \(input.screens.gates.keys)")
    #expect(input.pendingNode == nil && input.nodes.isEmpty && input.devices.isEmpty, "\(place)")
    #expect(input.attached.isEmpty && input.finder.discovery.nextDeadline == nil, "\(place)")
  }

  @Test("a node that vanishes before any system call of discovery leaves nothing behind, whoever reports its end")
  func everyBoundary() throws {
    var boundaries = 0
    for last in 0... {
      let nodes = VanishingNodes(vanishesAt: last)
      let input = try input()
      try input.start(nodes, now: start)
      let reader = SysfsReader(nodes)
      // udev reports it, as far as it still exists.
      if let node = reader.describe(syspath: VanishingNodes.syspath, node: VanishingNodes.node) {
        input.handle(.found(node, tagged), start)
      }
      input.timePassed(start + .milliseconds(20))
      let wasRead = nodes.exists
      nodes.vanish()
      nodes.device.isGone = true
      switch last % 4 {
      case 0: input.handle(.gone(syspath: VanishingNodes.syspath), start + .milliseconds(30))
      case 1: input.handle(.nodeGone(VanishingNodes.node), start + .milliseconds(30))
      case 2: input.handle(.listed([]), start + .milliseconds(30))
      default: input.handle(.lost, start + .milliseconds(30))
      }
      if let id = input.attached.keys.first { input.read(id, start + .milliseconds(40)) }
      input.timePassed(start + .seconds(60))
      expectNothing(input, "boundary \(last)")
      boundaries = last
      if wasRead { break }
    }
    #expect(boundaries > 15, "the device was never there for long enough")
  }

  @Test("a node that stays is adopted once udev reports it, and until then nothing must be decided")
  func stays() throws {
    let nodes = VanishingNodes(vanishesAt: 1_000_000)
    let input = try input()
    try input.start(nodes, now: start)
    #expect(input.pendingNode?.node.name == "Panel" && input.screens.gates.isEmpty)
    let node = try #require(SysfsReader(nodes).node(named: "event7"))
    #expect(node.identity == "222a:0001" && node.path == "/devices/x" && node.syspath == VanishingNodes.syspath)
    input.handle(.found(node, tagged), start)
    while let due = input.nextDeadline, due <= start + .milliseconds(100) { input.timePassed(due) }
    guard case .clear = input.screens.gates["Panel"]?.state else {
      Issue.record("\(String(describing: input.screens.gates["Panel"]?.state))")
      return
    }
    #expect(input.pendingNode == nil)
    #expect(input.readScreens == ["Panel": "usb-1 222a:0001"])
  }
}
