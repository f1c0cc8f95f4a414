/// How to decode a touch device: determined from its capabilities at open, and constant.
public struct ScreenProfile: Hashable, Sendable {
  /// Name that the kernel reports.
  public let name: String
  /// How the device reports contacts.
  public let touchProtocol: TouchProtocol
  /// The key that reports touch: BTN_TOUCH, or BTN_LEFT of an absolute mouse. Sources report it as BTN_TOUCH.
  public let button: UInt16
  /// Frames do not report BTN_TOUCH while positions are masked: the device repeats it (EV_REP), so it is masked, too, and
  /// read with the slot table.
  public var masksButton: Bool
  /// The ranges of the position axes; nil if they are not known.
  public var axes: Axes?
  /// Parts of the screen in which contacts do not count.
  public var ignoredAreas: [IgnoredArea] = []

  public init(
    name: String, touchProtocol: TouchProtocol, button: UInt16 = EventCode.buttonTouch, masksButton: Bool = false
  ) {
    self.name = name
    self.touchProtocol = touchProtocol
    self.button = button
    self.masksButton = masksButton
  }

  /// The ranges of ABS_MT_POSITION_X and ABS_MT_POSITION_Y, or of ABS_X and ABS_Y.
  public struct Axes: Hashable, Sendable {
    public var x: ClosedRange<Int32>
    public var y: ClosedRange<Int32>

    public init(x: ClosedRange<Int32>, y: ClosedRange<Int32>) {
      self.x = x
      self.y = y
    }
  }

  /// Most slots of a device; one that claims more has a wrong absinfo.
  public static let mostSlots = 256

  /// Why a device is not a touchscreen.
  public enum Refusal: Error, Equatable, Sendable {
    /// Not INPUT_PROP_DIRECT and no udev tag: a touchpad, a mouse, a remote tablet.
    case indirect
    /// It has the axis ABS_MT_SLOT - 1, so its ABS_MT axes are those of a joystick by chance.
    case fakeMultitouch
    /// Neither multitouch axes nor ABS_X, ABS_Y and BTN_TOUCH.
    case noTouch
    /// A tablet for pens.
    case penOnly
  }

  /// Capabilities as udev and the device report them.
  public struct Capabilities: Equatable, Sendable {
    /// Name that the kernel reports.
    public var name: String
    /// Input properties (`InputProperty`).
    public var properties: Set<UInt16>
    /// Codes of EV_KEY.
    public var keys: Set<UInt16>
    /// Codes of EV_ABS.
    public var axes: Set<UInt16>
    /// ABS_MT_SLOT maximum + 1; nil without that axis.
    public var slots: Int?
    /// ID_INPUT_TOUCHSCREEN of udev.
    public var taggedTouchscreen: Bool
    /// The configuration says that it is a touchscreen.
    public var isConfigured: Bool

    public init(
      name: String, properties: Set<UInt16>, keys: Set<UInt16>, axes: Set<UInt16>, slots: Int?,
      taggedTouchscreen: Bool, isConfigured: Bool = false
    ) {
      self.name = name
      self.properties = properties
      self.keys = keys
      self.axes = axes
      self.slots = slots
      self.taggedTouchscreen = taggedTouchscreen
      self.isConfigured = isConfigured
    }
  }

  /// The profile of a touchscreen. The udev tag decides; without it, INPUT_PROP_DIRECT together with multitouch axes, or
  /// with ABS_X, ABS_Y and BTN_TOUCH if it is not a tablet for pens only. An absolute mouse (BTN_LEFT) needs the
  /// configuration.
  ///
  /// - Throws: why the device is not a touchscreen.
  public init(_ device: Capabilities) throws(Refusal) {
    let direct = device.properties.contains(InputProperty.direct)
    let positions = device.axes.contains(EventCode.positionX) && device.axes.contains(EventCode.positionY)
    // The axes of a joystick may happen to be in the multitouch range; then it has the axis just below ABS_MT_SLOT, too.
    let fake = device.axes.contains(EventCode.slot - 1)
    let touch = device.keys.contains(EventCode.buttonTouch)
    let left = device.isConfigured && device.keys.contains(EventCode.buttonLeft)
    let tagged = device.taggedTouchscreen || device.isConfigured
    let plain = device.axes.contains(EventCode.absX) && device.axes.contains(EventCode.absY)
    let penOnly = device.keys.contains(EventCode.buttonToolPen) && !device.keys.contains(EventCode.buttonToolFinger)

    guard direct || tagged else { throw .indirect }
    if positions && !fake {
      if let slots = device.slots, slots > 0, device.axes.contains(EventCode.trackingID) {
        self.init(name: device.name, touchProtocol: .typeB(slots: min(slots, Self.mostSlots)))
      } else {
        self.init(name: device.name, touchProtocol: .typeA)
      }
      return
    }
    guard plain && (touch || left) else { throw positions ? .fakeMultitouch : .noTouch }
    if penOnly && !tagged { throw .penOnly }
    self.init(
      name: device.name, touchProtocol: .singleTouch, button: touch ? EventCode.buttonTouch : EventCode.buttonLeft)
  }
}

extension EventCode {
  /// BTN_LEFT
  public static let buttonLeft: UInt16 = 0x110
}
