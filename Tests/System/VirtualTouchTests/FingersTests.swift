import Recordings
import Testing
import Timeline
import TouchModel

@testable import VirtualTouch

/// Events in few letters: `S2 T0 X5 Y6 B1 x5 y6 .` (slot, id, MT position, BTN_TOUCH, ABS position, SYN_REPORT).
func brief(_ events: [RawEvent]) -> String {
  events.map { event in
    let letter =
      switch (event.type, event.code) {
      case (EventType.syn, EventCode.synReport): "."
      case (EventType.syn, EventCode.synMTReport): "/"
      case (EventType.key, EventCode.buttonTouch): "B"
      case (EventType.abs, EventCode.slot): "S"
      case (EventType.abs, EventCode.trackingID): "T"
      case (EventType.abs, EventCode.positionX): "X"
      case (EventType.abs, EventCode.positionY): "Y"
      case (EventType.abs, EventCode.absX): "x"
      case (EventType.abs, EventCode.absY): "y"
      case (EventType.abs, EventCode.toolType): "TT"
      case (EventType.abs, EventCode.distance): "D"
      default: "(\(event.type) \(event.code))"
      }
    return event.type == EventType.syn && event.value == 0 ? letter : "\(letter)\(event.value)"
  }.joined(separator: " ")
}

@Suite("fingers")
struct FingersTests {
  private func fingers(_ kind: ScreenDescription.Kind, _ change: (inout ScreenDescription) -> Void = { _ in })
    -> Fingers
  {
    var description = ScreenDescription(kind: kind)
    description.maxX = 100
    description.maxY = 200
    change(&description)
    return Fingers(description.device)
  }

  @Test("with slots: BTN_TOUCH with the first and the last finger, ABS_X/Y of the oldest, increasing ids")
  func slots() {
    var fingers = fingers(.multitouch(slots: 3))
    fingers.down(2, x: 0.5, y: 0.5)
    #expect(brief(fingers.takeFrame()) == "S2 T0 X50 Y100 B1 x50 y100 .")
    fingers.down(0, x: 0, y: 1)
    #expect(brief(fingers.takeFrame()) == "S0 T1 X0 Y200 x50 y100 .")
    fingers.move(2, x: 0.25, y: 2)
    #expect(brief(fingers.takeFrame()) == "S2 X25 Y200 x25 y200 .")
    fingers.up(2)
    #expect(brief(fingers.takeFrame()) == "S2 T-1 x0 y200 .")
    fingers.up(0)
    #expect(brief(fingers.takeFrame()) == "S0 T-1 B0 .")
  }

  @Test("several changes are in one frame, in their order")
  func oneFrame() {
    var fingers = fingers(.multitouch(slots: 3))
    fingers.down(0, x: 0, y: 0)
    fingers.down(1, x: 1, y: 1)
    fingers.up(0)
    fingers.add([(EventType.abs, EventCode.distance, 1)])
    #expect(brief(fingers.takeFrame()) == "S0 T0 X0 Y0 S1 T1 X100 Y200 S0 T-1 D1 B1 x100 y200 .")
  }

  @Test("a finger put down in an occupied slot replaces the id in place")
  func replaced() {
    var fingers = fingers(.multitouch(slots: 3))
    fingers.down(0, x: 0, y: 0)
    _ = fingers.takeFrame()
    fingers.down(0, x: 0, y: 0)
    #expect(brief(fingers.takeFrame()) == "S0 T1 X0 Y0 x0 y0 .")
  }

  @Test("tool type, distance and the absence of BTN_TOUCH appear in the events")
  func optional() {
    var fingers = fingers(.multitouch(slots: 1)) {
      $0.toolType = true
      $0.distance = true
      $0.buttonTouch = false
    }
    fingers.down(0, x: 0, y: 0)
    #expect(brief(fingers.takeFrame()) == "S0 T0 TT0 D0 X0 Y0 x0 y0 .")
  }

  @Test("type A sends every finger in every frame, and an empty group at the end")
  func typeA() {
    var fingers = fingers(.typeA)
    fingers.down(0, x: 0, y: 0)
    #expect(brief(fingers.takeFrame()) == "X0 Y0 / B1 x0 y0 .")
    fingers.down(1, x: 1, y: 1)
    #expect(brief(fingers.takeFrame()) == "X0 Y0 / X100 Y200 / x0 y0 .")
    fingers.up(0)
    #expect(brief(fingers.takeFrame()) == "X100 Y200 / x100 y200 .")
    fingers.up(1)
    #expect(brief(fingers.takeFrame()) == "/ B0 .")
  }

  @Test("single touch reports one finger")
  func single() {
    var fingers = fingers(.singleTouch)
    #expect(fingers.slotCount == 1)
    fingers.down(0, x: 0.5, y: 0.5)
    #expect(brief(fingers.takeFrame()) == "B1 x50 y100 .")
    fingers.up(0)
    #expect(brief(fingers.takeFrame()) == "B0 .")
  }

  @Test("positions are reported unchanged")
  func positions() throws {
    var fingers = fingers(.multitouch(slots: 1))
    #expect(fingers.position(0) == nil)
    fingers.down(0, x: 0.25, y: 0.75)
    #expect(try #require(fingers.position(0)) == (0.25, 0.75))
  }
}

@Suite("playback")
struct PlaybackTests {
  private func event(_ milliseconds: Int64, _ type: UInt16, _ code: UInt16, _ value: Int32) -> InputEvent {
    InputEvent(time: Instant(nanoseconds: milliseconds * 1_000_000), type: type, code: code, value: value)
  }

  @Test("frames are written at the stamp of their end, and never go back in time")
  func offsets() {
    let frames = Playback.frames(
      of: [
        event(100, 3, 0x39, 5), event(101, 0, 0, 0), event(50, 0, 0, 0), event(300, 3, 0x39, -1),
      ], withoutRepeats: false)
    #expect(frames.map(\.offset) == [.milliseconds(1), .milliseconds(1), .milliseconds(200)])
    #expect(frames.map { brief($0.events) } == ["T5 .", ".", "T-1"])
  }

  @Test("the kernel's key repeats are omitted if the kernel of the player makes them itself")
  func repeats() {
    let events = [event(0, 1, 0x14a, 1), event(0, 0, 0, 0), event(9, 1, 0x14a, 2), event(9, 0, 0, 1)]
    #expect(Playback.frames(of: events, withoutRepeats: false).map { brief($0.events) } == ["B1 .", "B2 .1"])
    #expect(Playback.frames(of: events, withoutRepeats: true).map { brief($0.events) } == ["B1 ."])
  }
}
