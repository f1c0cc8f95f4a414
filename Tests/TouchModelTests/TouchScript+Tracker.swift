import Timeline
import TouchModel

/// A `*.touch` script (notation: Tests/TouchModelTests/Cases/README.md): operations on one device, with expectations.
struct TouchScript {
  struct Failure: Error, CustomStringConvertible {
    let line: Int
    let message: String
    var description: String { "line \(line): \(message)" }
  }

  /// One line: its operations, and what must hold after them.
  struct Step {
    let line: Int
    let text: String
    let operations: [[String]]
    let expected: [String]
  }

  let steps: [Step]

  init(_ text: String) throws {
    var steps: [Step] = []
    for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = raw.prefix { $0 != "#" }.trimmed
      if line.isEmpty { continue }
      let parts = line.split(separator: "=>", maxSplits: 1)
      if parts.count > 2 { throw Failure(line: index + 1, message: "two expectations") }
      let operations = line.hasPrefix("=>") ? [] : parts[0].split(separator: ";").map { $0.words }
      let expected = line.contains("=>") ? parts[parts.count - 1].words : []
      steps.append(Step(line: index + 1, text: line, operations: operations.filter { !$0.isEmpty }, expected: expected))
    }
    self.steps = steps
  }

  /// Runs it against the tracker; returns how many expectations held.
  func run(_ report: (String) -> Void = { _ in }) throws -> Int {
    var device = ScriptedDevice()
    var checks = 0
    for step in steps {
      for operation in step.operations {
        do {
          try device.perform(operation)
        } catch {
          throw Failure(line: step.line, message: "\(operation.joined(separator: " ")): \(error)")
        }
      }
      if step.expected.isEmpty { continue }
      let wrong = try device.differences(step.expected)
      if !wrong.isEmpty { throw Failure(line: step.line, message: "\(step.text): \(wrong.joined(separator: "; "))") }
      checks += 1
      report("line \(step.line): \(step.text)")
    }
    return checks
  }
}

/// The device of a script, with a clock that only the script moves.
private struct ScriptedDevice {
  struct Malformed: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private var now = Instant(nanoseconds: 1_000_000_000)
  private var tracker = ContactTracker(profile: ScreenProfile(name: "script", tongue: .slots(10)))
  private var assembler = FrameAssembler()
  private var kernel = KernelTable()
  private var begins = 0
  private var ends = 0

  mutating func perform(_ words: [String]) throws {
    let arguments = Array(words.dropFirst())
    switch words[0] {
    case "DEV": try begin(arguments)
    case "SNAP": try snapshot(arguments)
    case "OPEN": count(tracker.adopt(kernel, at: now))
    case "VERIFY": verify()
    case "GONE": count(tracker.removed(at: now))
    case "WAIT": try wait(arguments)
    default:
      let event = try event(words)
      guard let output = assembler.add(event) else { return }
      count(tracker.handle(output))
      if case .resync = output { count(tracker.adopt(kernel, at: now)) }
    }
  }

  // MARK: Operations

  private mutating func begin(_ arguments: [String]) throws {
    var kind = "mt"
    var slots = 10
    for (name, value) in try pairs(arguments) {
      switch (name, value, Int(value)) {
      case ("kind", _, _): kind = value
      case ("slots", _, let number?): slots = number
      default: throw Malformed("what is \(name)=\(value)?")
      }
    }
    let tongue: ScreenProfile.Tongue
    switch kind {
    case "mt": tongue = .slots(slots)
    case "a": tongue = .groups
    case "st": tongue = .single
    default: throw Malformed("kind is mt, a or st")
    }
    tracker = ContactTracker(profile: ScreenProfile(name: "script", tongue: tongue))
    assembler = FrameAssembler()
    kernel = KernelTable(trackingIDs: kind == "mt" ? Array(repeating: -1, count: slots) : [])
    (begins, ends) = (0, 0)
  }

  private mutating func snapshot(_ arguments: [String]) throws {
    kernel.trackingIDs = kernel.trackingIDs.map { _ in -1 }
    kernel.touchDown = nil
    for (name, value) in try pairs(arguments) {
      guard let number = Int32(value) else { throw Malformed("\(value) is no number") }
      switch (name, Int(name)) {
      case ("btn", _): kernel.touchDown = number != 0
      case ("cur", _): kernel.currentSlot = Int(number)
      case (_, let slot?) where kernel.trackingIDs.indices.contains(slot): kernel.trackingIDs[slot] = number
      default: throw Malformed("what is \(name)=\(value)?")
      }
    }
  }

