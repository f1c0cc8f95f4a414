import Timeline
import TouchModel

/// A recording cut into the writes that play it.
enum Playback {
  struct TimedFrame {
    /// From the first event of the recording; never less than that of the frame before.
    var offset: Duration
    var events: [RawEvent]
  }

  /// Frames end at SYN_REPORT; what follows the last one is a frame without an end.
  static func frames(of events: [InputEvent], withoutRepeats: Bool) -> [TimedFrame] {
    guard let first = events.first else { return [] }
    var frames: [TimedFrame] = []
    var current: [RawEvent] = []
    var offset = Duration.zero
    for event in events {
      offset = max(offset, event.time - first.time)
      let isReport = event.type == EventType.syn && event.code == EventCode.synReport
      if withoutRepeats && (isReport ? event.value == 1 : event.type == EventType.key && event.value == 2) { continue }
      current.append((event.type, event.code, event.value))
      if isReport {
        frames.append(TimedFrame(offset: offset, events: current))
        current = []
      }
    }
    if !current.isEmpty { frames.append(TimedFrame(offset: offset, events: current)) }
    return frames
  }
}
