import EventLoop
import Glibc
import Timeline

/// The wall clock, and what a monotonic instant is on it, for replies.
enum Clock {
  static var wall: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(millisecondsSinceEpoch: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// The civil time of an instant, as the wall clock stands now.
  static func rfc3339(_ instant: Instant, now: Instant = EventLoop.now, wall: WallTime = wall) -> String {
    (wall + (instant - now)).rfc3339
  }
}
