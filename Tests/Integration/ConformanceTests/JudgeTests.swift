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
}
