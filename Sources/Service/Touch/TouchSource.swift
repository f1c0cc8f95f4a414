import Evdev
import Timeline
import TouchModel

/// Where frames come from: a device of the kernel, or a recording played in its place.
protocol TouchSource: AnyObject {
  var profile: ScreenProfile { get }
  /// Readable when `read` has something.
  var descriptor: CInt { get }
  func read(now: Instant) -> TouchDevice.Reading
  var hasQueued: Bool { get }
  func table() -> KernelTable?
  func settledTable() -> KernelTable?
  var cutFrameDue: Instant? { get }
  func finishCutFrame(now: Instant) -> FrameAssembler.Output?
  /// True where it changed something: then a settled table must be adopted.
  func wantPositions(_ wanted: Bool) -> Bool
  func grab() -> TouchDevice.Grab
  func ungrab()
  func unheard() -> TouchDevice.Unheard
  var othersHeard: Bool { get }
  var isTouchOrKeyDown: Bool { get }
  var isKeyDown: Bool { get }
}

extension TouchDevice: TouchSource {
  func read(now: Instant) -> Reading { read(now: now, limit: 4096) }
  func settledTable() -> KernelTable? { settledTable(tries: 20) }
}
