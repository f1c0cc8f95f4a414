import Testing
import Timeline
import TouchModel

/// The suite is only as good as its judge.
@Suite("The judge of the conformance suite")
struct JudgeTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func judge(_ touchProtocol: TouchProtocol = .typeB(slots: 2), _ frames: [(UInt16, UInt16, Int32)]...) -> Judge
  {
    let profile = ScreenProfile(name: "judged", touchProtocol: touchProtocol)
    var table = SlotTable(profile).table
    table.touchDown = false
    var judge = Judge(profile, table, at: start)
    for frame in frames {
      for (type, code, value) in frame { judge.saw(InputEvent(time: start, type: type, code: code, value: value)) }
      judge.frameEnded(value: 0, reached: true, stamp: start, at: start)
    }
    return judge
  }

  private func objects(
    _ judge: Judge, _ verdict: ContactTracker.Verdict, after: Duration = .zero, grabbed: Bool = false,
    _ occasion: Judge.Occasion = .rechecked
  ) -> Bool {
    judge.objection(to: verdict, occasion, isGrabbed: grabbed, at: start + after) != nil
  }

  private let down: [(UInt16, UInt16, Int32)] = [
    (EventType.abs, EventCode.trackingID, 5), (EventType.key, EventCode.buttonTouch, 1),
  ]
  private let up: [(UInt16, UInt16, Int32)] = [
    (EventType.abs, EventCode.trackingID, -1), (EventType.key, EventCode.buttonTouch, 0),
  ]

  @Test("objects to idle with a finger on the glass, at any time and under any grab")
  func idle() {
    for time in [Duration.zero, .seconds(1), .seconds(100)] {
      #expect(objects(judge(.typeB(slots: 2), down), .idle, after: time))
      #expect(objects(judge(.typeB(slots: 2), down), .idle, after: time, grabbed: true))
      #expect(objects(judge(.singleTouch, down), .idle, after: time))
      #expect(!objects(judge(.typeB(slots: 2), down), .touched, after: time))
    }
    #expect(!objects(judge(.typeB(slots: 2), down), .idle, grabbed: true, .read), "the table was not compared yet")
  }

  @Test("objects to touched and uncertain with nobody there, after the bound")
  func touched() {
    for verdict in [ContactTracker.Verdict.touched, .uncertain] {
      #expect(objects(judge(.typeB(slots: 2), down, up), verdict, after: .milliseconds(5)))
      #expect(!objects(judge(.typeB(slots: 2), down, up), verdict, after: .seconds(1), grabbed: true))
      #expect(objects(judge(.typeB(slots: 2), down, up), verdict, after: .milliseconds(1030), grabbed: true))
    }
    #expect(!objects(judge(.typeB(slots: 2), down, up), .idle))
  }

  @Test("objects to touched for more than three seconds after BTN_TOUCH 0 alone, and to idle in the first two")
  func buttonOnly() {
    let judge = judge(.typeB(slots: 2), down, [(EventType.key, EventCode.buttonTouch, 0)])
    #expect(objects(judge, .idle, after: .milliseconds(1900)))
    #expect(!objects(judge, .idle, after: .milliseconds(2100)))
    #expect(!objects(judge, .uncertain, after: .seconds(3)))
    #expect(objects(judge, .uncertain, after: .milliseconds(3100)))
  }

  @Test("lets a palm and a hovering finger be idle, and not be touched")
  func near() {
    for (code, value) in [(EventCode.toolType, ToolType.palm), (EventCode.distance, 3)] {
      let judge = judge(.typeB(slots: 2), down, [(EventType.abs, code, value)])
      #expect(!objects(judge, .idle))
      #expect(objects(judge, .touched, after: .milliseconds(5)))
    }
  }

  @Test("gives a type A finger half a second of silence")
  func silence() {
    var judge = judge(.typeA)
    for (type, code) in [(EventType.abs, EventCode.positionX), (EventType.syn, EventCode.synMTReport)] {
      judge.saw(InputEvent(time: start, type: type, code: code, value: 0))
    }
    judge.frameEnded(value: 0, reached: true, stamp: start, at: start)
    #expect(objects(judge, .idle, after: .milliseconds(400)))
    #expect(!objects(judge, .idle, after: .milliseconds(600)))
  }

  /// Down, 10 ms later up, 10 ms later the same again; the last frame is up. A SYN_REPORT of `lift` ends each lift.
  private func bounce(_ judge: inout Judge, from time: Instant, times: Int, lift: Int32 = 0) -> Instant {
    var now = time
    for _ in 0..<times {
      for (frame, value) in [(down, Int32(0)), (up, lift)] {
        now = now + .milliseconds(10)
        for (type, code, value) in frame { judge.saw(InputEvent(time: now, type: type, code: code, value: value)) }
        judge.frameEnded(value: value, reached: true, stamp: now, at: now)
      }
    }
    return now
  }

  @Test("objects to idle in the fourth gap of a touch, for 100 ms, and not in the third")
  func gaps() {
    for (lifts, isMarked) in [(3, false), (4, true)] {
      var judge = judge()
      let now = bounce(&judge, from: start + .seconds(2), times: lifts)
      #expect((judge.objection(to: .idle, .read, isGrabbed: false, at: now + .milliseconds(50)) != nil) == isMarked)
      #expect(judge.objection(to: .idle, .read, isGrabbed: false, at: now + .milliseconds(100)) == nil)
    }
  }

  @Test("counts gaps anew after ten seconds without one, and never a release by the kernel")
  func otherGaps() {
    var judge = judge()
    var now = bounce(&judge, from: start + .seconds(2), times: 4)
    now = bounce(&judge, from: now + .seconds(11), times: 2)
    #expect(judge.objection(to: .idle, .read, isGrabbed: false, at: now) == nil)
    var released = self.judge()
    now = bounce(&released, from: start + .seconds(2), times: 6, lift: 1)
    #expect(released.objection(to: .idle, .read, isGrabbed: false, at: now) == nil)
  }

  @Test("counts no gap that a palm makes: it is no contact until its id changes")
  func palmGap() {
    var judge = judge()
    var now = start + .seconds(2)
    let frames: [[(UInt16, UInt16, Int32)]] = [
      down, [(EventType.abs, EventCode.toolType, ToolType.palm)],
      [(EventType.abs, EventCode.toolType, ToolType.finger)],
    ]
    for frame in frames {
      now = now + .milliseconds(10)
      for (type, code, value) in frame { judge.saw(InputEvent(time: now, type: type, code: code, value: value)) }
      judge.frameEnded(value: 0, reached: true, stamp: now, at: now)
    }
    now = bounce(&judge, from: now, times: 3)
    #expect(judge.objection(to: .idle, .read, isGrabbed: false, at: now) == nil)
  }
}
