import Foundation
import Recordings
import Testing
import TouchModel
import TouchgateAPI
import TouchgateClient
import VirtualTouch

extension VMTests {
  @Suite("Discovery")
  struct DiscoveryTests {
    private func service(_ configuration: String = "") throws -> ServiceUnderTest {
      let service = try ServiceUnderTest(start: false)
      try service.configure("touchgate.conf", "[Gate]\nQuietPeriod=0\nFirstScreenTimeout=0\n\(configuration)\n")
      return service
    }

    private func health(_ service: ServiceUnderTest) throws -> String {
      try service.status().screens.flatMap(\.devices).map(\.health).joined(separator: "; ")
    }

    // MARK: Containers

    @Test("without /run/udev a touched screen keeps the gate shut, and after 5 s it is unknown, with node and remedy")
    func container() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      try settleUdev()
      screen.down(slot: 0, x: 0.5, y: 0.5)
      let service = try service()
      try service.start(wrapper: withoutUdev)
      let id = try service.submit()
      #expect(always(for: .seconds(3)) { !service.isApplied(id) })
      #expect(try service.status().gate.state == "unknown")
      #expect(!service.log.contains("Lobby"), "silently: \(service.log)")
      #expect(try service.becomes { try service.status().screens.first?.state == "unknown" })
      let health = try health(service)
      #expect(health.contains(screen.node) && health.contains("Use=") && health.contains("Ignore="), "\(health)")
      #expect(try service.update(id).blockers.first?.reason?.contains(screen.node) == true)
      #expect(try service.status().warnings.contains { $0.contains(screen.node) })
      #expect(!service.isApplied(id))
    }

    @Test("without /run/udev a screen that Use= names counts, and Ignore= leaves it out")
    func containerConfigured() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      try settleUdev()
      screen.down(slot: 0, x: 0.5, y: 0.5)
      let using = try service("[Devices]\nUse=name:Lobby")
      try using.start(wrapper: withoutUdev)
      let id = try using.submit()
      #expect(try using.sees(1, within: .seconds(10)))
      screen.up(slot: 0)
      #expect(eventually { using.isApplied(id) })

