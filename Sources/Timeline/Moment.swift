/// When something is due: after a span, which is counted on the steady clock, or at a time of day.
public enum Moment: Hashable, Sendable {
  /// The end of a span.
  case steady(SteadyTime)
  case wall(WallTime)
  /// The next time the local clock shows it, once that clock is known to be right.
  case daily(TimeOfDay)

  /// A time of day without a day becomes the next one after `wall`.
  public func resolved(after wall: WallTime, in zone: some LocalZone) -> Moment {
    if case .daily(let time) = self { .wall(zone.next(time, after: wall)) } else { self }
  }

  /// A span ends sooner; a time remains.
  public func sooner(by length: Duration) -> Moment {
    if case .steady(let end) = self { .steady(end + (.zero - length)) } else { self }
  }
}

/// An hour and a minute, as in `04:00`.
public struct TimeOfDay: Hashable, Sendable {
  /// Since midnight, 0 to 1439.
  public let minutes: Int

  /// Nil: not from 0 to 1439.
  public init?(minutes: Int) {
    guard (0..<1440).contains(minutes) else { return nil }
    self.minutes = minutes
  }

  /// `04:00` or `4:00`, up to `23:59`; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    minutes = hour * 60 + minute
  }

  /// `04:00`
  public var text: String {
    let (hour, minute) = (minutes / 60, minutes % 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
  }
}

/// What the clocks say at one moment.
public struct Clocks: Equatable, Sendable {
  /// The time of day.
  public let wall: WallTime
  /// Whether that is known to be right.
  public let isSet: Bool
  public let steady: SteadyTime

  public init(wall: WallTime, isSet: Bool, steady: SteadyTime) {
    self.wall = wall
    self.isSet = isSet
    self.steady = steady
  }

  /// Whether it has come. A time of day has not while the clock is not known to be right.
  public func have(_ moment: Moment) -> Bool {
    remaining(until: moment).map { $0 <= .zero } ?? false
  }

  /// How long until then, below zero if it has passed; nil: not known yet.
  public func remaining(until moment: Moment) -> Duration? {
    switch moment {
    case .steady(let time): time - steady
    case .wall(let time): isSet ? time - wall : nil
    case .daily: nil
    }
  }

  /// The time of day then, as far as is known now; nil: not known.
  public func wall(of moment: Moment) -> WallTime? {
    switch moment {
    case .steady(let time): wall + (time - steady)
    case .wall(let time): time
    case .daily: nil
    }
  }
}
