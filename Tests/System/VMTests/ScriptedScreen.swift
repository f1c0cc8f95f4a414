import Glibc
import Recordings
import Testing
import Timeline
import TouchModel
import TouchScripts
import TouchgateAPI
import VirtualTouch

/// Plays a touch script to the real service through a kernel device.
///
/// The slot table becomes what the script says: for `VERIFY` under a foreign grab, so that the service receives no
/// events; for `DROP` while the service is stopped and its queue overflows; for `OPEN` while it is not running. Of the
/// expectations the verdict and the number of contacts are checked, in the service's status.
final class ScriptedScreen {
  let service: ServiceUnderTest
  private let script: TouchScript
  private var screen: VirtualTouchscreen?
  /// What the kernel holds.
  private var kernel = SlotTable(ScreenProfile(name: "", touchProtocol: .singleTouch))
  private var wanted: ScriptOperation.Snapshot?
  private var isDropping = false
  private var devices = 0

  init(_ script: TouchScript) throws {
    self.script = script
    // In these scripts a finger that rests for ten minutes still counts.
    service = try ServiceUnderTest(gate: "FirstScreenTimeout=0\nMissingScreenGrace=0\nStuckAfter=1h")
  }

  deinit { service.signal(SIGCONT) }

  /// Returns how many lines held. Lines in the middle of a drop are not checked, since the service is stopped.
  func run() throws -> Int {
    var checks = 0
    for (index, step) in script.steps.enumerated() {
      for operation in step.operations { try perform(operation, script.operations(from: index)) }
      if step.expected.isEmpty || isDropping { continue }
      var found: StatusLine?
      let holds = try service.becomes(within: .milliseconds(60)) {
        let status = try StatusLine(service)
        found = status
        return step.expected.allSatisfy(status.agrees)
      }
      if !holds {
        throw TouchScript.Failure(
          line: step.line, message: "\(step.text): the service has \(found.map { "\($0)" } ?? "no status")")
      }
      checks += 1
    }
    return checks
  }

  // MARK: Operations

  private func perform(_ operation: ScriptOperation, _ rest: [ScriptOperation]) throws {
    switch operation {
    case .device(let touchProtocol): try plug(touchProtocol, rest)
    case .snapshot(let snapshot): wanted = snapshot
    case .open:
      service.kill(SIGTERM)
      bringAbout()
      try service.start()
      try #require(try service.knows(screens: 1))
    case .verify:
      if wanted != nil, let screen {
        let grab = try ForeignGrab(node: screen.node)
        bringAbout()
        withExtendedLifetime(grab) {}
      }
      for _ in 0..<2 {
        _ = try service.status()
        hold(for: ContactTracker.secondRead + .milliseconds(1))
      }
    case .gone: try unplug()
    case .wait(let time): hold(for: time)
    case .event(EventType.syn, EventCode.synDropped, _): try drop()
    case .event(let type, let code, let value):
      send([(type, code, value)])
      if isDropping && (type, code) == (EventType.syn, EventCode.synReport) {
        isDropping = false
        service.signal(SIGCONT)
      }
    }
  }

  private func plug(_ touchProtocol: TouchProtocol, _ rest: [ScriptOperation]) throws {
    if screen != nil { try unplug() }
    devices += 1
    let plugged = try VirtualTouchscreen(.scripted("Scripted \(devices)", touchProtocol, rest))
    screen = plugged
    kernel = SlotTable(ScreenProfile(name: "", touchProtocol: touchProtocol))
    wanted = nil
    let isKnown = try service.becomes {
      try service.status().screens.contains { $0.name == plugged.device.name && $0.state == "clear" }
    }
    try #require(isKnown, "the service does not find the device; its log: \(service.log)")
  }

  private func unplug() throws {
    let name = screen?.device.name
    screen = nil
    let isGone = try service.becomes {
      try !service.status().screens.contains { $0.name == name && !$0.devices.isEmpty }
    }
    try #require(isGone)
  }

