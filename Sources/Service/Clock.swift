import EventLoop
import Glibc
import Timeline

/// The wall clock, and what a monotonic instant is on it, for replies.
struct Clock {
  /// Wall clock minus monotonic clock. Kept until it really changes, so that the same instant is told as the same time
  /// in every reply.
  private var offset: Duration

  init() { offset = Self.offset() }

  static var wall: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(millisecondsSinceEpoch: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Another one after every start of the machine: proc(5), random(4). Empty where it cannot be read.
  static var boot: String {
    let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).filter { !$0.isNewline }
  }

  private static func offset() -> Duration {
    .milliseconds(wall.millisecondsSinceEpoch) - (EventLoop.now - Instant(nanoseconds: 0))
  }

  /// Follows the wall clock where somebody has set it, or it has drifted away.
  mutating func follow() {
    let offset = Self.offset()
    if abs((offset - self.offset).wholeMilliseconds) > 20 { self.offset = offset }
  }

  func rfc3339(_ instant: Instant) -> String {
    WallTime(millisecondsSinceEpoch: ((instant - Instant(nanoseconds: 0)) + offset).wholeMilliseconds).rfc3339
  }
}
