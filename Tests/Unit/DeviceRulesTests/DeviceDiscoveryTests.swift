import Testing
import Timeline
import TouchModel

@testable import DeviceRules

@Suite("Discovery of touchscreens")
struct DeviceDiscoveryTests {
  // MARK: Two methods

  @Test("of a desktop's nodes only the touchscreen is adopted, and no other keeps the gate shut, with udev or without")
  func desktopNodes() {
    var bench = DiscoveryBench()
    bench.find(desktop.map { ($0.0, $0.1) } + [(panel(), touchscreen)])
    #expect(bench.adopted == ["/dev/input/event3": "Panel"])
    #expect(bench.shut.isEmpty && bench.discovery.pending == nil && bench.logged == [])

    var alone = DiscoveryBench()
    alone.find(desktop.map { ($0.0, nil) })
    #expect(alone.discovery.pending == nil && alone.discovery.nextDeadline == nil)
    alone.pass(60)
    #expect(alone.adopted == [:] && alone.shut.isEmpty && alone.logged == [])
  }

  @Test("udev 8 s late at boot: shut silently for 5 s, then unknown with node and remedy, then adopted under its name")
  func lateUdev() throws {
    var bench = DiscoveryBench()
    bench.find(desktop.map { ($0.0, nil) } + [(panel(), nil)])
    #expect(bench.discovery.pending?.node == panel())
    bench.pass(4.999)
    #expect(bench.discovery.pending != nil && bench.logged == [] && bench.effects == [])
    bench.pass(0.001)
    #expect(bench.discovery.pending == nil && bench.shut == ["Panel"])
    let why = try #require(bench.logged.first)
    #expect(why.contains("/dev/input/event3") && why.contains("Use=") && why.contains("Ignore="))
    bench.pass(3)
    bench.find(desktop.map { ($0.0, $0.1) } + [(panel(), touchscreen)])
    #expect(bench.adopted == ["/dev/input/event3": "Panel"] && bench.shut.isEmpty)
    #expect(bench.discovery.nextDeadline == nil)
  }

  @Test(
    "udev's report ends the wait, whatever it says",
    arguments: [
      touchscreen, UdevReport(tags: [.touchscreen], seat: "seat1"), UdevReport(tags: [.touchscreen], ignored: true),
      UdevReport(tags: [.touchpad]),
    ])
  func reported(_ report: UdevReport) {
    var bench = DiscoveryBench()
    bench.find(panel())
    bench.pass(0.1)
    bench.find(panel(), report)
    #expect(bench.discovery.pending == nil && bench.shut.isEmpty)
    #expect(bench.adopted.isEmpty == (report != touchscreen))
    bench.pass(60)
    #expect(bench.shut.isEmpty)
  }

  @Test("without udev, Use= lets a node count after 5 s, and Ignore= leaves it out at once")
  func configured() throws {
    let use = try #require(DeviceRule("name:Pan*", use: true))
    var bench = DiscoveryBench(rules: [use])
    bench.find(panel())
    #expect(bench.adopted == [:] && bench.discovery.pending != nil)
    bench.pass(5)
    #expect(bench.adopted == ["/dev/input/event3": "Panel"] && bench.shut.isEmpty)

    let ignore = try #require(DeviceRule("name:Pan*", use: false))
    var without = DiscoveryBench(rules: [ignore])
    without.find(panel())
    #expect(without.discovery.pending == nil)
    #expect(without.effects == [.forget(screen: "Panel")])
    without.pass(60)
    #expect(without.shut.isEmpty)
  }

  @Test("a node without any description waits for udev and is unknown after it")
  func undescribed() {
    var bench = DiscoveryBench()
    let blank = InputNode(
      syspath: "/dev/input/event5", node: "/dev/input/event5", name: "/dev/input/event5", capabilities: nil)
    bench.find(blank)
    #expect(bench.discovery.pending?.node == blank)
    bench.pass(5)
    #expect(bench.shut == ["/dev/input/event5"])
    bench.apply { $0.gone(node: "/dev/input/event5") }
    #expect(bench.shut.isEmpty && bench.reportedShut.isEmpty)
  }

  // MARK: Disagreement with udev

  @Test("a direct device with slots that udev tags only as a tablet counts, and the log and the list say so")
  func hybrid() {
    var bench = DiscoveryBench()
    bench.find(panel(), UdevReport(tags: [.tablet]))
    bench.find(panel(4, name: "Untagged"), UdevReport())
    #expect(bench.adopted == ["/dev/input/event3": "Panel", "/dev/input/event4": "Untagged"])
    #expect(bench.why(panel()).contains("only as tablet"))
    #expect(bench.logged.count == 2 && bench.logged.allSatisfy { $0.contains("counts as a touchscreen") })
  }

