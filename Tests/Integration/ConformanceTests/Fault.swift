import Seeded
import Timeline

/// What happens to a device or its reader at one frame of a stream.
enum Fault: Equatable {
  /// The reader does not run for this number of frames: its buffer overflows if it is small enough.
  case paused(frames: Int)
  /// Another process holds EVIOCGRAB for this number of frames, and for this time after them.
  case grabbed(frames: Int, longer: Duration)
  /// Unplugged and plugged in again. `releaseHeard`: the reader reads the kernel's release before ENODEV.
  case unplugged(pause: Duration, fingersStay: Bool, releaseHeard: Bool)
  /// The kernel cuts the frame, as it does if one is longer than its buffer: SYN_REPORT 1 after this number of events.
  case cut(after: Int)
  /// BTN_TOUCH 2 and SYN_REPORT 1 after this number of events.
  case autorepeat(after: Int)
  /// Suspend: BTN_TOUCH 0 and SYN_REPORT 1 after this number of events. `slotsToo`: as for `inhibited`.
  case keysReleased(after: Int, slotsToo: Bool)
  /// The frame in which the last finger lifts has only BTN_TOUCH 0.
  case liftLost
  /// A recheck in the middle of the frame.
  case rechecked(after: Int)
  /// The frame arrives after a read of the table, before the queue is polled.
  case raced
  /// The device does not come to rest for the next tables, this number of times.
  case restless(times: Int)
  case palm(frames: Int)
  case hover(frames: Int)
  case slotOutOfRange(Int32)
  case idReplaced
  /// Down and up in one frame.
  case tap
  /// The frame's stamps are in the past.
  case clockBack(Duration)
  case unknownCodes
  /// The device reports down and up in each of this number of frames, as a pen display does under a resting finger.
  case bounces(frames: Int)

  /// A fault for a frame of this number of events. `lift`: the last finger lifts in it.
  static func random(events: Int, lift: Bool, _ random: inout SplitMix64) -> Fault {
    let position = random.below(events)
    // Lifts are so rare that every second one is lost.
    if lift && random.oneIn(2) { return .liftLost }
    switch random.below(23) {
    case 0: return .paused(frames: 1 + random.below(8))
    case 1: return .paused(frames: 10 + random.below(30))
    case 2: return .grabbed(frames: 1 + random.below(30), longer: .zero)
    case 3: return .grabbed(frames: random.below(10), longer: .milliseconds(random.below(3000)))
    case 4:
      return .unplugged(
        pause: .milliseconds(random.below(2500)), fingersStay: random.oneIn(2), releaseHeard: random.oneIn(2))
    case 5, 6: return .cut(after: position)
    case 7: return .autorepeat(after: position)
    case 8, 9: return .keysReleased(after: position, slotsToo: random.oneIn(4))
    case 10, 11, 12: return .rechecked(after: position)
    case 13: return .raced
    case 14: return .restless(times: 1 + random.below(3))
    case 15: return .palm(frames: 1 + random.below(10))
    case 16: return .hover(frames: 1 + random.below(10))
    case 17: return .slotOutOfRange([-1, .min, .max, 61, 1000][random.below(5)])
    case 18: return .idReplaced
    case 19: return .tap
    case 20: return .clockBack(.milliseconds(random.below(5000)))
    case 21: return .bounces(frames: 1 + random.below(12))
    default: return .unknownCodes
    }
  }
}
