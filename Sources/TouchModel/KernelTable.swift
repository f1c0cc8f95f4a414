/// The slot table of a device at one moment, as EVIOCGMTSLOTS, EVIOCGKEY and EVIOCGABS return it.
///
/// It is correct even while another process holds the device. It changes before SYN_REPORT, so it may have been read in
/// the middle of a frame.
public struct KernelTable: Hashable, Sendable {
  /// Tracking id by slot; below zero: none; empty for a device without slots.
  public var trackingIDs: [Int32]
  /// ABS_MT_TOOL_TYPE by slot; empty if the device has no such axis.
  public var toolTypes: [Int32]
  /// ABS_MT_DISTANCE by slot; empty if the device has no such axis.
  public var distances: [Int32]
  /// Position by slot, which shows whether somebody moves while no event arrives; one for a device without slots. Only
  /// compared in memory, never logged. Empty if it was not read.
  public var positions: [Position]
  /// The slot that the next event of the device belongs to.
  public var currentSlot: Int
  /// BTN_TOUCH; nil if the device has none.
  public var touchDown: Bool?

  /// A position in units of the device.
  public struct Position: Hashable, Sendable {
    public var x: Int32
    public var y: Int32

    public init(x: Int32, y: Int32) {
      self.x = x
      self.y = y
    }
  }

  public init(
    trackingIDs: [Int32] = [], toolTypes: [Int32] = [], distances: [Int32] = [], positions: [Position] = [],
    currentSlot: Int = 0, touchDown: Bool? = nil
  ) {
    self.trackingIDs = trackingIDs
    self.toolTypes = toolTypes
    self.distances = distances
    self.positions = positions
    self.currentSlot = currentSlot
    self.touchDown = touchDown
  }
}
