import Testing
import TouchModel

@Suite("Which devices are touchscreens, and of which kind")
struct ScreenProfileTests {
  private static let single = [EventCode.absX, EventCode.absY]
  private static let multi = [EventCode.positionX, EventCode.positionY]

  private func profile(
    _ axes: [UInt16], keys: [UInt16] = [EventCode.buttonTouch], slots: Int? = nil, direct: Bool = true,
    tagged: Bool = false
  ) throws(ScreenProfile.Refusal) -> ScreenProfile {
    try ScreenProfile(
      ScreenProfile.Capabilities(
        name: "Panel", properties: direct ? [InputProperty.direct] : [], keys: Set(keys), axes: Set(axes),
        slots: slots, taggedTouchscreen: tagged))
  }

  @Test("slots with tracking ids are type B, positions without them type A, one position with BTN_TOUCH single touch")
  func kinds() throws {
    let slotted = Self.multi + [EventCode.slot, EventCode.trackingID]
    #expect(try profile(slotted, slots: 10).touchProtocol == .typeB(slots: 10))
    #expect(try profile(slotted, slots: 1000).touchProtocol == .typeB(slots: ScreenProfile.mostSlots))
    #expect(try profile(slotted, slots: 0).touchProtocol == .typeA)
    #expect(try profile(Self.multi + [EventCode.slot], slots: 10).touchProtocol == .typeA)
    #expect(try profile(Self.multi).touchProtocol == .typeA)
    #expect(try profile(Self.single).touchProtocol == .singleTouch)
  }

  @Test("a device is a touchscreen by udev's tag or by INPUT_PROP_DIRECT")
  func tag() throws {
    #expect(try profile(Self.single, direct: false, tagged: true).touchProtocol == .singleTouch)
    #expect(try profile(Self.multi, direct: false, tagged: true).touchProtocol == .typeA)
    #expect(throws: ScreenProfile.Refusal.indirect) { try profile(Self.multi, direct: false) }
  }

  @Test("axes of a joystick in the multitouch range do not count")
  func joystick() throws {
    let joystick = Self.multi + [EventCode.slot - 1]
    #expect(try profile(joystick + Self.single).touchProtocol == .singleTouch)
    #expect(throws: ScreenProfile.Refusal.fakeMultitouch) { try profile(joystick) }
  }

  @Test("without BTN_TOUCH or without a position there is no touch")
  func noTouch() {
    #expect(throws: ScreenProfile.Refusal.noTouch) { try profile(Self.single, keys: []) }
    #expect(throws: ScreenProfile.Refusal.noTouch) { try profile([EventCode.absX]) }
  }

  @Test("a tablet for pens is a touchscreen only if udev says so or it has a tool for fingers")
  func pens() throws {
    let pen = [EventCode.buttonTouch, EventCode.buttonToolPen]
    #expect(throws: ScreenProfile.Refusal.penOnly) { try profile(Self.single, keys: pen) }
    #expect(try profile(Self.single, keys: pen, tagged: true).touchProtocol == .singleTouch)
    #expect(try profile(Self.single, keys: pen + [EventCode.buttonToolFinger]).touchProtocol == .singleTouch)
  }

  @Test("an absolute mouse is single touch with BTN_LEFT only if the configuration says so; BTN_TOUCH goes first")
  func absoluteMouse() throws {
    func mouse(_ keys: [UInt16], configured: Bool, tagged: Bool = false) throws(ScreenProfile.Refusal) -> ScreenProfile
    {
      try ScreenProfile(
        ScreenProfile.Capabilities(
          name: "Panel", properties: [], keys: Set(keys), axes: Set(Self.single), slots: nil,
          taggedTouchscreen: tagged, isConfigured: configured))
    }
    let panel = try mouse([EventCode.buttonLeft], configured: true)
    #expect(panel.touchProtocol == .singleTouch && panel.button == EventCode.buttonLeft)
    #expect(
      try mouse([EventCode.buttonLeft, EventCode.buttonTouch], configured: true).button == EventCode.buttonTouch)
    #expect(throws: ScreenProfile.Refusal.noTouch) {
      try mouse([EventCode.buttonLeft], configured: false, tagged: true)
    }
    #expect(throws: ScreenProfile.Refusal.noTouch) { try mouse([], configured: true) }
    #expect(throws: ScreenProfile.Refusal.indirect) { try mouse([EventCode.buttonLeft], configured: false) }
  }

  @Test(
    "extreme numbers of slots are decoded, with at most 256", arguments: [Int.max, 1 << 31, 257, 1, 0, -1, Int.min])
  func extremeSlots(_ slots: Int) throws {
    let profile = try profile(Self.multi + [EventCode.slot, EventCode.trackingID], slots: slots)
    #expect(profile.touchProtocol == (slots > 0 ? .typeB(slots: min(slots, 256)) : .typeA))
  }
}
