import Foundation
import Testing
import TouchModel
import TouchgateAPI
import VirtualTouch

extension SimulatedTimeTests {
  /// An update waits for a finger on the till all the time, so the service rechecks the slot tables each second. What it
  /// knows of the lobby is taken from the update's blockers: asking for the status would cause another recheck.
  @Suite("Contacts that only the slot table shows")
  struct TableTests {
    @Test("a finger that lands under another program's grab is seen within a second, and nothing is applied meanwhile")
    func fingerUnderAGrab() throws {
      let bench = try TwoScreens()
      let grab = try ForeignGrab(node: bench.lobby.node)
      bench.lobby.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try bench.lobbyHas(contacts: 1, within: .milliseconds(1050)))
      bench.till.up(slot: 0)
      #expect(always(for: .seconds(5)) { !bench.isApplied })
      bench.lobby.up(slot: 0)
      #expect(eventually(within: .milliseconds(1100)) { bench.isApplied })
      withExtendedLifetime(grab) {}
    }

    @Test("an update submitted after idle time waits for a finger that landed under another program's grab")
    func updateUnderAGrab() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      hold(for: .milliseconds(100))
      let grab = try ForeignGrab(node: screen.node)
      screen.down(slot: 0, x: 0.5, y: 0.5)
      hold(for: .seconds(10))
      let id = try service.submit()
      #expect(always(for: .seconds(5)) { !service.isApplied(id) })
      #expect(try service.update(id).blockers.map(\.code) == ["touched"])
      screen.up(slot: 0)
      #expect(eventually(within: .milliseconds(1100)) { service.isApplied(id) })
      withExtendedLifetime(grab) {}
    }

    @Test("a contact that left the slot table is dropped within a second")
    func liftedUnderAGrab() throws {
      let bench = try TwoScreens()
      bench.lobby.down(slot: 2, x: 0.5, y: 0.5)
      #expect(try bench.lobbyHas(contacts: 1, within: .milliseconds(10)), "by its frame, at once")
      let grab = try ForeignGrab(node: bench.lobby.node)
      bench.lobby.up(slot: 2)
      #expect(
        try bench.service.stays(for: .milliseconds(15)) { try bench.lobbyContacts == 1 },
        "no frame reported it, and one read is not enough"
      )
      #expect(try bench.lobbyHas(contacts: 0, within: .milliseconds(1050)))
      bench.till.up(slot: 0)
      #expect(eventually(within: .milliseconds(100)) { bench.isApplied })
      withExtendedLifetime(grab) {}
    }

    @Test("on a device with autorepeat a finger that rests for seconds counts until it lifts")
    func autorepeat() throws {
      var lobby = ScreenDescription("Lobby")
      lobby.autorepeat = true
      let bench = try TwoScreens(lobby)
      bench.lobby.down(slot: 0, x: 0.5, y: 0.5)
      let reader = try EventCount(bench.lobby.node)
      bench.till.up(slot: 0)
      #expect(try bench.service.stays(for: .seconds(5)) { try bench.lobbyContacts == 1 && !bench.isApplied })
      #expect(reader.count(type: EventType.key, value: 2) > 50, "the kernel does repeat BTN_TOUCH")
      bench.lobby.up(slot: 0)
      #expect(eventually(within: .milliseconds(100)) { bench.isApplied })
    }

    @Test("a frame of 60 fingers, longer than the kernel's buffer, is one frame: never untouched in between")
    func longFrames() throws {
      var lobby = ScreenDescription("Lobby", kind: .multitouch(slots: 60))
      lobby.toolType = true
      let bench = try TwoScreens(lobby)
      let reader = try EventCount(bench.lobby.node)
      bench.lobby.frame { for slot in 0..<60 { bench.lobby.down(slot: slot, x: 0.1, y: Double(slot) / 60) } }
      #expect(try bench.lobbyHas(contacts: 60, within: .milliseconds(50)))
      bench.till.up(slot: 0)
      bench.lobby.frame {
        for slot in 0..<60 { bench.lobby.up(slot: slot) }
        bench.lobby.down(slot: 0, x: 0.5, y: 0.5)
      }
      for round in 1...20 {
        // The only finger lifts, the frame is cut, and a new finger follows in its rest.
        bench.lobby.send([(EventType.abs, EventCode.slot, Int32(round - 1)), (EventType.abs, EventCode.trackingID, -1)])
        bench.lobby.send((0..<1000).map { (EventType.abs, EventCode.absX, Int32($0 % 2 * 100 + round)) })
        #expect(reader.count(type: EventType.syn, value: 1) >= round, "the kernel does cut it")
        #expect(always(for: .milliseconds(15)) { !bench.isApplied })
        bench.lobby.send([
          (EventType.abs, EventCode.slot, Int32(round)), (EventType.abs, EventCode.trackingID, Int32(100 + round)),
          (EventType.syn, EventCode.synReport, 0),
        ])
        #expect(try bench.lobbyHas(contacts: 1, within: .milliseconds(50)))
      }
      #expect(!bench.isApplied)
      bench.lobby.send([
        (EventType.abs, EventCode.trackingID, -1), (EventType.key, EventCode.buttonTouch, 0),
        (EventType.syn, EventCode.synReport, 0),
      ])
      #expect(eventually(within: .milliseconds(100)) { bench.isApplied })
    }

    @Test(
      "after BTN_TOUCH 0 with fingers left in the slots the screen is untouched after two seconds, however often the table is read"
    )
    func forgottenSlots() throws {
      let bench = try TwoScreens()
      bench.lobby.frame { for slot in 0..<2 { bench.lobby.down(slot: slot, x: 0.5, y: 0.5) } }
      #expect(try bench.lobbyHas(contacts: 2, within: .milliseconds(10)))
      bench.lobby.send([(EventType.key, EventCode.buttonTouch, 0), (EventType.syn, EventCode.synReport, 0)])
      #expect(try bench.service.stays(for: .milliseconds(1900)) { try bench.lobbyContacts == 2 })
      #expect(try bench.lobbyHas(contacts: 0, within: .milliseconds(150)))
      let rechecks = try bench.rechecks
      #expect(try bench.service.stays(for: .seconds(10)) { try bench.lobbyContacts == 0 })
      #expect(try bench.rechecks - rechecks >= 9, "the table, where they are still, was read each second")
      #expect(try bench.lobby.kernelIDs().count { $0 != -1 } == 2)
      bench.till.up(slot: 0)
      #expect(eventually(within: .milliseconds(100)) { bench.isApplied })
    }

    @Test("`inhibited` in sysfs ends all contacts; after it is cleared, a new one counts")
    func inhibited() throws {
      let bench = try TwoScreens()
      bench.lobby.down(slot: 0, x: 0.5, y: 0.5)
      #expect(try bench.lobbyHas(contacts: 1, within: .milliseconds(10)))
      try inhibit(bench.lobby, "1")
      #expect(try bench.lobbyHas(contacts: 0, within: .milliseconds(100)))
      bench.lobby.move(slot: 0, x: 0.6, y: 0.5)
      #expect(try bench.service.stays(for: .seconds(5)) { try bench.lobbyContacts == 0 })
      try inhibit(bench.lobby, "0")
      bench.lobby.frame {
        bench.lobby.down(slot: 0, x: 0.7, y: 0.5)
        bench.lobby.send([(EventType.key, EventCode.buttonTouch, 1)])  // The kernel has released it.
      }
      #expect(try bench.lobbyHas(contacts: 1, within: .milliseconds(10)))
      bench.till.up(slot: 0)
      #expect(always(for: .seconds(3)) { !bench.isApplied })
      bench.lobby.up(slot: 0)
      #expect(eventually(within: .milliseconds(100)) { bench.isApplied })
    }

    private func inhibit(_ screen: VirtualTouchscreen, _ value: String) throws {
      try value.write(toFile: "\(screen.sysfs)/inhibited", atomically: false, encoding: .utf8)
    }
  }
}

