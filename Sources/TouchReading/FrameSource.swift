public import Timeline
public import TouchModel

/// Where the events of one touch device come from: a device node, a recording, or a simulated kernel in a test.
///
/// A source opens with positions masked, if it can mask them. It only transfers data: what the data means is decided by
/// `DeviceReader`.
public protocol FrameSource: AnyObject {
  /// Reads queued events without blocking, at most `limit`; may return fewer than are queued. No events: the queue is
  /// empty.
  ///
  /// Stamps are on the monotonic clock; a source whose stamps are on another clock returns `now` instead.
  func read(limit: Int, at now: Instant) -> ReadResult

  /// The kernel's slot table now, possibly in the middle of a frame; nil if it cannot be read.
  func table() -> KernelTable?

  /// Discards all queued events. False if events arrive faster than they can be discarded, or the device is gone.
  func discardQueued() -> Bool

  /// Whether `read` has something to return, `gone` included.
  var hasQueued: Bool { get }

  /// Lets positions through, or masks them, so that a drag does not wake the service on every frame.
  ///
  /// - Returns: whether the mask changed. Queued events were then filtered by the other mask, so the slot table must be
  ///   read again.
  func wantPositions(_ wanted: Bool) -> Bool
}

/// What one `FrameSource.read` returned.
public enum ReadResult: Equatable, Sendable {
  /// In the order in which the device sent them; empty if none is queued.
  case events([InputEvent])
  /// The device is gone for good (ENODEV).
  case gone
}
