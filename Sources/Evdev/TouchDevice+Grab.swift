import CLinux
import Glibc
import Linux
import Timeline
import TouchModel
public import TouchReading

/// EVIOCGRAB. It works on a read-only descriptor, and ends when that is closed.
extension TouchDevice: GrabbableDevice {
  public func grab() -> GrabResult {
    // Opened before the grab: it receives what arrives until the grab takes effect, as all others do.
    let witness: FileDescriptor
    do {
      witness = try Self.open(node)
    } catch {
      return .failed(error.code)
    }
    _ = tg_evdev_set_clock(witness.raw, CInt(CLOCK_MONOTONIC))
    if hasQueued { return .touched }
    if tg_evdev_grab(reading.raw, 1) != 0 {
      let error = Errno()
      return error.code == EBUSY ? .busy : .failed(error.code)
    }
    self.witness = consume witness
    return .taken
  }

  /// Waits until no reader in the kernel uses the grab any more (RCU): up to 70 ms were measured.
  public func ungrab() {
    _ = tg_evdev_grab(reading.raw, 0)
    firstRead = nil
  }

  /// A frame has one stamp for all readers, so the first stamp that we and the witness have read shows which of us has
  /// more.
  public func unheard() -> Unheard {
    guard let witness = witness.take() else { return .nothing }
    guard let firstRead else { return .nothing }
    var firstHeard: Instant?
    if let size = try? read(witness) {
      decode(size) { event in firstHeard = firstHeard ?? event.time }
    }
    guard let firstHeard else { return .all }
    return firstRead < firstHeard ? .beginning : .nothing
  }

  public var othersHeard: Bool {
    guard let raw = witness?.raw else { return false }
    return Self.isReadable(raw)
  }

  public var isTouchOrKeyDown: Bool { keysDown.contains { $0 != 0 } }

  public var isKeyDown: Bool {
    var keys = keysDown
    for code in EventCode.buttonsOfFingers + [profile.button] { keys[Int(code) / 8] &= ~(1 << (code % 8)) }
    return keys.contains { $0 != 0 }
  }

  /// EVIOCGKEY as a bitmap; all zero if the device is gone.
  private var keysDown: [UInt8] {
    var keys = [UInt8](repeating: 0, count: 96)
    return tg_evdev_keys(asking.raw, &keys, UInt32(keys.count)) >= 0 ? keys : keys.map { _ in 0 }
  }
}