/// The lobby is the screen under test; an update waits for a finger on the till.
struct TwoScreens {
  let service: ServiceUnderTest
  let lobby: VirtualTouchscreen
  let till: VirtualTouchscreen
  private let update: String

  init(_ description: ScreenDescription = ScreenDescription("Lobby")) throws {
    lobby = try VirtualTouchscreen(description)
    till = try VirtualTouchscreen(ScreenDescription("Till"))
    service = try ServiceUnderTest()
    try #require(try service.knows(screens: 2))
    till.down(slot: 0, x: 0.5, y: 0.5)
    try #require(try service.sees(1))
    update = try service.submit()
    hold(for: .milliseconds(100))  // Just after a device is opened its slot table is read once more in any case.
  }

  var isApplied: Bool { service.isApplied(update) }

  var blockers: [BlockerReply] { get throws { try service.update(update).blockers } }

  /// How many rechecks there were since the update was accepted.
  var rechecks: Int { get throws { try service.update(update).checks ?? 0 } }

  /// The lobby's contacts in the update's blockers; the grace time is no contact.
  var lobbyContacts: Int {
    get throws { try blockers.first { $0.screen == "Lobby" }?.contacts ?? 0 }
  }

  func lobbyHas(contacts: Int, within limit: Duration) throws -> Bool {
    try service.becomes(within: limit) { try lobbyContacts == contacts }
  }
}
