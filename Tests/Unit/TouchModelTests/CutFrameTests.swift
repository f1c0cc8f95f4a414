import Testing
import Timeline
import TouchModel

@Suite("Frames that the kernel cut")
struct CutFrameTests {
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: 0) + .milliseconds(milliseconds) }

  private func event(_ type: UInt16, _ code: UInt16, _ value: Int32, _ milliseconds: Int) -> InputEvent {
    InputEvent(time: at(milliseconds), type: type, code: code, value: value)
  }

  @Test("a report of the kernel with nothing before it cuts no frame")
  func nothingCut() {
    var assembler = FrameAssembler()
    #expect(assembler.add(event(EventType.syn, EventCode.synReport, 1, 5)) == nil)
    #expect(assembler.cutSince == nil)
    #expect(assembler.finishCutFrame(at: at(50)) == nil)
  }

  @Test("a frame that is cut twice is cut since the first time, and is one frame")
  func cutTwice() {
    var assembler = FrameAssembler()
    _ = assembler.add(event(EventType.abs, EventCode.trackingID, 5, 1))
    #expect(assembler.add(event(EventType.syn, EventCode.synReport, 1, 1)) == nil)
    _ = assembler.add(event(EventType.abs, EventCode.distance, 0, 12))
    #expect(assembler.add(event(EventType.syn, EventCode.synReport, 1, 12)) == nil)
    #expect(assembler.cutSince == at(1))
    guard case .frame(let frame) = assembler.finishCutFrame(at: at(21)) else {
      Issue.record("no frame")
      return
    }
    #expect(frame.time == at(21) && frame.updates.count == 2 && frame.ending == .report)
    #expect(assembler.cutSince == nil)
  }
}
