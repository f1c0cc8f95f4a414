import Glibc
public import Timeline

/// CLOCK_MONOTONIC, read and waited for.
public enum MonotonicTime {
  public static func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// clock_nanosleep(2) with TIMER_ABSTIME; returns at once when `deadline` is past.
  public static func sleep(until deadline: Instant) {
    let nanoseconds = max(0, deadline.nanoseconds)
    var time = timespec()
    time.tv_sec = numericCast(nanoseconds / 1_000_000_000)
    time.tv_nsec = numericCast(nanoseconds % 1_000_000_000)
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
  }
}