  @Test("touchpad, seat, and the exclusions of udev and of the configuration win over the own test")
  func exclusions() throws {
    for report in [
      UdevReport(tags: [.touchpad]), UdevReport(tags: [.tablet], seat: "seat1"),
      UdevReport(tags: [.tablet], ignored: true), UdevReport(tags: [.tablet, .mouse]),
    ] {
      var bench = DiscoveryBench()
      bench.find(panel(), report)
      #expect(bench.adopted == [:] && bench.shut.isEmpty && !bench.why(panel()).isEmpty, "\(report)")
    }
    var ignoring = DiscoveryBench(rules: [try #require(DeviceRule("name:Panel", use: false))])
    ignoring.find(panel(), UdevReport(tags: [.tablet]))
    #expect(ignoring.adopted == [:])
  }

  @Test("a touchscreen that udev calls something else is left out with a log line")
  func otherTag() {
    var bench = DiscoveryBench()
    bench.find(panel(), UdevReport(tags: [.touchpad]))
    #expect(bench.logged.count == 1 && bench.why(panel()).contains("udev tags it as touchpad"))
    bench.find(panel(), UdevReport(tags: [.touchpad]))
    #expect(bench.logged.count == 1, "once")
  }

  // MARK: Refused devices

  private let mouse = node(7, "Absolute", axes: [0, 1], keys: [EventCode.buttonLeft])

  @Test("a tagged device that cannot be decoded is unknown until Ignore=; Use= opens it as configured")
  func refused() throws {
    var bench = DiscoveryBench()
    bench.openings[mouse.syspath] = .refused(.noTouch)
    bench.find(mouse, touchscreen)
    #expect(bench.shut == ["Absolute"] && bench.reportedShut == [mouse.syspath: ["Absolute"]])
    #expect(bench.logged.count == 1 && bench.why(mouse).contains("Ignore=") && bench.why(mouse).contains("Use="))
    bench.find(mouse, touchscreen)
    bench.pass(3600)
    #expect(bench.logged.count == 1 && bench.shut == ["Absolute"])

    var ignoring = DiscoveryBench(rules: [try #require(DeviceRule("name:Absolute", use: false))])
    ignoring.openings[mouse.syspath] = .refused(.noTouch)
    ignoring.find(mouse, touchscreen)
    #expect(ignoring.shut.isEmpty)
  }

  @Test("a tagged device without absolute axes is only a warning: a rule at the USB parent also tags keyboards")
  func noAxes() {
    var bench = DiscoveryBench()
    let keyboard = node(8, "Panel Keyboard")
    bench.openings[keyboard.syspath] = .refused(.noTouch)
    bench.find(keyboard, touchscreen)
    #expect(bench.shut.isEmpty && bench.discovery.problems.count == 1 && bench.logged.count == 1)
  }

  @Test("a tagged device is only a warning while another node of the same hardware is adopted")
  func sibling() {
    var bench = DiscoveryBench()
    bench.openings[mouse.syspath] = .refused(.noTouch)
    bench.find(mouse, touchscreen)
    #expect(bench.shut == ["Absolute"])
    bench.find(panel(), touchscreen)
    #expect(bench.shut.isEmpty && bench.reportedShut.isEmpty && bench.adopted.count == 1)
    bench.remove(panel())
    #expect(bench.shut == ["Absolute"])
    bench.remove(mouse)
    #expect(bench.shut.isEmpty && bench.reportedShut.isEmpty)
  }

  // MARK: Opening

  @Test("a node that is absent at its first open leaves nothing behind")
  func absent() {
    var bench = DiscoveryBench()
    bench.openings[panel().syspath] = .absent
    bench.find(panel(), touchscreen)
    #expect(bench.discovery.nodes.isEmpty && bench.shut.isEmpty && bench.logged == [])
    #expect(bench.discovery.nextDeadline == nil && bench.reportedShut.isEmpty)
  }

  @Test("a node that cannot be opened is shut and retried with growing pauses of at most 5 s, one log line per problem")
  func retried() throws {
    var bench = DiscoveryBench()
    bench.openings[panel().syspath] = .problem("permission denied")
    bench.find(panel(), touchscreen)
    #expect(bench.shut == ["Panel"])
    #expect(bench.discovery.nextDeadline == at(0) + .milliseconds(50))
    bench.pass(0.05)
    #expect(bench.discovery.nextDeadline == at(0) + .milliseconds(150))
    bench.pass(0.1)
    #expect(bench.discovery.nextDeadline == at(0) + .milliseconds(350))
    bench.pass(100)
    let due = try #require(bench.discovery.nextDeadline)
    #expect(due - bench.now <= .seconds(5) && bench.logged.count == 1)
    bench.openings[panel().syspath] = .works
    bench.pass(5)
    #expect(bench.adopted.count == 1 && bench.shut.isEmpty)
  }

  @Test("without slots only a node without tags counts as a touchscreen: a tablet to draw on is none")
  func directTablet() {
    let node = node(
      3, "Panel", direct: true, axes: [EventCode.absX, EventCode.absY], keys: [EventCode.buttonTouch])
    var bench = DiscoveryBench()
    bench.find(node, UdevReport(tags: [.tablet]))
    #expect(bench.adopted == [:] && bench.shut.isEmpty)
    var untagged = DiscoveryBench()
    untagged.find(node, UdevReport())
    #expect(untagged.adopted.count == 1)
  }

  @Test("a device that moves to another seat while open is closed")
  func moved() {
    var bench = DiscoveryBench()
    bench.find(panel(), touchscreen)
    bench.find(panel(), UdevReport(tags: [.touchscreen], seat: "seat1"))
    #expect(bench.effects == [.close(syspath: panel().syspath)] && bench.adopted == [:])
  }

  @Test("another device at the same node replaces one that is not open; an open one stays until its own end")
  func replaced() {
    var bench = DiscoveryBench()
    bench.find(panel(3))
    var next = panel(4)
    next.node = "/dev/input/event3"
    bench.find(next)
    #expect(bench.discovery.nodes.count == 1)
    bench.find(next, touchscreen)
    bench.apply { $0.gone(node: "/dev/input/event3") }
    #expect(bench.adopted.count == 1)
    bench.apply { $0.lost(syspath: next.syspath) }
    #expect(bench.discovery.nodes.isEmpty)
  }

  @Test("after lost events, devices that do not exist any more are gone")
  func remaining() {
    var bench = DiscoveryBench()
    bench.find([(panel(3), touchscreen), (panel(4, name: "Other"), UdevReport(tags: [.touchscreen]))])
    bench.apply { $0.remain([panel(4).syspath]) }
    #expect(bench.adopted == ["/dev/input/event4": "Other"])
    #expect(bench.effects == [.close(syspath: panel(3).syspath)])
  }

  @Test("a new list of all nodes finds new ones, and what it does not have is gone unless it is open")
  func listed() {
    var bench = DiscoveryBench()
    bench.find([(panel(3), touchscreen), (panel(4, name: "Other"), nil)])
    bench.apply { [now = bench.now] in $0.listed([panel(5, name: "New")], at: now) }
    #expect(bench.adopted == ["/dev/input/event3": "Panel"])
    #expect(bench.discovery.nodes.map(\.node) == ["/dev/input/event3", "/dev/input/event5"])
    #expect(bench.discovery.pending?.node.name == "New")
  }

  @Test("300 nodes at once, then gone: each is decided, and nothing is left")
  func manyNodes() {
    var bench = DiscoveryBench()
    let nodes = (0..<300).map { panel($0, name: "Panel \($0 % 7)") }
    bench.find(nodes.map { ($0, UdevReport(tags: [.touchscreen])) })
    #expect(bench.adopted.count == 300 && Set(bench.adopted.values).count == 300)
    bench.apply { $0.remain([]) }
    #expect(bench.discovery.nodes.isEmpty && bench.discovery.entries.isEmpty)
  }

  // MARK: Sections

  @Test("a device that two sections match shuts both; it is open to nobody")
  func disputed() throws {
    var sections = ScreenRules()
    let rule = try #require(DeviceRule("name:Panel", use: true))
    for name in ["a", "b"] { sections.add(ScreenRules.Section(name: name, place: "x:1", matches: [rule])) }
    var bench = DiscoveryBench(sections: sections)
    bench.find(panel(), touchscreen)
    #expect(bench.shut == ["a", "b"] && bench.adopted == [:] && bench.discovery.problems.count == 1)
    bench.remove(panel())
    #expect(bench.shut.isEmpty && bench.reportedShut.isEmpty)
  }

  @Test("a node that was unknown is adopted under the name of its section")
  func renamed() throws {
    var sections = ScreenRules()
    let rule = try #require(DeviceRule("path:pci-usb-1", use: true))
    sections.add(ScreenRules.Section(name: "lobby", place: "x:1", matches: [rule]))
    var bench = DiscoveryBench(sections: sections)
    bench.find(panel())
    bench.pass(5)
    #expect(bench.shut == ["Panel"])
    bench.find(panel(), touchscreen)
    #expect(bench.adopted == ["/dev/input/event3": "lobby"] && bench.shut.isEmpty && bench.reportedShut.isEmpty)
  }
}
