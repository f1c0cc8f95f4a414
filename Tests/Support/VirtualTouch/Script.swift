/// One command of a script, with the line it began in.
public struct ScriptStep: Equatable, Sendable {
  public let line: Int
  public let action: ScriptAction
}

public indirect enum ScriptAction: Equatable, Sendable {
  case screen(name: String, ScreenSource)
  case touch(screen: String, TouchCommand)
  case frame(screen: String, [ScriptStep])
  case wait(Duration)
  case repetition(count: Int, [ScriptStep])
  case grab(GrabTarget)
  /// Nil: all grabs.
  case ungrab(GrabTarget?)
}

public enum ScreenSource: Equatable, Sendable {
  case described(ScreenDescription)
  /// The device of the recording at this path.
  case likeRecording(path: String)
}

/// A command for one screen.
public enum TouchCommand: Equatable, Sendable {
  case down(slot: Int, ScreenPoint)
  case move(slot: Int, ScreenPoint)
  /// A finger that is down goes somewhere in a straight line and stays down.
  case glide(slot: Int, to: ScreenPoint, Motion)
  case up(slot: Int)
  case tap(slot: Int, ScreenPoint, hold: Duration)
  /// Down, a straight line, up.
  case drag(slot: Int, from: ScreenPoint, to: ScreenPoint, Motion)
  case raw(type: UInt16, code: UInt16, value: Int32)
  case play(path: String, speed: Double)
  case unplug
  case plug
}

/// 0...1 of the screen's width and height.
public struct ScreenPoint: Equatable, Sendable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

public struct Motion: Equatable, Sendable {
  public var duration: Duration
  /// Frames a second.
  public var rate: Int

  public init(duration: Duration, rate: Int = 125) {
    self.duration = duration
    self.rate = rate
  }
}

public enum GrabTarget: Hashable, Sendable {
  case screen(String)
  /// `/dev/input/eventN`
  case node(String)
}
