public import Timeline

/// One event as evdev delivers it (`struct input_event`), with its stamp on the monotonic clock.
public struct InputEvent: Hashable, Sendable {
  /// When the kernel stamped it.
  public var time: Instant
  /// `EventType`.
  public var type: UInt16
  /// `EventCode`; its meaning depends on the type.
  public var code: UInt16
  /// Its meaning depends on type and code.
  public var value: Int32

  public init(time: Instant, type: UInt16, code: UInt16, value: Int32) {
    self.time = time
    self.type = type
    self.code = code
    self.value = value
  }
}

/// Event types of linux/input-event-codes.h that matter for touch. They are the kernel's ABI; with this copy the pure
/// modules need no C header.
public enum EventType {
  public static let syn: UInt16 = 0x00
  public static let key: UInt16 = 0x01
  public static let abs: UInt16 = 0x03
  public static let msc: UInt16 = 0x04
  public static let rep: UInt16 = 0x14
}

/// Event codes of linux/input-event-codes.h that matter for touch.
public enum EventCode {
  public static let synReport: UInt16 = 0
  public static let synMTReport: UInt16 = 2
  public static let synDropped: UInt16 = 3

  public static let buttonToolPen: UInt16 = 0x140
  public static let buttonToolFinger: UInt16 = 0x145
  public static let buttonTouch: UInt16 = 0x14a
  /// BTN_TOUCH, and BTN_TOOL_FINGER to BTN_TOOL_QUINTTAP, which report the number of fingers.
  public static let buttonsOfFingers: [UInt16] = [buttonTouch, buttonToolFinger, 0x148, 0x14d, 0x14e, 0x14f]

  public static let absX: UInt16 = 0x00
  public static let absY: UInt16 = 0x01
  public static let absPressure: UInt16 = 0x18
  public static let slot: UInt16 = 0x2f
  public static let touchMajor: UInt16 = 0x30
  public static let positionX: UInt16 = 0x35
  public static let positionY: UInt16 = 0x36
  public static let toolType: UInt16 = 0x37
  public static let trackingID: UInt16 = 0x39
  public static let pressure: UInt16 = 0x3a
  public static let distance: UInt16 = 0x3b
  public static let toolY: UInt16 = 0x3d
}

/// Values of ABS_MT_TOOL_TYPE.
public enum ToolType {
  public static let finger: Int32 = 0
  public static let pen: Int32 = 1
  public static let palm: Int32 = 2
}

/// Numbers of the input properties that `EVIOCGPROP` reports.
public enum InputProperty {
  public static let direct: UInt16 = 0x01
}
