import CLinux
import Evdev
import Glibc
import Linux
public import Recordings
public import Timeline
public import TouchModel
public import TouchReading

/// A recording that is played in real time instead of a device: the same frames, and a slot table as the kernel would
/// hold it.
public final class ReplaySource: FrameSource {
  public let profile: ScreenProfile
  private let timer: FileDescriptor
  private let events: [InputEvent]
  private let offset: Duration
  private var next = 0
  private var kernel: SlotTable

  /// Starts to play at `start`.
  ///
  /// - Throws: `ScreenProfile.Refusal` if the recorded device is not a touchscreen, `EvdevError` if there is no timer.
  public init(_ recording: Recording, start: Instant) throws {
    let device = recording.device
    profile = try ScreenProfile(
      ScreenProfile.Capabilities(
        name: device.name, properties: device.properties, keys: device.keys, axes: Set(device.axes.keys),
        slots: device.axes[EventCode.slot].map { Int($0.maximum) + 1 }, taggedTouchscreen: true))
    kernel = SlotTable(profile)
    events = recording.events
    offset = recording.events.first.map { start - $0.time } ?? .zero
    do {
      timer = try FileDescriptor(owning: tg_timer_new())
    } catch {
      throw EvdevError("timerfd", error.code)
    }
    arm()
  }

  /// Becomes readable when the next event is due. Valid while this object lives.
  public var descriptor: CInt { timer.raw }

  /// The time from the first event to the last.
  public var length: Duration {
    guard let first = events.first, let last = events.last else { return .zero }
    return last.time - first.time
  }

  /// Always false: events that are due are returned in the same wake-up, and later ones are not queued yet.
  public var hasQueued: Bool { false }

  /// At most one frame per call: after a loss the table is read, and must not be ahead of frames that are still to
  /// come.
  public func read(limit: Int, at now: Instant) -> ReadResult {
    var expirations: UInt64 = 0
    _ = withUnsafeMutableBytes(of: &expirations) { try? timer.read(into: $0) }
    var result: [InputEvent] = []
    while next < events.count, events[next].time + offset <= now, result.count < limit {
      var event = events[next]
      event.time = event.time + offset
      next += 1
      kernel.apply(event)
      result.append(event)
      if event.type == EventType.syn && event.code == EventCode.synReport { break }
    }
    arm()
    return .events(result)
  }

  public func table() -> KernelTable? { kernel.table }
  public func discardQueued() -> Bool { true }
  public func wantPositions(_ wanted: Bool) -> Bool { false }

  private func arm() {
    guard next < events.count else { return }
    _ = tg_timer_arm(timer.raw, max(1, (events[next].time + offset).nanoseconds))
  }
}
