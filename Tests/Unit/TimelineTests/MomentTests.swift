import Testing
import Timeline

@Suite("Moments and clocks")
struct MomentTests {
  private func clocks(_ seconds: Int64, isSet: Bool = true) -> Clocks {
    Clocks(
      wall: WallTime(millisecondsSinceEpoch: seconds * 1000), isSet: isSet,
      steady: SteadyTime(milliseconds: 500_000 + seconds * 1000))
  }

  @Test(
    "a span has passed by the steady clock, a time by a clock that is known to be right, a time without a day never")
  func have() throws {
    let (span, time) = (
      Moment.steady(SteadyTime(milliseconds: 510_000)), Moment.wall(WallTime(millisecondsSinceEpoch: 10_000))
    )
    let daily = try Moment.daily(#require(TimeOfDay("00:00")))
    for isSet in [true, false] {
      #expect(!clocks(9, isSet: isSet).have(span) && clocks(10, isSet: isSet).have(span))
      #expect(!clocks(9, isSet: isSet).have(time) && clocks(10, isSet: isSet).have(time) == isSet)
      #expect(!clocks(1_000_000, isSet: isSet).have(daily))
      #expect(clocks(4, isSet: isSet).remaining(until: span) == .seconds(6))
      #expect(clocks(4, isSet: isSet).remaining(until: time) == (isSet ? .seconds(6) : nil))
      #expect(clocks(4, isSet: isSet).wall(of: span) == WallTime(millisecondsSinceEpoch: 10_000))
    }
    #expect(clocks(0).remaining(until: daily) == nil && clocks(0).wall(of: daily) == nil)
  }

  @Test("a time of day is an hour and a minute")
  func timeOfDay() {
    for (text, minutes) in [("0:00", 0), ("04:05", 245), ("4:05", 245), ("23:59", 1439)] {
      #expect(TimeOfDay(text)?.minutes == minutes)
    }
    #expect(TimeOfDay("4:05")?.text == "04:05" && TimeOfDay(minutes: 1439)?.text == "23:59")
    for text in ["", ":", "24:00", "4", "4:5", "04:60", "004:00", "-4:00", "04:00:00", " 4:00", "٤:٠٠"] {
      #expect(TimeOfDay(text) == nil, "\(text)")
    }
    #expect(TimeOfDay(minutes: -1) == nil && TimeOfDay(minutes: 1440) == nil)
  }
}

/// Central European time of 2026: summer time from 29 March, 01:00 UTC, to 25 October, 01:00 UTC.
private struct Berlin: LocalZone {
  func offset(at time: WallTime) -> Duration {
    let summer = utcTime("2026-03-29T01:00:00Z")..<utcTime("2026-10-25T01:00:00Z")
    return .seconds(summer.contains(time) ? 7200 : 3600)
  }
}

private func utcTime(_ text: String) -> WallTime { WallTime(rfc3339: text) ?? WallTime(millisecondsSinceEpoch: 0) }

@Suite("Local times")
struct LocalZoneTests {
  private func next(_ text: String, after time: String) -> String {
    TimeOfDay(text).map { Berlin().next($0, after: utcTime(time)).rfc3339 } ?? ""
  }

  @Test("the next time that it is so late, today or tomorrow, by the offset of that day")
  func ordinary() {
    #expect(next("04:00", after: "2026-01-10T02:59:59.999Z") == "2026-01-10T03:00:00.000Z")
    #expect(next("04:00", after: "2026-01-10T03:00:00Z") == "2026-01-11T03:00:00.000Z")
    #expect(next("00:30", after: "2026-01-10T22:59:00Z") == "2026-01-10T23:30:00.000Z")
    #expect(next("00:00", after: "2026-06-10T21:30:00Z") == "2026-06-10T22:00:00.000Z")
    // The day before summer time begins, for the day after.
    #expect(next("04:00", after: "2026-03-28T03:00:00Z") == "2026-03-29T02:00:00.000Z")
    #expect(next("04:00", after: "2026-10-24T02:00:00Z") == "2026-10-25T03:00:00.000Z")
  }

  @Test("a time that the clocks skip is read by the old rules, one that comes twice is its first")
  func changes() {
    #expect(next("02:30", after: "2026-03-28T12:00:00Z") == "2026-03-29T01:30:00.000Z", "03:30 then")
    #expect(next("02:30", after: "2026-03-29T01:30:00Z") == "2026-03-30T00:30:00.000Z")
    #expect(next("02:30", after: "2026-10-24T12:00:00Z") == "2026-10-25T00:30:00.000Z")
    #expect(next("02:30", after: "2026-10-25T00:30:00Z") == "2026-10-26T01:30:00.000Z")
  }

  @Test("any time of day, after any moment of the year: later, within two days, and shown so by the clocks there")
  func everywhere() {
    for hours in stride(from: 0 as Int64, to: 365 * 24, by: 5) {
      let time = utcTime("2026-01-01T00:00:00Z") + .seconds(hours * 3600 + 17)
      for minutes in stride(from: 0, to: 1440, by: 97) {
        guard let wanted = TimeOfDay(minutes: minutes) else { continue }
        let found = Berlin().next(wanted, after: time)
        let shown = found.rfc3339(in: Berlin()).dropFirst(11).prefix(5)
        #expect(found > time && found - time <= .seconds(25 * 3600))
        let isSkipped =
          found.rfc3339 >= "2026-03-29T01" && found.rfc3339 < "2026-03-29T02" && (120..<180).contains(minutes)
        #expect(String(shown) == wanted.text || isSkipped, "\(wanted.text) after \(time.rfc3339): \(found.rfc3339)")
      }
    }
  }

  @Test("a local time is written with its offset")
  func written() {
    #expect(utcTime("2026-07-01T10:00:00.999Z").rfc3339(in: Berlin()) == "2026-07-01T12:00:00+02:00")
    #expect(utcTime("2026-07-01T10:00:00Z").rfc3339(in: FixedZone(.seconds(-5400))) == "2026-07-01T08:30:00-01:30")
  }
}
