import DeviceRules
import Evdev
import Glibc
import Timeline
import TouchModel
import TouchReading

@testable import TouchDevices

/// A machine with one touchscreen that vanishes before a given system call of discovery, counted from 0.
final class VanishingNodes: NodeAccess, SystemFiles {
  static let syspath = "/sys/devices/x/input/input7/event7"
  static let input = "/sys/devices/x/input/input7"
  static let node = "/dev/input/event7"

  let descriptors: [CInt] = []
  let device = FakeTouchNode()
  private(set) var calls = 0
  private let last: Int

  /// `last`: the first call that no longer finds the device.
  init(vanishesAt last: Int) { self.last = last }

  var exists: Bool { calls <= last }

  /// One system call; whether the device exists during it.
  private func call() -> Bool {
    calls += 1
    device.isGone = !exists
    return exists
  }

  func vanish() { calls = .max / 2 }

  // MARK: SystemFiles

  func names(in folder: String) -> [String] { call() ? ["event7", "mice"] : ["mice"] }

  func deviceNumber(of node: String) -> String? { call() && node == Self.node ? "13:71" : nil }

  func realPath(_ path: String) -> String? {
    if path == "/sys/dev/char" { return path }
    guard call() else { return nil }
    switch path {
    case "/sys/dev/char/13:71": return Self.syspath
    case "\(Self.syspath)/device": return Self.input
    case "\(Self.input)/device": return "/sys/devices/x"
    default: return nil
    }
  }

  func text(_ path: String) -> String? {
    guard call() else { return nil }
    switch path {
    case "\(Self.input)/name": return "Panel\n"
    case "\(Self.input)/properties": return "2\n"
    // ABS_X, ABS_Y, ABS_MT_SLOT, ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_TRACKING_ID
    case "\(Self.input)/capabilities/abs": return "260800000000003\n"
    // BTN_TOUCH
    case "\(Self.input)/capabilities/key": return "400 0 0 0 0 0\n"
    case "\(Self.input)/id/vendor": return "222a\n"
    case "\(Self.input)/id/product": return "0001\n"
    default: return nil
    }
  }

  // MARK: NodeAccess

  func present() -> [(node: InputNode, udev: UdevReport?)] { SysfsReader(self).nodes().map { ($0, nil) } }
  func receive(from descriptor: CInt) -> [NodeEvent] { [] }

  /// As `TouchDevice` does it: open, describe, open again.
  func open(_ candidate: DeviceDiscovery.Candidate) throws -> any TouchNode {
    if !call() { throw EvdevError("cannot open \(candidate.node)", ENOENT) }
    if !call() { throw EvdevError("cannot describe \(candidate.node)", ENODEV) }
    if !call() { throw EvdevError("cannot open \(candidate.node)", ENODEV) }
    return device
  }
}

/// A device with nothing on it; `isGone`: every call fails.
final class FakeTouchNode: TouchNode {
  var isGone = false
  let descriptor = inotify_init1(CInt(IN_CLOEXEC))
  let profile = ScreenProfile(name: "Panel", touchProtocol: .typeB(slots: 2))

  deinit { close(descriptor) }

  func read(limit: Int, at now: Instant) -> ReadResult { isGone ? .gone : .events([]) }
  func table() -> KernelTable? {
    if isGone { return nil }
    var table = KernelTable()
    table.trackingIDs = [-1, -1]
    return table
  }
  func discardQueued() -> Bool { !isGone }
  var hasQueued: Bool { isGone }
  func wantPositions(_ wanted: Bool) -> Bool { false }
  func grab() -> GrabResult { .taken }
  func ungrab() {}
  func unheard() -> Unheard { .nothing }
  var othersHeard: Bool { false }
  var isTouchOrKeyDown: Bool { false }
  var isKeyDown: Bool { false }
}
