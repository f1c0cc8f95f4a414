import CLinux
import Evdev
import Glibc
import Recordings
import Timeline
import TouchModel

/// A recording played at its own pace in place of a device: the same frames, and a table as the kernel would hold it.
final class ReplaySource: TouchSource {
  let profile: ScreenProfile
  let descriptor: CInt
  private let events: [InputEvent]
  private let offset: Duration
  private var next = 0
  private var assembler = FrameAssembler()
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

  func read(now: Instant) -> TouchDevice.Reading {
    var expirations: UInt64 = 0
    _ = Glibc.read(descriptor, &expirations, 8)
    var result = TouchDevice.Reading()
    while next < events.count, events[next].time + offset <= now, !result.needsTable {
      var event = events[next]
      event.time = event.time + offset
      next += 1
      kernel.apply(event)
      guard let output = assembler.add(event) else { continue }
      result.outputs.append(output)
      if case .resync = output { result.needsTable = true }
    }
    arm()
    return result
  }

  func table() -> KernelTable? { kernel.table }
  func settledTable() -> KernelTable? { kernel.table }
  /// Every event comes here, also the end of a frame.
  var cutFrameDue: Instant? { nil }
  func finishCutFrame(now: Instant) -> FrameAssembler.Output? { nil }
  func wantPositions(_ wanted: Bool) -> Bool { false }
  /// Nobody else reads it.
  func grab() -> TouchDevice.Grab { .taken }
  func ungrab() {}
  func unheard() -> TouchDevice.Unheard { .nothing }
  var othersHeard: Bool { false }
  var isTouchOrKeyDown: Bool { false }
  var isKeyDown: Bool { false }

  private func arm() {
    guard next < events.count else { return }
    _ = tg_timer_arm(descriptor, max(1, (events[next].time + offset).nanoseconds))
  }
}
