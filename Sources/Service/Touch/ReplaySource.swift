import CLinux
import Evdev
import Glibc
import Recordings
import Timeline
import TouchModel
import TouchReading

/// A recording played at its own pace in place of a device: the same frames, and a table as the kernel would hold it.
final class ReplaySource: FrameSource {
  let profile: ScreenProfile
  let descriptor: CInt
  private let events: [InputEvent]
  private let offset: Duration
  private var next = 0
  private var kernel: SlotTable

  /// Starts to play at `start`. Throws `ScreenProfile.Refusal` where the recorded device is no touchscreen.
  init(_ recording: Recording, start: Instant) throws {
    let device = recording.device
    profile = try ScreenProfile(
      ScreenProfile.Capabilities(
        name: device.name, properties: device.properties, keys: device.keys, axes: Set(device.axes.keys),
        slots: device.axes[EventCode.slot].map { Int($0.maximum) + 1 }, taggedTouchscreen: true))
    kernel = SlotTable(profile)
    events = recording.events
    offset = recording.events.first.map { start - $0.time } ?? .zero
    descriptor = tg_timer_new()
    if descriptor < 0 { throw EvdevError("timerfd", errno) }
    arm()
  }

  deinit { close(descriptor) }

  /// How long it plays from the first event to the last.
  var length: Duration {
    guard let first = events.first, let last = events.last else { return .zero }
    return last.time - first.time
  }

  var hasQueued: Bool { false }

  /// At most one frame per call: a loss reads the table, which must not be ahead of the frames that are still to come.
  func read(limit: Int, at now: Instant) -> ReadResult {
    var expirations: UInt64 = 0
    _ = Glibc.read(descriptor, &expirations, 8)
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

  func table() -> KernelTable? { kernel.table }
  func discardQueued() -> Bool { true }
  func wantPositions(_ wanted: Bool) -> Bool { false }

  private func arm() {
    guard next < events.count else { return }
    _ = tg_timer_arm(descriptor, max(1, (events[next].time + offset).nanoseconds))
  }
}
