public import Timeline

/// Everything that a device sends up to one SYN_REPORT. Only complete frames have a meaning.
public struct Frame: Equatable, Sendable {
  /// How a frame ended.
  public enum Ending: Equatable, Sendable {
    /// SYN_REPORT with value 0: the device's own frame.
    case report
    /// SYN_REPORT with value 1 after BTN_TOUCH 0: the kernel released the keys (suspend, unplug, `inhibited`).
    case keysReleasedByKernel
  }

  /// One event of a frame, without its stamp: type, code and value of evdev.
  public struct Update: Hashable, Sendable {
    public var type: UInt16
    public var code: UInt16
    public var value: Int32

    public init(type: UInt16, code: UInt16, value: Int32) {
      self.type = type
      self.code = code
      self.value = value
    }
  }

  /// The kernel's stamp of the frame.
  public var time: Instant
  /// In the order of arrival, without SYN_REPORT.
  public var updates: [Update]
  /// Who ended the frame.
  public var ending: Ending

  public init(time: Instant, updates: [Update], ending: Ending) {
    self.time = time
    self.updates = updates
    self.ending = ending
  }
}
