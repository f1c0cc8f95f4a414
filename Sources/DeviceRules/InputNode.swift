public import TouchModel

/// An event node as the kernel describes it, through sysfs or the node itself. It is known without udev.
public struct InputNode: Equatable, Sendable {
  /// `/sys/devices/…/input5/event3`, which no other device gets before the next boot. The node if there is no sysfs.
  public var syspath: String
  /// `/dev/input/event3`
  public var node: String
  /// The kernel's name of the device, printable.
  public var name: String
  /// `vendor:product` in hexadecimal, as lsusb prints it.
  public var identity: String
  /// The place of the hardware in sysfs, without `/sys`.
  public var path: String
  /// Nil: neither sysfs nor the node reports them.
  public var capabilities: ScreenProfile.Capabilities?

  public init(
    syspath: String, node: String, name: String, identity: String = ":", path: String = "",
    capabilities: ScreenProfile.Capabilities?
  ) {
    self.syspath = syspath
    self.node = node
    self.name = name
    self.identity = identity
    self.path = path
    self.capabilities = capabilities
  }

  /// A device name that somebody else chose, fit for messages and for the name of a screen: control characters become
  /// `?`, blanks at its ends are removed, and an empty name becomes `unnamed device`.
  public static func printable(_ name: String) -> String {
    var scalars = name.unicodeScalars.map { isControl($0) ? "?" : $0 }
    while scalars.last == " " { scalars.removeLast() }
    let text = String(String.UnicodeScalarView(scalars.drop { $0 == " " }))
    return text.allSatisfy { $0 == "?" } ? "unnamed device" : text
  }

  /// Also what ends a line or reverses its direction in a terminal.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }
}

/// What udev reports about a node after it has initialized the device.
public struct UdevReport: Equatable, Sendable {
  /// `ID_INPUT_…=1`
  public enum Tag: String, CaseIterable, Sendable {
    case touchscreen = "TOUCHSCREEN"
    case touchpad = "TOUCHPAD"
    case mouse = "MOUSE"
    case keyboard = "KEYBOARD"
    case tablet = "TABLET"
    case joystick = "JOYSTICK"
    case accelerometer = "ACCELEROMETER"
  }

  public var tags: Set<Tag>
  /// ID_PATH; nil: not set.
  public var idPath: String?
  /// ID_SEAT; `seat0` if udev sets none.
  public var seat: String
  /// TOUCHGATE_SCREEN: the screen that it belongs to; nil: not set.
  public var screen: String?
  /// LIBINPUT_IGNORE_DEVICE or TOUCHGATE_IGNORE is set.
  public var ignored: Bool

  public init(
    tags: Set<Tag> = [], idPath: String? = nil, seat: String = "seat0", screen: String? = nil, ignored: Bool = false
  ) {
    self.tags = tags
    self.idPath = idPath
    self.seat = seat
    self.screen = screen
    self.ignored = ignored
  }
}
