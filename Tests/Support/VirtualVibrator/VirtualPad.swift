import CVirtualVibrator
import Foundation
import Glibc
import Linux
import Synchronization
public import Timeline

/// A gamepad on uhid whose driver (hid-microsoft on ff-memless) plays effects itself: the reports that it gets are what a
/// motor would have felt, and when.
public final class VirtualPad: Sendable {
  /// The motor's strength in percent, from then on.
  public struct Level: Equatable, Sendable {
    public let at: Instant
    public let percent: Int
  }

  /// From the motor's start to its stop.
  public struct Pulse: Sendable {
    public let start: Instant
    /// Nil: it still runs.
    public let length: Duration?
    public let percent: Int
  }

  private let descriptor: CInt
  private let kept = Mutex<[Level]>([])
  private let isPlugged = Atomic(true)
  private let isReading = Atomic(true)

  public init() throws {
    descriptor = vv_pad_create()
    if descriptor < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    Thread.detachNewThread { [self] in
      while isPlugged.load(ordering: .acquiring) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, 10)
        while take() {}
      }
      isReading.store(false, ordering: .releasing)
    }
  }

  /// Removes the device; the value must not be used afterwards.
  public func unplug() {
    isPlugged.store(false, ordering: .releasing)
    while isReading.load(ordering: .acquiring) { usleep(1000) }
    close(descriptor)
  }

  public var levels: [Level] { kept.withLock { $0 } }

  public var pulses: [Pulse] {
    var pulses: [Pulse] = []
    var running: Level?
    for level in levels {
      if let begun = running, level.percent != begun.percent {
        pulses.append(Pulse(start: begun.at, length: level.at - begun.at, percent: begun.percent))
        running = nil
      }
      if running == nil && level.percent > 0 { running = level }
    }
    if let running { pulses.append(Pulse(start: running.at, length: nil, percent: running.percent)) }
    return pulses
  }

  public func forget() { kept.withLock { $0 = [] } }

  private func take() -> Bool {
    var data = [UInt8](repeating: 0, count: 16)
    var size: CInt = 0
    let kind = vv_pad_read(descriptor, &data, CInt(data.count), &size)
    // Report 3: which motors, then left, right trigger, strong, weak.
    if kind == 1 && size >= 6 && data[0] == 3 {
      kept.withLock { $0.append(Level(at: SystemClock.monotonic, percent: Int(data[4]))) }
    }
    return kind >= 0
  }
}
