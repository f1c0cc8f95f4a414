import ControlAPI
import Linux

extension ReplyClock {
  init() { self.init(wall: SystemClock.wall, monotonic: SystemClock.monotonic) }

  /// Adopts the wall clock if somebody has set it, or it has drifted.
  mutating func follow() { follow(wall: SystemClock.wall, monotonic: SystemClock.monotonic) }
}
