import TouchModel

extension TouchCommand {
  static let verbs = "down, move, up, tap, drag, raw, syn, play, unplug, plug"

  /// Whether it is done within one frame.
  var fitsFrame: Bool {
    switch self {
    case .down, .move, .up, .raw: true
    case .glide, .tap, .drag, .play, .unplug, .plug: false
    }
  }

  /// Nil when the verb is none that is done with a screen.
  init?(_ verb: String, _ arguments: inout ScriptArguments) throws(ScriptError) {
    switch verb {
    case "down":
      let form = "down SLOT X% Y%"
      self = .down(slot: try arguments.slot(form), try arguments.point(form))
    case "move":
      let form = "move SLOT X% Y% [TIME [rate HZ]]"
      let slot = try arguments.slot(form)
      let point = try arguments.point(form)
      self = arguments.isEmpty ? .move(slot: slot, point) : .glide(slot: slot, to: point, try arguments.motion(form))
    case "up":
      self = .up(slot: try arguments.slot("up SLOT"))
    case "tap":
      let form = "tap SLOT X% Y% [TIME]"
      let slot = try arguments.slot(form)
      let point = try arguments.point(form)
      self = .tap(slot: slot, point, hold: arguments.isEmpty ? .milliseconds(60) : try arguments.duration(form))
    case "drag":
      let form = "drag SLOT X% Y% to X% Y% TIME [rate HZ]"
      let slot = try arguments.slot(form)
      let from = try arguments.point(form)
      guard arguments.take("to") else { throw arguments.error("'to' is missing; write: \(form)") }
      self = .drag(slot: slot, from: from, to: try arguments.point(form), try arguments.motion(form))
    case "raw":
      let form = "raw TYPE CODE VALUE, decimal or hexadecimal with 0x"
      self = .raw(
        type: try arguments.number(UInt16.self, form), code: try arguments.number(UInt16.self, form),
        value: try arguments.number(Int32.self, form))
    case "syn":
      self = .raw(type: EventType.syn, code: EventCode.synReport, value: 0)
    case "play":
      let form = "play FILE [speed FACTOR]"
      let path = try arguments.word(form)
      self = .play(path: path, speed: arguments.take("speed") ? try arguments.speed(form) : 1)
    case "unplug": self = .unplug
    case "plug": self = .plug
    default: return nil
    }
  }
}

extension ScriptArguments {
  fileprivate mutating func slot(_ form: String) throws(ScriptError) -> Int {
    try integer(0...255, form)
  }

  fileprivate mutating func motion(_ form: String) throws(ScriptError) -> Motion {
    let duration = try duration(form)
    return Motion(duration: duration, rate: take("rate") ? try integer(1...10_000, form) : 125)
  }
}
