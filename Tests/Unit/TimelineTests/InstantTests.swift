import Testing
import Timeline

@Suite("Points and spans of the monotonic clock")
struct InstantTests {
  static let first = Instant.distantPast
  static let last = Instant.distantFuture

  @Test("adding and subtracting are inverse in the middle of the range")
  func plain() {
    let noon = Instant(nanoseconds: 43_200_000_000_000)
    #expect(noon + .milliseconds(1500) == Instant(nanoseconds: 43_201_500_000_000))
    #expect(noon + .milliseconds(1500) - .milliseconds(1500) == noon)
    #expect((noon + .seconds(3)) - noon == .seconds(3))
    #expect(noon - (noon + .seconds(3)) == .seconds(-3))
    #expect(noon < noon + .nanoseconds(1))
  }

  @Test(
    "a sum beyond the range saturates and does not trap",
    arguments: [
      (last, Duration.nanoseconds(1), last),
      (last, .forever, last),
      (Instant(nanoseconds: 1), .forever, last),
      (first, .nanoseconds(-1), first),
      (first, .zero - .forever, first),
      (Instant(nanoseconds: -2), .zero - .forever, first),
      (Instant(nanoseconds: 0), .seconds(Int64.max), last),
      (Instant(nanoseconds: 0), .seconds(Int64.min), first),
    ])
  func sums(_ start: Instant, _ span: Duration, _ end: Instant) {
    #expect(start + span == end)
  }

  @Test("now plus forever is never reached, and minus forever always past")
  func forever() {
    let now = Instant(nanoseconds: 1_000_000_000_000)
    #expect(now + .forever == .distantFuture)
    #expect(Instant.distantFuture - .zero == .distantFuture)
    #expect(now - .forever < Instant(nanoseconds: 0))
    #expect(Instant.distantPast - .forever == .distantPast)
  }

  @Test("the longest difference is forever, in both directions")
  func differences() {
    #expect(Self.last - Self.first == .forever)
    #expect(Self.first - Self.last == .zero - .forever)
    #expect(Self.first - Instant(nanoseconds: 1) == .zero - .forever)
    #expect(Self.last - Self.last == .zero)
    #expect(Self.first - Self.first == .zero)
  }

  static let spans: [(Duration, nanoseconds: Int64, milliseconds: Int64)] = [
    (.zero, 0, 0),
    (.nanoseconds(1), 1, 0),
    (.milliseconds(-1), -1_000_000, -1),
    (.microseconds(-1999), -1_999_000, -1),
    (.microseconds(1999), 1_999_000, 1),
    (Duration(secondsComponent: 1, attosecondsComponent: 999_999_999), 1_000_000_000, 1000),
    (.forever, .max, 9_223_372_036_854),
    (.nanoseconds(Int64.min), .min, -9_223_372_036_854),
    (Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 854_775_808_000_000_000), .max, 9_223_372_036_854),
    (.seconds(9_223_372_037), .max, 9_223_372_036_854),
    (.seconds(-9_223_372_037), .min, -9_223_372_036_854),
    (.seconds(Int64.max), .max, 9_223_372_036_854),
    (.seconds(Int64.min), .min, -9_223_372_036_854),
  ]

  @Test("whole nanoseconds and milliseconds are rounded towards zero and stop at the ends of Int64", arguments: spans)
  func whole(_ span: Duration, _ nanoseconds: Int64, _ milliseconds: Int64) {
    #expect(span.wholeNanoseconds == nanoseconds)
    #expect(span.wholeMilliseconds == milliseconds)
  }

  @Test(
    "an instant is printed as evdev tools print stamps",
    arguments: [
      (Int64(0), "0.000000s"), (1_000, "0.000001s"), (999, "0.000000s"), (1_500_000_000, "1.500000s"),
      (12_345_678_901_234, "12345.678901s"), (.max, "9223372036.854775s"), (.min, "-9223372036.854775s"),
    ])
  func printed(_ nanoseconds: Int64, _ text: String) {
    #expect(Instant(nanoseconds: nanoseconds).description == text)
  }

  @Test("an instant a little before the origin keeps its sign")
  func sign() {
    #expect(Instant(nanoseconds: -500_000_000).description == "-0.500000s")
  }
}
