/// How a device reports contacts (Documentation/input/multi-touch-protocol.rst of the kernel).
public enum TouchProtocol: Hashable, Sendable {
  /// Groups that end with SYN_MT_REPORT, without ids and without releases.
  case typeA
  /// Slots with tracking ids; the number of slots is the device's own (60 exist).
  case typeB(slots: Int)
  /// BTN_TOUCH with ABS_X and ABS_Y: one contact.
  case singleTouch
}
