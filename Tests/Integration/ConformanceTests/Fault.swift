import Seeded
import Timeline

/// What is done to a device or its reader, at one frame of a stream.
enum Fault: Equatable {
  /// The reader does not run for so many frames: its buffer overflows where it is small enough.
  case paused(frames: Int)
  /// Another process has EVIOCGRAB for so many frames, and so long after them.
  case grabbed(frames: Int, longer: Duration)
  /// Pulled and plugged in again. `releaseHeard`: the reader reads the kernel's release before ENODEV.
  case unplugged(pause: Duration, fingersStay: Bool, releaseHeard: Bool)
  /// The kernel ends the frame early, as it does where one is longer than its buffer: SYN_REPORT 1 after so many events.
  case cut(after: Int)
  /// BTN_TOUCH 2 and SYN_REPORT 1, after so many events.
  case autorepeat(after: Int)
  /// Suspend: BTN_TOUCH 0 and SYN_REPORT 1 after so many events. `slotsToo`: as `inhibited` does it.
  case keysReleased(after: Int, slotsToo: Bool)
  /// The frame in which the last finger lifts says only BTN_TOUCH 0.
  case liftLost
  /// The table is looked at in the middle of the frame.
  case looked(after: Int)
  /// The frame comes between a reading of the table and the look at the queue.
  case raced
  /// The next settled table is not to be had so many times.
  case restless(times: Int)
  case palm(frames: Int)
  case hover(frames: Int)
  case slotOutOfRange(Int32)
  case idReplaced
  /// Down and up in one frame.
  case tap
  /// The frame's stamps lie in the past.
  case clockBack(Duration)
  case unknownCodes

  /// One that a frame of so many events may suffer. `lift`: it holds the last lift.
  static func random(events: Int, lift: Bool, _ random: inout SplitMix64) -> Fault {
    let position = random.below(events)
    // A lift is seldom enough to be lost each second time.
    if lift && random.oneIn(2) { return .liftLost }
    switch random.below(22) {
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
    case 10, 11, 12: return .looked(after: position)
    case 13: return .raced
    case 14: return .restless(times: 1 + random.below(3))
    case 15: return .palm(frames: 1 + random.below(10))
    case 16: return .hover(frames: 1 + random.below(10))
    case 17: return .slotOutOfRange([-1, .min, .max, 61, 1000][random.below(5)])
    case 18: return .idReplaced
    case 19: return .tap
    case 20: return .clockBack(.milliseconds(random.below(5000)))
    default: return .unknownCodes
    }
  }
}
