/// What a device said it is when it was recorded: its name, identity and capabilities, as `EVIOCGBIT` and its
/// relatives report them.
public struct RecordedDevice: Equatable, Sendable {
  /// The range of an absolute axis (`struct input_absinfo`).
  public struct AxisInfo: Equatable, Sendable {
    public var minimum: Int32
    public var maximum: Int32
    public var fuzz: Int32
    public var flat: Int32
    /// Units per millimetre; 0 when the device does not say.
    public var resolution: Int32

    public init(minimum: Int32, maximum: Int32, fuzz: Int32 = 0, flat: Int32 = 0, resolution: Int32 = 0) {
      self.minimum = minimum
      self.maximum = maximum
      self.fuzz = fuzz
      self.flat = flat
      self.resolution = resolution
    }
  }

  public var name: String
  /// A `BUS_` number: 3 is USB, 0x18 I2C, 6 virtual.
  public var bustype: UInt16
  public var vendor: UInt16
  public var product: UInt16
  public var version: UInt16
  /// `INPUT_PROP_` numbers.
  public var properties: Set<UInt16> = []
  /// Codes of EV_KEY.
  public var keys: Set<UInt16> = []
  /// The axes by their code of EV_ABS, 0...63.
  public var axes: [UInt16: AxisInfo] = [:]
  /// The codes of every other event type (no empty sets). Those of type 0 are the event types themselves in evemu 1.2
  /// and before; evemu 1.3 writes EV_SYN, EV_KEY and EV_ABS there, whatever the device is.
  public var otherCodes: [UInt16: Set<UInt16>] = [:]

  public init(name: String, bustype: UInt16 = 3, vendor: UInt16 = 0, product: UInt16 = 0, version: UInt16 = 0) {
    self.name = name
    self.bustype = bustype
    self.vendor = vendor
    self.product = product
    self.version = version
  }

  /// Whether the kernel repeats keys of this device (EV_REP): it then makes `BTN_TOUCH 2` frames of its own while a
  /// finger rests.
  public var autorepeat: Bool {
    let repeatType: UInt16 = 0x14
    return otherCodes[repeatType] != nil || otherCodes[0]?.contains(repeatType) == true
  }
}
