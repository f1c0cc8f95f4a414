import Timeline

@testable import ControlAPI

/// The steady clock of these tests says what the time of day is; that is known to be right unless a test says otherwise.
func clocks(_ wall: WallTime, isSet: Bool = true) -> Clocks {
  Clocks(wall: wall, isSet: isSet, steady: SteadyTime(milliseconds: wall.millisecondsSinceEpoch))
}

/// The end of a span.
func span(to wall: WallTime) -> Moment { clocks(wall).steadyMoment }

extension Clocks {
  var steadyMoment: Moment { .steady(steady) }
}

extension Submission {
  init(body: [UInt8], now: WallTime) throws(CallRefusal) {
    try self.init(body: body, at: clocks(now), in: FixedZone(.seconds(3600)))
  }

  func checkDeadline(_ now: WallTime) throws(CallRefusal) { try checkDeadline(clocks(now)) }
}
