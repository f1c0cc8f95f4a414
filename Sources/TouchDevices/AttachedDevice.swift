import EventLoop
import TouchModel
import TouchReading

/// An open device: where it belongs, its source, and its reader.
final class AttachedDevice {
  let screen: String
  let node: String
  /// As the kernel names it, printable.
  let name: String
  /// ID_PATH of udev; empty for a recording.
  let idPath: String
  /// Identifies the hardware in the next boot, too; nil: nothing does.
  let hardware: String?
  let source: any FrameSource
  /// The same device; nil for a recording, which has no other readers.
  let grabbable: (any GrabbableDevice)?
  var reader: DeviceReader
  var watch: Source?

  init(
    screen: String, node: String, name: String, idPath: String, hardware: String?, source: any FrameSource,
    grabbable: (any GrabbableDevice)?, reader: DeviceReader
  ) {
    self.screen = screen
    self.node = node
    self.name = name
    self.idPath = idPath
    self.hardware = hardware
    self.source = source
    self.grabbable = grabbable
    self.reader = reader
  }

  /// A contact or any key is down.
  var isDown: Bool { reader.tracker.isSomethingNear || grabbable?.isTouchOrKeyDown == true }

  /// Other processes received the latest events too.
  var othersHeard: Bool { grabbable?.othersHeard == true }
}
