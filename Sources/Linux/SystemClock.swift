import Glibc
public import Timeline

/// The kernel's clocks (clock_gettime(2)).
public enum SystemClock {
  /// CLOCK_MONOTONIC: never set, stops while the machine sleeps.
  public static var monotonic: Instant { Instant(nanoseconds: nanoseconds(CLOCK_MONOTONIC)) }

  /// CLOCK_BOOTTIME: as `monotonic`, and continues while the machine sleeps.
  public static var boottime: Instant { Instant(nanoseconds: nanoseconds(CLOCK_BOOTTIME)) }

  /// CLOCK_REALTIME: the time of day, in whole milliseconds; anybody may set it.
  public static var wall: WallTime { WallTime(millisecondsSinceEpoch: nanoseconds(CLOCK_REALTIME) / 1_000_000) }

  /// The id of this run of the kernel; a different one means that the machine has rebooted (proc(5), random(4)). Empty
  /// if it cannot be read.
  public static var bootID: String {
    let text = try? readFile("/proc/sys/kernel/random/boot_id", limit: 64)
    return String(decoding: text ?? [], as: UTF8.self).filter { !$0.isNewline }
  }

  /// Returns when `monotonic` has reached `end`; at once if that is past (clock_nanosleep(2)).
  public static func sleep(until end: Instant) {
    let nanoseconds = max(0, end.nanoseconds)
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
