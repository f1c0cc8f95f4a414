import Timeline
import TouchModel
import TouchScripts

extension TouchScript {
  /// Runs the script against the tracker. Returns the number of lines that were checked.
  func run(_ report: (String) -> Void = { _ in }) throws -> Int {
    var device = ScriptedDevice()
    var checks = 0
    for step in steps {
      for operation in step.operations { device.perform(operation) }
      if step.expected.isEmpty { continue }
      let wrong = device.differences(step.expected)
      if !wrong.isEmpty { throw Failure(line: step.line, message: "\(step.text): \(wrong.joined(separator: "; "))") }
      checks += 1
      report("line \(step.line): \(step.text)")
    }
    return checks
  }
}

/// The device of a script, with a clock that only the script moves.
private struct ScriptedDevice {
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var tracker = ContactTracker(profile: ScreenProfile(name: "script", touchProtocol: .typeB(slots: 10)))
  private var assembler = FrameAssembler()
  private var kernel = KernelTable()
  private var begins = 0
  private var ends = 0

  mutating func perform(_ operation: ScriptOperation) {
    switch operation {
    case .device(let touchProtocol): begin(touchProtocol)
    case .snapshot(let snapshot): take(snapshot)
    case .open: count(tracker.adopt(kernel, at: now))
    case .verify: verify()
    case .gone: count(tracker.removed(at: now))
    case .wait(let time): wait(time)
    case .event(let type, let code, let value):
      guard let output = assembler.add(InputEvent(time: now, type: type, code: code, value: value)) else { return }
      count(tracker.handle(output))
      if case .resync = output { count(tracker.adopt(kernel, at: now)) }
    }
  }

  // MARK: Operations

  private mutating func begin(_ touchProtocol: TouchProtocol) {
    tracker = ContactTracker(profile: ScreenProfile(name: "script", touchProtocol: touchProtocol))
    assembler = FrameAssembler()
    kernel = KernelTable()
    if case .typeB(slots: let count) = touchProtocol { kernel.trackingIDs = Array(repeating: -1, count: count) }
    (begins, ends) = (0, 0)
  }

  private mutating func take(_ snapshot: ScriptOperation.Snapshot) {
    kernel.trackingIDs = kernel.trackingIDs.indices.map { snapshot.ids[$0] ?? -1 }
    kernel.touchDown = snapshot.button
    kernel.currentSlot = snapshot.currentSlot ?? kernel.currentSlot
  }

  private mutating func verify() {
    count(tracker.verify(kernel, at: now))
    if let due = tracker.secondReadDue {
      now = max(now, due)
      count(tracker.verify(kernel, at: now))
    }
  }

  private mutating func wait(_ time: Duration) {
    let end = now + time
    while let due = [tracker.nextDeadline, cutFrameDue].compactMap(\.self).min(), due <= end {
      now = max(now, due)
      if let cut = cutFrameDue, cut <= now, let output = assembler.finishCutFrame(at: now) {
        count(tracker.handle(output))
      }
      count(tracker.timePassed(now))
    }
    now = end
  }

  /// A frame that the kernel cut counts as complete 20 ms later, as in `DeviceReader`.
  private var cutFrameDue: Instant? { assembler.cutSince.map { $0 + ContactTracker.secondRead } }

  private mutating func count(_ changes: [ContactChange]) {
    for change in changes {
      switch change {
      case .began: begins += 1
      case .ended: ends += 1
      case .activity, .stuck, .unstuck, .becameUncertain, .becameCertain: break
      }
    }
  }

  // MARK: Expectations

  func differences(_ expected: [ScriptExpectation]) -> [String] {
    expected.compactMap { expectation in
      let found: String
      switch expectation {
      case .verdict: found = tracker.verdict.rawValue
      case .contacts: found = contacts
      case .total(let name, _):
        let numbers = ["begins": begins, "ends": ends, "anom": tracker.anomalies, "hover": tracker.hoveringCount]
        found = "\(name)=\(numbers[name] ?? -1)"
      }
      return found == expectation.text ? nil : "is \(found), not \(expectation.text)"
    }
  }

  private var contacts: String {
    let doubtful = Set(tracker.doubtfulContacts)
    let texts = tracker.contacts.map { contact in
      let id: String
      switch tracker.profile.touchProtocol {
      case .typeB: id = "\(contact.id ?? -1)"
      case .typeA: id = "a"
      case .singleTouch: id = "st"
      }
      return "\(contact.slot):\(id)\(doubtful.contains(contact) ? "?" : "")"
    }
    return "{\(texts.joined(separator: ","))}"
  }
}
