import CLinux
import Glibc
import Linux
import Timeline

/// Reads a device at the same time as the service, as any program could: with the kernel's timestamps, and without code of
/// the service. What it does not see, only the service can have seen.
public final class EventWatcher {
  public struct CannotRead: Error, CustomStringConvertible {
    public let description: String
  }

  public let node: String
  private let descriptor: FileDescriptor
  private var slot: Int32 = 0
  private var buffer = [input_event](repeating: input_event(), count: 64)

  /// Opens the device; nobody may be touching it.
  public init(node: String) throws(CannotRead) {
    self.node = node
    do throws(Errno) {
      descriptor = try FileDescriptor(opening: node, O_RDONLY | O_NONBLOCK)
    } catch {
      throw CannotRead(description: "\(node): \(error)")
    }
    var axis = input_absinfo()
    guard tg_evdev_set_clock(descriptor.raw, CInt(CLOCK_MONOTONIC)) == 0,
      tg_evdev_abs(descriptor.raw, UInt32(ABS_MT_SLOT), &axis) == 0
    else {
      throw CannotRead(description: "\(node): \(Errno()); is it a device with slots?")
    }
    slot = axis.value
  }

  /// Waits for events, at most this many milliseconds, and returns what they show; nil: the device is gone.
  public func read(within milliseconds: CInt) -> [Sighting]? {
    var waiting = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, milliseconds) > 0 else { return [] }
    var result: [Sighting] = []
    while true {
      let raw = descriptor.raw
      let size = buffer.withUnsafeMutableBytes { room in retry { Glibc.read(raw, room.baseAddress, room.count) } }
      if size < 0 && Errno().isWouldBlock { return result }
      if size <= 0 { return nil }
      for event in buffer[..<(size / MemoryLayout<input_event>.stride)] {
        if let kind = kind(event) { result.append(Sighting(Self.stamp(event), kind)) }
      }
    }
  }

  private func kind(_ event: input_event) -> Sighting.Kind? {
    switch (CInt(event.type), CInt(event.code)) {
    case (EV_SYN, SYN_DROPPED):
      return .loss
    case (EV_ABS, ABS_MT_SLOT):
      slot = event.value
      return nil
    case (EV_ABS, ABS_MT_TRACKING_ID):
      return event.value == -1 ? .end(slot: slot) : .begin(slot: slot, id: event.value)
    case (EV_KEY, _):
      return event.value == 1 ? .press(event.code) : event.value == 0 ? .release(event.code) : nil
    default:
      return nil
    }
  }

  private static func stamp(_ event: input_event) -> Instant {
    Instant(nanoseconds: Int64(event.time.tv_sec) * 1_000_000_000 + Int64(event.time.tv_usec) * 1000)
  }
}
