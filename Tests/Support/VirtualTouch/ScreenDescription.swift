public import Recordings
import TouchModel

/// A virtual touchscreen to make.
public struct ScreenDescription: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// Type B: slots and tracking ids.
    case multitouch(slots: Int)
    /// BTN_TOUCH and ABS_X/ABS_Y only.
    case singleTouch
    /// Type A: every contact in every frame, SYN_MT_REPORT between them.
    case typeA
  }

  public var name: String
  public var kind: Kind
  /// The largest coordinates; the smallest are 0.
  public var maxX: Int32 = 4095
  public var maxY: Int32 = 4095
  /// A `BUS_` number; USB.
  public var bustype: UInt16 = 3
  public var vendor: UInt16 = 0x4c42
  public var product: UInt16 = 0x0001
  /// EV_REP: the kernel then makes `BTN_TOUCH 2` frames while a finger rests.
  public var autorepeat = false
  /// INPUT_PROP_DIRECT: false makes a touchpad, which must not count as a screen.
  public var direct = true
  /// Whether it sends BTN_TOUCH. A single-touch screen always does.
  public var buttonTouch = true
  /// Whether it has ABS_MT_TOOL_TYPE.
  public var toolType = false
  /// Whether it has ABS_MT_DISTANCE (0...1: in the air or not).
  public var distance = false

  public init(_ name: String = "Virtual Touchscreen", kind: Kind = .multitouch(slots: 10)) {
    self.name = name
    self.kind = kind
  }

  /// The same in the words of a recording, from which the device is made.
  public var device: RecordedDevice {
    var device = RecordedDevice(name: name, bustype: bustype, vendor: vendor, product: product, version: 1)
    if direct { device.properties = [InputProperty.direct] }
    if buttonTouch || kind == .singleTouch { device.keys.insert(EventCode.buttonTouch) }
    if !direct { device.keys.insert(EventCode.buttonToolFinger) }
    if autorepeat { device.otherCodes[0x14] = [0, 1] }
    device.axes[EventCode.absX] = .init(minimum: 0, maximum: maxX)
    device.axes[EventCode.absY] = .init(minimum: 0, maximum: maxY)
    if kind == .singleTouch { return device }
    device.axes[EventCode.positionX] = .init(minimum: 0, maximum: maxX)
    device.axes[EventCode.positionY] = .init(minimum: 0, maximum: maxY)
    if toolType { device.axes[EventCode.toolType] = .init(minimum: 0, maximum: ToolType.palm) }
    if distance { device.axes[EventCode.distance] = .init(minimum: 0, maximum: 1) }
    if case .multitouch(let slots) = kind {
      device.axes[EventCode.slot] = .init(minimum: 0, maximum: Int32(clamping: slots - 1))
      device.axes[EventCode.trackingID] = .init(minimum: 0, maximum: 65535)
    }
    return device
  }
}