  private mutating func verify() {
    count(tracker.verify(kernel, at: now))
    if let due = tracker.secondReadDue {
      now = max(now, due)
      count(tracker.verify(kernel, at: now))
    }
  }

  private mutating func wait(_ arguments: [String]) throws {
    guard let text = arguments.first, let seconds = Double(text) else { throw Malformed("WAIT wants seconds") }
    let end = now + .nanoseconds(Int64((seconds * 1e9).rounded()))
    while let due = tracker.nextDeadline, due <= end {
      now = max(now, due)
      count(tracker.timePassed(now))
    }
    now = end
  }

  private mutating func event(_ words: [String]) throws -> InputEvent {
    func make(_ type: UInt16, _ code: UInt16, _ value: Int32) -> InputEvent {
      InputEvent(time: now, type: type, code: code, value: value)
    }
    switch words[0] {
    case "SYN": return make(EventType.syn, EventCode.synReport, 0)
    case "SYN!": return make(EventType.syn, EventCode.synReport, 1)
    case "DROP": return make(EventType.syn, EventCode.synDropped, 0)
    case "MTS": return make(EventType.syn, EventCode.synMTReport, 0)
    default: break
    }
    guard words.count == 2 else { throw Malformed("not an operation") }
    if words[0] == "TT" {
      let tools = ["finger": ToolType.finger, "pen": ToolType.pen, "palm": ToolType.palm]
      guard let tool = tools[words[1]] else { throw Malformed("tool is finger, pen or palm") }
      return make(EventType.abs, EventCode.toolType, tool)
    }
    guard let value = Int32(words[1]) else { throw Malformed("\(words[1]) is no number") }
    let single = tracker.profile.tongue == .single
    switch words[0] {
    case "S": return make(EventType.abs, EventCode.slot, value)
    case "T": return make(EventType.abs, EventCode.trackingID, value)
    case "X": return make(EventType.abs, single ? EventCode.absX : EventCode.positionX, value)
    case "Y": return make(EventType.abs, single ? EventCode.absY : EventCode.positionY, value)
    case "P": return make(EventType.abs, single ? EventCode.absPressure : EventCode.pressure, value)
    case "D": return make(EventType.abs, EventCode.distance, value)
    case "MAJ": return make(EventType.abs, EventCode.touchMajor, value)
    case "B": return make(EventType.key, EventCode.buttonTouch, value)
    default: throw Malformed("not an operation")
    }
  }

  private func pairs(_ words: [String]) throws -> [(String, String)] {
    try words.map { word in
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { throw Malformed("\(word) is not NAME=VALUE") }
      return (parts[0], parts[1])
    }
  }

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

  func differences(_ expected: [String]) throws -> [String] {
    var wrong: [String] = []
    for word in expected {
      let found: String
      if word.hasPrefix("{") {
        found = contacts
      } else if word.contains("=") {
        let name = String(word.prefix { $0 != "=" })
        let numbers = ["begins": begins, "ends": ends, "anom": tracker.anomalies, "hover": tracker.hoveringCount]
        guard let number = numbers[name] else { throw Malformed("nothing is called \(name)") }
        found = "\(name)=\(number)"
      } else {
        guard ContactTracker.Verdict(rawValue: word) != nil else { throw Malformed("no verdict is called \(word)") }
        found = tracker.verdict.rawValue
      }
      if found != word { wrong.append("is \(found), not \(word)") }
    }
    return wrong
  }

  private var contacts: String {
    let doubtful = Set(tracker.doubtfulContacts)
    let texts = tracker.contacts.map { contact in
      let id: String
      switch tracker.profile.tongue {
      case .slots: id = "\(contact.id ?? -1)"
      case .groups: id = "a"
      case .single: id = "st"
      }
      return "\(contact.slot):\(id)\(doubtful.contains(contact) ? "?" : "")"
    }
    return "{\(texts.joined(separator: ","))}"
  }
}

extension StringProtocol {
  fileprivate var words: [String] {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    return split(whereSeparator: isSpace).map { String($0) }
  }
  fileprivate var trimmed: String { words.joined(separator: " ") }
}
