import Glibc
public import Timeline

/// The time zone of the machine (/etc/localtime, or TZ), as it is now: it is read again when it has changed (tzset(3)).
public struct SystemZone: LocalZone {
  public init() {}

  public func offset(at time: WallTime) -> Duration {
    tzset()
    var (seconds, parts) = (time_t(time.millisecondsSinceEpoch / 1000), tm())
    guard localtime_r(&seconds, &parts) != nil else { return .zero }
    return .seconds(parts.tm_gmtoff)
  }
}
