/// The rules of a time zone.
public protocol LocalZone: Sendable {
  /// How much later it is there than in UTC at that moment.
  func offset(at time: WallTime) -> Duration
}

extension LocalZone {
  /// The next moment after `time` at which clocks there show it. A time that the zone skips (summer time begins) is read by the rules before
  /// the change, so 02:30 is 03:30 then; one that comes twice (summer time ends) is its first.
  public func next(_ timeOfDay: TimeOfDay, after time: WallTime) -> WallTime {
    let day: Int64 = 86_400_000
    let local = time + offset(at: time)
    let midnight = Int64((Double(local.millisecondsSinceEpoch) / Double(day)).rounded(.down)) * day
    // Yesterday: its time may have been put off to today.
    for days in [-1, 0, 1, 2] as [Int64] {
      let wanted = midnight + days * day + Int64(timeOfDay.minutes) * 60_000
      let candidate = utc(local: WallTime(millisecondsSinceEpoch: wanted))
      if candidate > time { return candidate }
    }
    return time + .milliseconds(day)
  }

  /// The moment at which clocks there show this; see `next` for times that do not exist or come twice.
  public func utc(local: WallTime) -> WallTime {
    let (before, after) = (offset(at: local + .seconds(-86_400)), offset(at: local + .seconds(86_400)))
    let early = local + (.zero - max(before, after))
    // Before the clocks go back, the same reading comes first; a reading that is skipped has neither offset.
    if offset(at: early) == max(before, after) { return early }
    let late = local + (.zero - min(before, after))
    return offset(at: late) == min(before, after) ? late : local + (.zero - before)
  }
}

/// A zone with a fixed offset from UTC.
public struct FixedZone: LocalZone {
  private let offset: Duration

  public init(_ offset: Duration) { self.offset = offset }

  public func offset(at time: WallTime) -> Duration { offset }
}