      screen.down(slot: 0, x: 0.5, y: 0.5)
      let ignoring = try service("[Devices]\nIgnore=name:Lobby")
      try ignoring.start(wrapper: withoutUdev)
      let next = try ignoring.submit()
      #expect(eventually(within: .seconds(3)) { ignoring.isApplied(next) })
    }

    @Test(
      "without udev's events a screen that is plugged in keeps the gate shut, is unknown after 5 s, and can go again")
    func networkNamespace() throws {
      let service = try service()
      try service.start(wrapper: withoutUdevEvents)
      let using = try self.service("[Devices]\nUse=name:Lobby")
      try using.start(wrapper: withoutUdevEvents)
      let first = try service.submit()
      #expect(eventually(within: .seconds(3)) { service.isApplied(first) })
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      let id = try service.submit()
      #expect(always(for: .seconds(3)) { !service.isApplied(id) })
      #expect(try service.becomes { try service.status().screens.first?.state == "unknown" })
      #expect(try health(service).contains(screen.node))
      #expect(try using.sees(1))
      screen.unplug()
      #expect(eventually { service.isApplied(id) })
      #expect(try using.sees(0))
      #expect(try service.status().screens.isEmpty)
    }

    @Test("a desktop's other devices never keep the gate shut without udev")
    func otherDevices() throws {
      var touchpad = ScreenDescription("Touchpad", kind: .multitouch(slots: 5))
      touchpad.direct = false
      var tablet = ScreenDescription("Pen", kind: .singleTouch).device
      tablet.keys.insert(EventCode.buttonToolPen)
      var keyboard = RecordedDevice(name: "Keyboard")
      keyboard.keys = [30, 31, 32]
      let devices = try [touchpad.device, tablet, keyboard].map { try VirtualTouchscreen($0) }
      try settleUdev()
      let service = try service()
      try service.start(wrapper: withoutUdev)
      let id = try service.submit()
      #expect(eventually(within: .seconds(3)) { service.isApplied(id) })
      withExtendedLifetime(devices) {}
    }

    // MARK: Disagreement with udev

    @Test("a node with fingers and pen that udev tags only as a tablet counts; the log and screens --all say so")
    func hybrid() throws {
      var device = ScreenDescription("Hybrid").device
      device.keys.formUnion([EventCode.buttonToolPen, EventCode.buttonToolFinger])
      let screen = try VirtualTouchscreen(device)
      var pad = ScreenDescription("Touchpad", kind: .multitouch(slots: 5))
      pad.direct = false
      let touchpad = try VirtualTouchscreen(pad)
      try settleUdev()
      let properties = try Run("/usr/bin/udevadm", ["info", "--query=property", screen.node]).output
      try #require(properties.contains("ID_INPUT_TABLET=1") && !properties.contains("TOUCHSCREEN"), "\(properties)")
      let service = try service()
      try service.start()
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try service.sees(1))
      #expect(service.log.contains("\(screen.node) (Hybrid) counts as a touchscreen"))
      let list = try Run(touchgate, ["screens", "--all", "--socket", "\(service.folder)/socket"]).output
      let lines = list.split(separator: "\n")
      #expect(lines.contains { $0.contains("\(screen.node) Hybrid") && $0.contains(": adopted as Hybrid") }, "\(list)")
      #expect(lines.contains { $0.contains("\(touchpad.node) Touchpad") && $0.contains(": not adopted") }, "\(list)")
      screen.up(slot: 0)
      #expect(try service.sees(0))
    }

    private var absoluteMouse: RecordedDevice {
      var device = ScreenDescription("Absolute", kind: .singleTouch).device
      device.properties = []
      device.keys = [EventCode.buttonLeft]
      return device
    }

    @Test("a tagged device that cannot be decoded is unknown until Ignore=; with Use= its BTN_LEFT is a contact")
    func refused() throws {
      let rules = try UdevRules()
      try rules.set("SUBSYSTEM==\"input\", ATTRS{name}==\"Absolute\", ENV{ID_INPUT_TOUCHSCREEN}=\"1\"")
      defer { withExtendedLifetime(rules) {} }
      let panel = try VirtualTouchscreen(absoluteMouse)
      try settleUdev()
      let service = try service()
      try service.start()
      let id = try service.submit()
      #expect(always(for: .seconds(1)) { !service.isApplied(id) })
      #expect(try service.status().screens.first?.state == "unknown")
      #expect(try health(service).contains("Ignore="))
      try service.configure(
        "touchgate.conf", "[Gate]\nQuietPeriod=0\nFirstScreenTimeout=0\n[Devices]\nIgnore=name:Abs*\n")
      service.signal(SIGHUP)
      #expect(eventually { service.isApplied(id) })

      let using = try self.service("[Devices]\nUse=name:Absolute")
      try using.start()
      try #require(try using.knows(screens: 1))
      panel.send([(EventType.key, EventCode.buttonLeft, 1), (EventType.syn, 0, 0)])
      #expect(try using.sees(1))
      let next = try using.submit()
      #expect(always(for: .seconds(1)) { !using.isApplied(next) })
      panel.send([(EventType.key, EventCode.buttonLeft, 0), (EventType.syn, 0, 0)])
      #expect(eventually { using.isApplied(next) })
    }

    @Test("a device named by a newline and an escape sequence is printable everywhere, and its touches count")
    func name() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("\n"))
      let other = try VirtualTouchscreen(ScreenDescription("Lo\nbby\u{1b}[2J"))
      try settleUdev()
      let service = try service()
      try service.start()
      try #require(try service.knows(screens: 2))
      #expect(try Set(service.status().screens.map(\.name)) == ["unnamed device", "Lo?bby?[2J"])
      screen.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try service.sees(1))
      let id = try service.submit()
      #expect(always(for: .seconds(1)) { !service.isApplied(id) })
      screen.up(slot: 0)
      #expect(eventually { service.isApplied(id) })
      #expect(
        !service.log.contains("\u{1b}") && service.log.split(separator: "\n").allSatisfy { $0.contains("touchgated") })
      withExtendedLifetime(other) {}
    }

    // MARK: Devices that come and go

    @Test("a device that was there for 100 ms leaves no screen behind")
    func phantom() throws {
      let service = try service()
      try service.start()
      for _ in 0..<5 {
        service.signal(SIGSTOP)
        let screen = try VirtualTouchscreen(ScreenDescription("Phantom"))
        hold(for: .milliseconds(100))
        screen.unplug()
        try settleUdev()
        service.signal(SIGCONT)
        try service.catchUp()
      }
      #expect(try service.status().screens.isEmpty)
      #expect(!service.log.contains("Phantom") && !service.log.contains("/dev/input/event"), "\(service.log)")
      let id = try service.submit()
      #expect(eventually(within: .seconds(3)) { service.isApplied(id) })
    }

    @Test("a device that is created anew every 100 ms disturbs no other screen, and leaves nothing behind")
    func recreated() throws {
      let seconds = ProcessInfo.processInfo.environment["TOUCHGATE_STORM_SECONDS"].flatMap(Int.init) ?? 3
      let lobby = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try service()
      try service.start()
      try #require(try service.knows(screens: 1))
      lobby.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let id = try service.submit()
      let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.pid)/fd").count
      for _ in 0..<seconds * 10 {
        let screen = try VirtualTouchscreen(ScreenDescription("Storm"))
        hold(for: .milliseconds(100))
        screen.unplug()
        #expect(!service.isApplied(id))
      }
      lobby.up(slot: 0)
      try settleUdev()
      #expect(eventually { service.isApplied(id) })
      try service.catchUp()
      #expect(try service.status().screens.map(\.name) == ["Lobby"])
      let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.pid)/fd").count
      #expect(after <= before)
      #expect(try service.status().warnings == [])
    }

    @Test("after udev's queue has overflowed, the screens that are there are known, and no others")
    func overflow() throws {
      // libudev asks for a queue of 128 MiB; for a user without rights the kernel's limit applies.
      let limit = "/proc/sys/net/core/rmem_max"
      let before = try String(contentsOfFile: limit, encoding: .utf8)
      try "65536".write(toFile: limit, atomically: false, encoding: .utf8)
      defer { try? before.write(toFile: limit, atomically: false, encoding: .utf8) }
      let rules = try UdevRules()
      try rules.set("SUBSYSTEM==\"input\", KERNEL==\"event*\", MODE=\"0666\"")
      defer { withExtendedLifetime(rules) {} }
      let service = try service()
      try service.start(as: "nobody")
      service.signal(SIGSTOP)
      let many = try (0..<150).map { try VirtualTouchscreen(ScreenDescription("Panel \($0)")) }
      try settleUdev()
      for screen in many { screen.unplug() }
      try settleUdev()
      let lobby = try VirtualTouchscreen(ScreenDescription("Lobby"))
      try settleUdev()
      service.signal(SIGCONT)
      try #require(try service.knows(screens: 1))
      #expect(try service.status().screens.first?.name == "Lobby")
      #expect(service.log.contains("events of udev were lost"))
      lobby.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try service.sees(1))
    }

    @Test("300 nodes at once are all read, and a touch on the last counts")
    func many() throws {
      let service = try service()
      try service.start()
      let screens = try (0..<300).map {
        try VirtualTouchscreen(ScreenDescription("Panel \($0)", kind: .multitouch(slots: 2)))
      }
      try settleUdev()
      // The answer comes after all of them have been opened.
      let patient = TouchgateConnection(path: service.connection.path, timeout: .seconds(60))
      #expect(
        try service.becomes(within: .seconds(60)) {
          let screens = try patient.status().screens
          return screens.count == 300 && screens.allSatisfy { $0.state == "clear" }
        })
      screens[299].down(slot: 0, x: 0.5, y: 0.5)
      #expect(try service.sees(1))
      let id = try service.submit()
      #expect(always(for: .seconds(1)) { !service.isApplied(id) })
      screens[299].up(slot: 0)
      #expect(eventually { service.isApplied(id) })
    }

    // MARK: Forgotten screens

    @Test("a screen that was plugged in once is not missing when it is gone, nor after a restart")
    func pluggedOnce() throws {
      let service = try service("OnNoScreen=apply")
      try service.start()
      let screen = try VirtualTouchscreen(ScreenDescription("Visitor"))
      try #require(try service.knows(screens: 1))
      screen.unplug()
      #expect(try service.becomes { try service.status().screens.isEmpty })
      let id = try service.submit()
      #expect(eventually(within: .seconds(3)) { service.isApplied(id) })
      service.kill(SIGTERM)
      try service.start()
      let next = try service.submit()
      #expect(eventually(within: .seconds(3)) { service.isApplied(next) })
    }

    @Test("a screen of two boots is missing; the blocker names the command that forgets it, for good")
    func forget() throws {
      let lobby = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try service("OnNoScreen=hold")
      for boot in ["one", "two"] {
        try service.start(wrapper: inBoot(boot, service))
        try #require(try service.knows(screens: 1))
        service.kill(SIGTERM)
      }
      lobby.unplug()
      let other = try VirtualTouchscreen(ScreenDescription("Other"))
      try settleUdev()
      try service.start(wrapper: inBoot("three", service))
      let id = try service.submit()
      #expect(always(for: .seconds(1)) { !service.isApplied(id) })
      let blocker = try #require(try service.update(id).blockers.first { $0.screen == "Lobby" })
      #expect(blocker.clears.contains("touchgate screens --forget 'Lobby'"))
      let socket = ["--socket", "\(service.folder)/socket"]
      #expect(try Run(touchgate, ["screens", "--forget", "Other"] + socket).errors.contains("connected"))
      #expect(try Run(touchgate, ["screens", "--forget", "Nobody"] + socket).status == 4)
      let forgotten = try Run(touchgate, ["screens", "--forget", "Lobby"] + socket)
      #expect(forgotten.status == 0 && forgotten.output.isEmpty, "\(forgotten.errors)")
      #expect(eventually { service.isApplied(id) })
      service.kill(SIGTERM)
      try service.start(wrapper: inBoot("three", service))
      let next = try service.submit()
      #expect(eventually(within: .seconds(3)) { service.isApplied(next) })
      withExtendedLifetime(other) {}
    }
  }
}