  private func send(_ events: [RawEvent]) {
    for event in events {
      kernel.apply(InputEvent(time: .distantPast, type: event.type, code: event.code, value: event.value))
    }
    screen?.send(events)
  }

  /// Sends the events that turn the slot table into the one that the script wants.
  private func bringAbout() {
    guard let snapshot = wanted else { return }
    wanted = nil
    var events: [RawEvent] = []
    for (slot, id) in kernel.table.trackingIDs.enumerated() where snapshot.ids[slot] ?? -1 != id {
      events.append((EventType.abs, EventCode.slot, Int32(slot)))
      events.append((EventType.abs, EventCode.trackingID, snapshot.ids[slot] ?? -1))
    }
    if let button = snapshot.button { events.append((EventType.key, EventCode.buttonTouch, button ? 1 : 0)) }
    if let slot = snapshot.currentSlot { events.append((EventType.abs, EventCode.slot, Int32(slot))) }
    send(events + [(EventType.syn, EventCode.synReport, 0)])
  }

  /// Sends more than a queue holds, by BTN_TOUCH, which the service does not mask; a second reader proves the overflow.
  private func drop() throws {
    let screen = try #require(screen)
    service.signal(SIGSTOP)
    isDropping = true
    let witness = try EventCount(screen.node)
    let down: Int32 = kernel.table.touchDown == true ? 1 : 0
    for _ in 0..<2000 {
      for value in [1 - down, down] {
        send([(EventType.key, EventCode.buttonTouch, value), (EventType.syn, EventCode.synReport, 0)])
      }
    }
    try #require(witness.hasLost)
    bringAbout()
  }
}

/// The one screen in the service's status.
private struct StatusLine: CustomStringConvertible {
  let contacts: Int
  let state: String

  init(_ service: ServiceUnderTest) throws {
    let status = try service.status()
    contacts = status.contacts
    state = status.screens.first?.state ?? "no screen"
  }

  var description: String { "\(contacts) contacts, state \(state)" }

  func agrees(_ expectation: ScriptExpectation) -> Bool {
    switch expectation {
    case .contacts(let text): text.split(separator: ",").count { $0 != "{}" } == contacts
    case .verdict(.touched): contacts > 0 && state == "touched"
    case .verdict(.uncertain): state == "unknown" || contacts > 0 && state == "touched"
    case .verdict(.idle): contacts == 0 && state != "unknown"
    case .total: true  // The service does not report them.
    }
  }
}

extension RecordedDevice {
  /// A device that can send everything in a script up to its next device.
  fileprivate static func scripted(
    _ name: String, _ touchProtocol: TouchProtocol, _ operations: [ScriptOperation]
  ) -> RecordedDevice {
    let kind: ScreenDescription.Kind =
      switch touchProtocol {
      case .typeB(slots: let count): .multitouch(slots: count)
      case .typeA: .typeA
      case .singleTouch: .singleTouch
      }
    var description = ScreenDescription(name, kind: kind)
    description.buttonTouch = operations.contains { operation in
      switch operation {
      case .event(EventType.key, EventCode.buttonTouch, _), .event(EventType.syn, EventCode.synDropped, _): true
      case .snapshot(let snapshot): snapshot.button != nil
      case .device, .event, .open, .verify, .gone, .wait: false
      }
    }
    var device = description.device
    for case .event(EventType.abs, let code, let value) in operations {
      let known = device.axes[code] ?? .init(minimum: 0, maximum: 0)
      device.axes[code] = .init(
        minimum: known.minimum, maximum: code == EventCode.slot ? known.maximum : max(known.maximum, value))
    }
    return device
  }
}

extension TouchScript {
  /// All operations from this line on, up to the next device.
  fileprivate func operations(from index: Int) -> [ScriptOperation] {
    let rest = steps[index...].flatMap(\.operations)
    let own = rest.dropFirst().prefix { if case .device = $0 { false } else { true } }
    return Array(own)
  }
}
