/// What a touch device is, as far as decoding it goes: from its capabilities at open, never changed afterwards.
public struct ScreenProfile: Hashable, Sendable {
  /// How a device tells of contacts. Rule: Documentation/input/multi-touch-protocol.rst.
  public enum Tongue: Hashable, Sendable {
    /// Type B: slots with tracking ids; the number of slots is the device's own (60 exist).
    case slots(Int)
    /// Type A: groups ended by SYN_MT_REPORT, no ids, no release.
    case groups
    /// BTN_TOUCH with ABS_X and ABS_Y: one contact.
    case single
  }

  public let name: String
  public let tongue: Tongue

  public init(name: String, tongue: Tongue) {
    self.name = name
    self.tongue = tongue
  }

  /// Most slots that are believed; a device that claims more has a lying absinfo.
  public static let mostSlots = 256

  /// Why a device is not a touchscreen.
  public enum Refusal: Error, Equatable, Sendable {
    /// Not INPUT_PROP_DIRECT and no udev tag: a touchpad, a mouse, a remote tablet.
    case indirect
    /// ABS_MT codes without slots and without type A: ABS_MT_SLOT - 1 is present, so it only looks like multitouch.
    case fakeMultitouch
    case noTouch
    case penOnly
  }

  /// Capabilities as udev and the device tell them.
  public struct Capabilities: Equatable, Sendable {
    public var name: String
    public var properties: Set<UInt16>
    public var keys: Set<UInt16>
    public var axes: Set<UInt16>
    /// ABS_MT_SLOT maximum + 1; nil without that axis.
    public var slots: Int?
    /// ID_INPUT_TOUCHSCREEN of udev.
    public var taggedTouchscreen: Bool

    public init(
      name: String, properties: Set<UInt16>, keys: Set<UInt16>, axes: Set<UInt16>, slots: Int?,
      taggedTouchscreen: Bool
    ) {
      self.name = name
      self.properties = properties
      self.keys = keys
      self.axes = axes
      self.slots = slots
      self.taggedTouchscreen = taggedTouchscreen
    }
  }

  /// The profile of a touchscreen, or why it is none. The udev tag decides; without it, INPUT_PROP_DIRECT together
  /// with multitouch axes, or with ABS_X, ABS_Y and BTN_TOUCH where it is not a tablet for pens only.
  public init(_ device: Capabilities) throws(Refusal) {
    let direct = device.properties.contains(InputProperty.direct)
    let positions = device.axes.contains(EventCode.positionX) && device.axes.contains(EventCode.positionY)
    // A joystick-like device whose axes happen to lie in the multitouch range has the axis just below ABS_MT_SLOT.
    let fake = device.axes.contains(EventCode.slot - 1)
    let touch = device.keys.contains(EventCode.buttonTouch)
    let plain = device.axes.contains(EventCode.absX) && device.axes.contains(EventCode.absY)
    let penOnly = device.keys.contains(EventCode.buttonToolPen) && !device.keys.contains(EventCode.buttonToolFinger)

    guard direct || device.taggedTouchscreen else { throw .indirect }
    if positions && !fake {
      if let slots = device.slots, slots > 0, device.axes.contains(EventCode.trackingID) {
        self.init(name: device.name, tongue: .slots(min(slots, Self.mostSlots)))
      } else {
        self.init(name: device.name, tongue: .groups)
      }
      return
    }
    guard plain && touch else { throw positions ? .fakeMultitouch : .noTouch }
    if penOnly && !device.taggedTouchscreen { throw .penOnly }
    self.init(name: device.name, tongue: .single)
  }
}
