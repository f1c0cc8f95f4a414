import Testing
import Timeline
import TouchModel

@Suite("Assembling frames")
struct FrameAssemblerTests {
  var assembler = FrameAssembler()

  /// Event n has the stamp of second n.
  private mutating func add(_ events: [Sent], from second: Int = 1) -> [FrameAssembler.Output] {
    events.enumerated().compactMap { assembler.add($1.event(at: Self.second(second + $0))) }
  }

  private static func second(_ number: Int) -> Instant { Instant(nanoseconds: Int64(number) * 1_000_000_000) }

  private static func frame(
    _ second: Int, _ updates: [Sent], _ ending: Frame.Ending = .report
  ) -> FrameAssembler.Output {
    let events = updates.map { $0.event(at: .distantPast) }
    return .frame(
      Frame(
        time: Self.second(second), updates: events.map { .init(type: $0.type, code: $0.code, value: $0.value) },
        ending: ending))
  }

  @Test("a frame has all updates up to the report, in order, and its stamp")
  mutating func whole() {
    let outputs = add([.slot(0), .id(5), .touch(1), .report, .x(7), .report])
    #expect(outputs == [Self.frame(4, [.slot(0), .id(5), .touch(1)]), Self.frame(6, [.x(7)])])
  }

  @Test("a report with nothing before it is an empty frame")
  mutating func empty() {
    #expect(add([.report]) == [Self.frame(1, [])])
  }

  @Test("a repeated key ends no frame, and is in none")
  mutating func autorepeat() {
    #expect(add([.touch(2), .kernelReport, .touch(2), .kernelReport]) == [])
    #expect(add([.x(3), .report], from: 5) == [Self.frame(6, [.x(3)])])
  }

  @Test("a repeated key in the middle of a frame does not end it")
  mutating func autorepeatInside() {
    let outputs = add([.slot(0), .id(5), .touch(2), .kernelReport, .slot(1), .id(6), .report])
    #expect(outputs == [Self.frame(7, [.slot(0), .id(5), .slot(1), .id(6)])])
  }

  @Test("a frame that the kernel cut continues until the report of the device, however often it was cut")
  mutating func cut() {
    let outputs = add([.id(5), .kernelReport, .x(1), .kernelReport, .kernelReport, .x(2), .report])
    #expect(outputs == [Self.frame(7, [.id(5), .x(1), .x(2)])])
  }

  @Test("BTN_TOUCH 0 and a report of the kernel: the kernel released the keys")
  mutating func release() {
    #expect(add([.touch(0), .kernelReport]) == [Self.frame(2, [.touch(0)], .keysReleasedByKernel)])
  }

  @Test("only the last BTN_TOUCH decides that, and only within the same frame")
  mutating func releaseTakenBack() {
    #expect(add([.touch(0), .touch(1), .kernelReport, .report]) == [Self.frame(4, [.touch(0), .touch(1)])])
    #expect(add([.touch(0), .report, .kernelReport, .report]) == [Self.frame(2, [.touch(0)]), Self.frame(4, [])])
  }

  @Test("the release of another key is no release of touch")
  mutating func otherKey() {
    let pen = Sent.event(type: EventType.key, code: EventCode.buttonToolPen, value: 0)
    #expect(add([pen, .kernelReport]) == [])
    #expect(add([.report]) == [Self.frame(1, [pen])])
  }

  @Test("after a loss everything is void until the next report; then the table must be read")
  mutating func loss() {
    let outputs = add([.id(5), .dropped, .x(1), .touch(0), .report, .x(2), .report])
    #expect(outputs == [.lost(Self.second(2)), .resync(Self.second(5)), Self.frame(7, [.x(2)])])
  }

  @Test("a loss in the middle of a frame discards its beginning, too")
  mutating func lossInside() {
    let outputs = add([.slot(0), .touch(0), .dropped, .report, .kernelReport, .report])
    #expect(outputs == [.lost(Self.second(3)), .resync(Self.second(4)), Self.frame(6, [])])
  }

  @Test("a report of the kernel ends a loss, too")
  mutating func lossEndsByKernel() {
    #expect(add([.dropped, .touch(2), .kernelReport]) == [.lost(Self.second(1)), .resync(Self.second(3))])
  }

  @Test("a loss during a loss is reported again, and ends once")
  mutating func lossTwice() {
    #expect(
      add([.dropped, .x(1), .dropped, .report]) == [
        .lost(Self.second(1)), .lost(Self.second(3)), .resync(Self.second(4)),
      ])
  }

  @Test("a frame without an end is a loss, and takes bounded memory")
  mutating func endless() {
    for value in 0..<FrameAssembler.longestFrame {
      #expect(assembler.add(Sent.x(Int32(value)).event(at: Self.second(1))) == nil)
    }
    #expect(assembler.add(Sent.x(0).event(at: Self.second(2))) == .lost(Self.second(2)))
    for value in 0..<(3 * FrameAssembler.longestFrame) {
      if assembler.add(Sent.x(Int32(value)).event(at: Self.second(3))) != nil { Issue.record("told twice") }
    }
    #expect(add([.report], from: 4) == [.resync(Self.second(4))])
    #expect(add([.x(9), .report], from: 5) == [Self.frame(6, [.x(9)])])
  }

  @Test("the longest frame that is no loss is complete")
  mutating func longest() {
    let updates = (0..<FrameAssembler.longestFrame).map { Sent.x(Int32($0)) }
    #expect(add(updates + [.report]) == [Self.frame(FrameAssembler.longestFrame + 1, updates)])
  }

  @Test(
    "force feedback, scan codes, LEDs and unknown types are in no frame",
    arguments: [UInt16(0x02), 0x04, 0x05, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x1f, 0xffff])
  mutating func otherTypes(_ type: UInt16) {
    let other = Sent.event(type: type, code: EventCode.buttonTouch, value: 0)
    #expect(add([other, .kernelReport, .id(5), other, .report]) == [Self.frame(5, [.id(5)])])
  }

  @Test("a reset discards what has begun: a frame, a release, a loss")
  mutating func reset() {
    _ = add([.id(5), .touch(0)])
    assembler.reset()
    #expect(add([.kernelReport, .report]) == [Self.frame(2, [])])
    _ = add([.dropped])
    assembler.reset()
    #expect(add([.x(1), .report]) == [Self.frame(2, [.x(1)])])
  }
}
