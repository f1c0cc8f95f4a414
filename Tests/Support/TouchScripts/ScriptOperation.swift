public import TouchModel

/// One operation of a touch script.
public enum ScriptOperation: Hashable, Sendable {
  /// A new device, which everything after it refers to.
  case device(TouchProtocol)
  /// What the device sends, SYN_REPORT 1 and SYN_DROPPED included.
  case event(type: UInt16, code: UInt16, value: Int32)
  /// The contents of the slot table from now on.
  case snapshot(Snapshot)
  /// The service opens the device.
  case open
  /// The service rechecks the table, twice if needed.
  case verify
  /// The device is removed.
  case gone
  case wait(Duration)

  public struct Snapshot: Hashable, Sendable {
    /// Tracking ids by slot; other slots have none.
    public var ids: [Int: Int32] = [:]
    /// nil: BTN_TOUCH is not known.
    public var button: Bool?
    /// nil: as before.
    public var currentSlot: Int?
  }
}

extension ScriptOperation {
  /// Depends on the device: the same letter is another axis on another kind.
  struct Parser {
    private var touchProtocol = TouchProtocol.typeB(slots: 10)

    mutating func operation(_ words: [String]) throws(Malformed) -> ScriptOperation {
      let arguments = Array(words.dropFirst())
      switch words[0] {
      case "DEV":
        touchProtocol = try device(arguments)
        return .device(touchProtocol)
      case "SNAP": return .snapshot(try snapshot(arguments))
      case "OPEN": return .open
      case "VERIFY": return .verify
      case "GONE": return .gone
      case "WAIT":
        guard let text = arguments.first, let seconds = Double(text) else { throw Malformed("WAIT: expected seconds") }
        return .wait(.nanoseconds(Int64((seconds * 1e9).rounded())))
      case "SYN": return .event(type: EventType.syn, code: EventCode.synReport, value: 0)
      case "SYN!": return .event(type: EventType.syn, code: EventCode.synReport, value: 1)
      case "DROP": return .event(type: EventType.syn, code: EventCode.synDropped, value: 0)
      case "MTS": return .event(type: EventType.syn, code: EventCode.synMTReport, value: 0)
      default: return try event(words)
      }
    }

    private func device(_ arguments: [String]) throws(Malformed) -> TouchProtocol {
      var kind = "mt"
      var slots = 10
      for (name, value) in try pairs(arguments) {
        switch (name, value, Int(value)) {
        case ("kind", _, _): kind = value
        case ("slots", _, let number?): slots = number
        default: throw Malformed("unknown \(name)=\(value)")
        }
      }
      switch kind {
      case "mt": return .typeB(slots: slots)
      case "a": return .typeA
      case "st": return .singleTouch
      default: throw Malformed("expected kind=mt, a or st")
      }
    }

    private func snapshot(_ arguments: [String]) throws(Malformed) -> Snapshot {
      var slots = 0..<0
      if case .typeB(slots: let count) = touchProtocol { slots = 0..<count }
      var snapshot = Snapshot()
      for (name, value) in try pairs(arguments) {
        guard let number = Int32(value) else { throw Malformed("\(value): expected a number") }
        switch (name, Int(name)) {
        case ("btn", _): snapshot.button = number != 0
        case ("cur", _): snapshot.currentSlot = Int(number)
        case (_, let slot?) where slots.contains(slot): snapshot.ids[slot] = number
        default: throw Malformed("unknown \(name)=\(value)")
        }
      }
      return snapshot
    }

    private func event(_ words: [String]) throws(Malformed) -> ScriptOperation {
      guard words.count == 2 else { throw Malformed("not an operation") }
      if words[0] == "TT" {
        let tools = ["finger": ToolType.finger, "pen": ToolType.pen, "palm": ToolType.palm]
        guard let tool = tools[words[1]] else { throw Malformed("expected finger, pen or palm") }
        return .event(type: EventType.abs, code: EventCode.toolType, value: tool)
      }
      guard let value = Int32(words[1]) else { throw Malformed("\(words[1]): expected a number") }
      let single = touchProtocol == .singleTouch
      func axis(_ code: UInt16) -> ScriptOperation { .event(type: EventType.abs, code: code, value: value) }
      switch words[0] {
      case "S": return axis(EventCode.slot)
      case "T": return axis(EventCode.trackingID)
      case "X": return axis(single ? EventCode.absX : EventCode.positionX)
      case "Y": return axis(single ? EventCode.absY : EventCode.positionY)
      case "P": return axis(single ? EventCode.absPressure : EventCode.pressure)
      case "D": return axis(EventCode.distance)
      case "MAJ": return axis(EventCode.touchMajor)
      case "B": return .event(type: EventType.key, code: EventCode.buttonTouch, value: value)
      default: throw Malformed("not an operation")
      }
    }

    private func pairs(_ words: [String]) throws(Malformed) -> [(String, String)] {
      var pairs: [(String, String)] = []
      for word in words {
        let parts = word.split(separator: "=", maxSplits: 1).map { String($0) }
        guard parts.count == 2 else { throw Malformed("\(word): expected NAME=VALUE") }
        pairs.append((parts[0], parts[1]))
      }
      return pairs
    }
  }
}
