import Foundation
import Testing
import TouchModel
import TouchScripts

extension SimulatedTimeTests {
  @Suite("Touch scripts on the service")
  struct TouchScriptTests {
    @Test("every touch script that a device can send holds for the service", arguments: ScriptFiles.all)
    func holds(_ file: String) throws {
      let script = try TouchScript(String(contentsOfFile: file, encoding: .utf8))
      let obstacles = script.obstacles
      for obstacle in obstacles where obstacle.ofWholeScript {
        try Test.cancel("\(URL(filePath: file).lastPathComponent): \(obstacle.reason)")
      }
      let checks = try ScriptedScreen(script).run()
      #expect(checks + obstacles.count == script.steps.count { !$0.expected.isEmpty })
      #expect(checks > 0)
    }
  }
}

@Suite("Touch scripts that a kernel device cannot send")
struct TouchScriptObstacleTests {
  static let slot = "a slot that the device does not have: the kernel sends none"
  static let drop = "in the middle of a drop the service is stopped"

  @Test("only these scripts and lines are not run on the service")
  func obstacles() throws {
    var found: [String: [String]] = [:]
    for file in ScriptFiles.all {
      let reasons = try TouchScript(String(contentsOfFile: file, encoding: .utf8)).obstacles.map(\.reason)
      if !reasons.isEmpty { found[URL(filePath: file).lastPathComponent] = reasons }
    }
    #expect(
      found == [
        "slot-out-of-range.touch": [Self.slot, Self.slot],
        "dropped-while-lifted.touch": [Self.drop],
        "type-a-drop.touch": [Self.drop],
      ])
  }
}

/// Why a script, or a line of one, cannot be run on a kernel device.
struct ScriptObstacle {
  let reason: String
  /// True: the whole script; false: the expectations of one line.
  let ofWholeScript: Bool
}

extension TouchScript {
  var obstacles: [ScriptObstacle] {
    var obstacles: [ScriptObstacle] = []
    var slots = 10
    var isDropping = false
    for step in steps {
      for operation in step.operations {
        switch operation {
        case .device(.typeB(slots: let count)): slots = count
        case .event(EventType.syn, EventCode.synDropped, _): isDropping = true
        case .event(EventType.syn, EventCode.synReport, _): isDropping = false
        case .event(EventType.abs, EventCode.slot, let value) where !(0..<slots).contains(Int(value)):
          obstacles.append(ScriptObstacle(reason: TouchScriptObstacleTests.slot, ofWholeScript: true))
        case .device, .event, .snapshot, .open, .verify, .gone, .wait: break
        }
      }
      if isDropping && !step.expected.isEmpty {
        obstacles.append(ScriptObstacle(reason: TouchScriptObstacleTests.drop, ofWholeScript: false))
      }
    }
    return obstacles
  }
}
