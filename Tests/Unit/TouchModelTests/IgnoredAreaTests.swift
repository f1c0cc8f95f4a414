import Testing
import Timeline
import TouchModel

@Suite("Ignored areas of a screen")
struct IgnoredAreaTests {
  /// The left tenth of a screen of 1000 by 1000.
  static let area = IgnoredArea(x: 0...99, y: 0...999)
  var device = DeviceUnderTest(ignoring: [area])

  /// Reads the slot table after a frame, as the reader does.
  private mutating func send(_ events: Sent...) -> [ContactChange] {
    var changes: [ContactChange] = []
    for event in events { changes += device.send(event) }
    if device.tracker.wantsPlacement { changes += device.place() }
    return changes
  }

  @Test("a contact that begins inside does not count, and explains BTN_TOUCH")
  mutating func inside() {
    #expect(send(.slot(0), .id(5), .x(50), .y(500), .touch(1), .report) == [])
    #expect(device.tracker.verdict == .idle && device.tracker.wantsPositions)
    #expect(device.verify() == [])
    #expect(send(.x(60), .report) == [])
    #expect(send(.id(-1), .touch(0), .report) == [])
    #expect(device.tracker.isAtRest)
  }

  @Test("once outside it counts, to its end, also inside again")
  mutating func leaves() {
    _ = send(.slot(0), .id(5), .x(50), .y(500), .touch(1), .report)
    #expect(send(.x(100), .report) == [.began(finger(0, 5), at: device.now)])
    #expect(send(.x(50), .report) == [])
    #expect(device.verify() == [] && device.tracker.verdict == .touched)
    #expect(send(.id(-1), .touch(0), .report) == [.ended(finger(0, 5), .lifted, at: device.now)])
  }

  @Test("a contact that begins outside counts, with the time of its frame, and stays one inside")
  mutating func outside() {
    #expect(send(.slot(0), .id(5), .x(400), .y(500), .report) == [.began(finger(0, 5), at: device.now)])
    #expect(send(.x(50), .report) == [])
    #expect(device.tracker.verdict == .touched)
  }

  @Test("until it is placed it may be a finger")
  mutating func unplaced() {
    device.send(.slot(0), .id(5), .x(50), .y(500), .report)
    #expect(device.tracker.verdict == .uncertain && device.tracker.contacts == [])
    #expect(device.place(nil) == [.began(finger(0, 5), at: device.now)], "the table cannot be read")
  }

  @Test("a tap that ended before it was placed is activity only outside")
  mutating func taps() {
    device.send(.slot(0), .id(5), .x(50), .y(500), .report, .id(-1), .report)
    #expect(device.place() == [])
    device.send(.id(6), .x(500), .report, .id(-1), .report)
    #expect(device.place() == [.activity(at: device.now)])
    device.send(.id(7), .x(40), .id(-1), .report)
    #expect(device.place() == [])
  }

  @Test("if another contact has taken the slot, nothing shows where the first was: it counts")
  mutating func replaced() {
    #expect(
      device.send(.slot(0), .id(5), .x(50), .y(500), .report, .id(6), .report) == [.activity(at: device.now)])
    #expect(device.place() == [], "the second is inside")
  }

  @Test("the table decides at open and at a recheck")
  mutating func table() {
    device.sendUnseen(.slot(0), .id(5), .x(50), .y(500), .slot(1), .id(6), .x(500), .y(500), .touch(1))
    #expect(device.open() == [.began(finger(1, 6), at: device.now)])
    device.sendUnseen(.slot(2), .id(7), .x(99), .y(999))
    #expect(device.verify() == [])
    device.sendUnseen(.slot(2), .x(100))
    #expect(device.verify() == [.began(finger(2, 7), at: device.now)])
  }

  @Test("single touch: the same by ABS_X and ABS_Y")
  func single() {
    var device = DeviceUnderTest(.singleTouch, ignoring: [Self.area])
    device.send(.event(type: EventType.abs, code: EventCode.absX, value: 50), .touch(1), .report)
    #expect(device.place() == [])
    #expect(device.tracker.verdict == .idle)
    #expect(
      device.send(.event(type: EventType.abs, code: EventCode.absX, value: 150), .report) == [
        .began(finger(0, nil), at: device.now)
      ])
    #expect(device.send(.touch(0), .report) == [.ended(finger(0, nil), .lifted, at: device.now)])
  }

  @Test("type A: groups inside do not count; what counts, counts to its end")
  func groups() {
    var device = DeviceUnderTest(.typeA, ignoring: [Self.area])
    #expect(device.send(.x(50), .y(5), .group, .report) == [])
    #expect(device.send(.x(50), .y(5), .group, .x(500), .y(5), .group, .report).count == 1)
    #expect(device.send(.x(50), .y(5), .group, .x(60), .y(5), .group, .report) == [])
    #expect(device.tracker.contacts.count == 1)
    #expect(device.send(.group, .report) == [.ended(finger(0, nil), .lifted, at: device.now)])
    #expect(device.send(.x(50), .y(5), .group, .report) == [])
  }
}
