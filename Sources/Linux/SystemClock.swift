import CLinux
import Glibc
public import Timeline

/// The kernel's clocks (clock_gettime(2)).
public enum SystemClock {
  /// CLOCK_MONOTONIC: never set, stops while the machine sleeps.
  public static var monotonic: Instant { Instant(nanoseconds: nanoseconds(CLOCK_MONOTONIC)) }

  /// How long the machine has slept since it booted: CLOCK_BOOTTIME minus CLOCK_MONOTONIC.
  ///
  /// The clocks are read one right after the other, and again if the process was preempted in between: otherwise a slow
  /// machine seems to have slept.
  public static var timeAsleep: Duration {
    var best: (width: Int64, asleep: Int64)?
    for _ in 0..<10 {
      let before = nanoseconds(CLOCK_MONOTONIC)
      let boot = nanoseconds(CLOCK_BOOTTIME)
      let width = nanoseconds(CLOCK_MONOTONIC) - before
      if width < best?.width ?? .max { best = (width, boot - before) }
      if width < 100_000 { break }
    }
    return .nanoseconds(best?.asleep ?? 0)
  }

  /// CLOCK_REALTIME: the time of day, in whole milliseconds; anybody may set it.
  public static var wall: WallTime { WallTime(millisecondsSinceEpoch: nanoseconds(CLOCK_REALTIME) / 1_000_000) }

  /// Whether the time of day is synchronized (adjtimex(2)); nil: the question is forbidden.
  public static var isSynchronized: Bool? {
    let answer = tg_clock_is_synchronized()
    return answer < 0 ? nil : answer == 1
  }

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
