import CLinux
import Glibc
import Linux
public import Recordings
import Timeline
import TouchModel

/// A touchscreen that the kernel takes for a real one, with fingers that do what they are told.
///
/// Coordinates are 0...1 of the screen's ranges, from its left and its top. Each call of `down`, `move` and `up` is one
/// frame, ended by SYN_REPORT; `frame` puts several into one. Slots that do not exist and fingers that are not down are
/// errors of the caller and stop the program. Touching a screen that is unplugged does nothing.
public final class VirtualTouchscreen {
  /// What it was made from.
  public let device: RecordedDevice
  /// `/dev/input/eventN`. Others may use that number again after `unplug`.
  public let node: String
  /// `/sys/devices/virtual/input/inputN`
  public let sysfs: String

  private var uinput: UinputDevice?
  private var fingers: Fingers
  private var isInFrame = false

  public convenience init(_ description: ScreenDescription) throws(VirtualTouchError) {
    try self.init(description.device)
  }

  /// A device like a recorded one.
  public init(_ device: RecordedDevice) throws(VirtualTouchError) {
    let uinput = try UinputDevice(device)
    self.device = device
    self.uinput = uinput
    node = uinput.node
    sysfs = uinput.sysfs
    fingers = Fingers(device)
  }

  public var isPlugged: Bool { uinput != nil }

  /// Slots 0..<slotCount exist: 1 on a single-touch screen, 10 fingers on one of type A.
  public var slotCount: Int { fingers.slotCount }

  /// Where a finger is; nil when there is none.
  public func position(slot: Int) -> (x: Double, y: Double)? {
    fingers.position(slot)
  }

  /// A finger lands, with a new tracking id: 0, 1, 2 and so on. Where one is down already, the new id replaces its id
  /// in place, without a -1 between.
  public func down(slot: Int, x: Double, y: Double) {
    fingers.down(slot, x: x, y: y)
    endFrame()
  }

  public func move(slot: Int, x: Double, y: Double) {
    fingers.move(slot, x: x, y: y)
    endFrame()
  }

  public func up(slot: Int) {
    fingers.up(slot)
    endFrame()
  }

  /// All that the body does with this screen becomes one frame.
  public func frame<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    precondition(!isInFrame, "a frame inside a frame")
    isInFrame = true
    defer {
      isInFrame = false
      endFrame()
    }
    try body()
  }

  /// Sends events as they are, with no SYN_REPORT but those given; inside `frame` they become part of it.
  /// The fingers do not know of them.
  public func send(_ events: [(type: UInt16, code: UInt16, value: Int32)]) {
    if isInFrame { fingers.add(events) } else { uinput?.write(events) }
  }

  /// Plays a recording in real time, each frame at the stamp of its end, and returns when it is over.
  ///
  /// On a device with autorepeat, the repeated keys of the recording (`BTN_TOUCH 2`, SYN_REPORT 1) are left out: the
  /// kernel makes them again. Stamps that go back, and pauses that `speed` makes shorter than a tick, do not wait.
  public func play(_ recording: Recording, speed: Double = 1) {
    precondition(speed > 0, "speed \(speed)")
    let start = SystemClock.monotonic
    for frame in Playback.frames(of: recording.events, withoutRepeats: device.autorepeat) {
      SystemClock.sleep(until: start + frame.offset / speed)
      send(frame.events)
    }
  }

  /// Pulls the plug: the device is gone, and its fingers with it.
  public func unplug() {
    uinput = nil
    fingers = Fingers(device)
  }

  /// The tracking ids in the kernel's table (EVIOCGMTSLOTS), one a slot, -1 where no contact is.
  public func kernelIDs() throws(VirtualTouchError) -> [Int32] {
    let descriptor = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotOpen(node: node, errno: errno) }
    defer { close(descriptor) }
    var values = [Int32](repeating: -1, count: slotCount + 1)
    values[0] = Int32(EventCode.trackingID)
    guard tg_evdev_mt_slots(descriptor, &values, CUnsignedInt(values.count)) >= 0 else {
      throw .cannotOpen(node: node, errno: errno)
    }
    return Array(values[1...])
  }

  private func endFrame() {
    if !isInFrame { uinput?.write(fingers.takeFrame()) }
  }
}
