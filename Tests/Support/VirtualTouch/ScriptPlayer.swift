import Linux
import Recordings
import Timeline

/// Executes the steps of a script in real time. Its screens and grabs end with it.
public final class ScriptPlayer {
  private var descriptions: [String: RecordedDevice] = [:]
  private var screens: [String: VirtualTouchscreen] = [:]
  private var grabs: [GrabTarget: ForeignGrab] = [:]
  private let plugged: (_ name: String, _ node: String) -> Void

  /// `plugged` is called for every screen that was made, with its `/dev/input/eventN`.
  public init(plugged: @escaping (_ name: String, _ node: String) -> Void) {
    self.plugged = plugged
  }

  /// The screen that a script made under this name; nil while it is unplugged.
  public func screen(_ name: String) -> VirtualTouchscreen? {
    screens[name]
  }

  public func run(_ steps: [ScriptStep]) throws(ScriptError) {
    for step in steps { try run(step) }
  }

  private func run(_ step: ScriptStep) throws(ScriptError) {
    let line = step.line
    switch step.action {
    case .screen(let name, let source):
      descriptions[name] = try device(source, line)
      try plug(name, line)
    case .touch(let name, .plug):
      guard screens[name] == nil else { throw ScriptError(line: line, problem: "'\(name)' is plugged in already") }
      try plug(name, line)
    case .touch(let name, .unplug):
      try screen(name, line).unplug()
      screens[name] = nil
      grabs[.screen(name)] = nil
    case .touch(let name, let command):
      try play(command, on: screen(name, line), line)
    case .frame(let name, let steps):
      let screen = try screen(name, line)
      try screen.frame { () throws(ScriptError) in try run(steps) }
    case .wait(let duration):
      SystemClock.sleep(until: SystemClock.monotonic + duration)
    case .repetition(let count, let steps):
      for _ in 0..<count { try run(steps) }
    case .grab(let target):
      grabs[target] = nil
      grabs[target] = try grab(target, line)
    case .ungrab(let target?):
      guard grabs.removeValue(forKey: target) != nil else {
        throw ScriptError(line: line, problem: "that is not grabbed; use the name or node that was grabbed")
      }
    case .ungrab(nil):
      grabs = [:]
    }
  }

  private func device(_ source: ScreenSource, _ line: Int) throws(ScriptError) -> RecordedDevice {
    switch source {
    case .described(let description): description.device
    case .likeRecording(let path): try recording(path, line).device
    }
  }

  private func recording(_ path: String, _ line: Int) throws(ScriptError) -> Recording {
    do {
      return try Recording.read(path: path)
    } catch {
      throw ScriptError(line: line, problem: "\(path): \(error)")
    }
  }

  private func screen(_ name: String, _ line: Int) throws(ScriptError) -> VirtualTouchscreen {
    guard let screen = screens[name] else {
      throw ScriptError(line: line, problem: "screen '\(name)' is not plugged in; write: \(name).plug")
    }
    return screen
  }

  private func plug(_ name: String, _ line: Int) throws(ScriptError) {
    guard let device = descriptions[name] else {
      throw ScriptError(line: line, problem: "screen '\(name)' could not be made before")
    }
    do {
      let screen = try VirtualTouchscreen(device)
      screens[name] = screen
      plugged(name, screen.node)
    } catch {
      throw ScriptError(line: line, problem: "\(error)")
    }
  }

  private func grab(_ target: GrabTarget, _ line: Int) throws(ScriptError) -> ForeignGrab {
    let node =
      switch target {
      case .screen(let name): try screen(name, line).node
      case .node(let path): path
      }
    do {
      return try ForeignGrab(node: node)
    } catch {
      throw ScriptError(line: line, problem: "\(error)")
    }
  }

  // MARK: fingers

  private func play(_ command: TouchCommand, on screen: VirtualTouchscreen, _ line: Int) throws(ScriptError) {
    func check(_ slot: Int, isDown: Bool) throws(ScriptError) {
      guard slot < screen.slotCount else {
        throw ScriptError(line: line, problem: "there is no slot \(slot); allowed: 0 to \(screen.slotCount - 1)")
      }
      if isDown && screen.position(slot: slot) == nil {
        throw ScriptError(line: line, problem: "no finger is down in slot \(slot); write: down \(slot) X% Y%")
      }
    }
    switch command {
    case .down(let slot, let point):
      try check(slot, isDown: false)
      screen.down(slot: slot, x: point.x, y: point.y)
    case .move(let slot, let point):
      try check(slot, isDown: true)
      screen.move(slot: slot, x: point.x, y: point.y)
    case .glide(let slot, let point, let motion):
      try check(slot, isDown: true)
      screen.glide(slot: slot, to: point, motion)
    case .up(let slot):
      try check(slot, isDown: true)
      screen.up(slot: slot)
    case .tap(let slot, let point, let hold):
      try check(slot, isDown: false)
      let end = SystemClock.monotonic + hold
      screen.down(slot: slot, x: point.x, y: point.y)
      SystemClock.sleep(until: end)
      screen.up(slot: slot)
    case .drag(let slot, let from, let to, let motion):
      try check(slot, isDown: false)
      screen.down(slot: slot, x: from.x, y: from.y)
      screen.glide(slot: slot, to: to, motion)
      screen.up(slot: slot)
    case .raw(let type, let code, let value):
      screen.send([(type, code, value)])
    case .play(let path, let speed):
      screen.play(try recording(path, line), speed: speed)
    case .plug, .unplug:
      break  // done in run(_:), as they change the table of screens
    }
  }
}

extension VirtualTouchscreen {
  /// Moves a finger that is down in a straight line, in real time; it arrives at the end of the motion.
  func glide(slot: Int, to end: ScreenPoint, _ motion: Motion) {
    guard let start = position(slot: slot) else { return }
    let begin = SystemClock.monotonic
    let seconds = Double(motion.duration.wholeNanoseconds) / 1e9
    let count = max(1, Int(seconds * Double(motion.rate)))
    for step in 1...count {
      let part = Double(step) / Double(count)
      SystemClock.sleep(until: begin + motion.duration * part)
      move(slot: slot, x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part)
    }
  }
}
