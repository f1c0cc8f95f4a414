import Testing
import Timeline

@Suite("Civil time as RFC 3339")
struct WallTimeTests {
  /// Milliseconds and text, checked against `date -u -d @SECONDS`.
  static let pairs: [(Int64, String)] = [
    (0, "1970-01-01T00:00:00.000Z"),
    (1, "1970-01-01T00:00:00.001Z"),
    (-1, "1969-12-31T23:59:59.999Z"),
    (-86_400_000, "1969-12-31T00:00:00.000Z"),
    (-86_400_001, "1969-12-30T23:59:59.999Z"),
    (951_782_399_000, "2000-02-28T23:59:59.000Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"),
    (951_868_800_000, "2000-03-01T00:00:00.000Z"),
    (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
    (1_735_603_200_000, "2024-12-31T00:00:00.000Z"),
    (1_798_761_599_999, "2026-12-31T23:59:59.999Z"),
    (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
    (-11_676_096_000_000, "1600-01-01T00:00:00.000Z"),
    (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
  ]

  @Test("a point of time is written and read", arguments: pairs)
  func bothWays(_ milliseconds: Int64, _ text: String) {
    #expect(WallTime(millisecondsSinceEpoch: milliseconds).rfc3339 == text)
    #expect(WallTime(rfc3339: text)?.millisecondsSinceEpoch == milliseconds)
  }

  @Test("the first and the last day of every month of 800 years match the calendar")
  func everyMonth() {
    var wrong: [String] = []
    var day = Int64(-135_140)  // 1600-01-01
    for year in 1600..<2400 {
      let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for (month, length) in zip(1..., [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
        for date in [1, length] {
          let text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(date < 10 ? "0" : "")\(date)T12:00:00.000Z"
          let milliseconds = (day + Int64(date) - 1) * 86_400_000 + 43_200_000
          let time = WallTime(millisecondsSinceEpoch: milliseconds)
          if time.rfc3339 != text || WallTime(rfc3339: text) != time { wrong.append(text) }
        }
        day += Int64(length)
      }
    }
    #expect(wrong == [])
  }

  @Test(
    "a fraction has one to nine digits and is rounded down to milliseconds",
    arguments: [
      ("", Int64(0)), (".5", 500), (".05", 50), (".25", 250), (".250", 250), (".0009", 0), (".9999", 999),
      (".123456789", 123), (".000000001", 0),
    ])
  func fractions(_ fraction: String, _ milliseconds: Int64) {
    let time = WallTime(rfc3339: "1970-01-01T00:00:00\(fraction)Z")
    #expect(time?.millisecondsSinceEpoch == milliseconds)
  }

  @Test("a leap second is the first second of the next minute")
  func leapSecond() {
    #expect(WallTime(rfc3339: "2016-12-31T23:59:60Z") == WallTime(rfc3339: "2017-01-01T00:00:00Z"))
  }

  @Test(
    "a text of another form is refused",
    arguments: [
      "", "Z", "now", "2026-11-30", "2026-11-30T02:14:07", "2026-11-30T02:14:07z", "2026-11-30t02:14:07Z",
      "2026-11-30 02:14:07Z", "2026-11-30T02:14:07+0000", "2026-11-30T02:14:07+01", "2026-11-30T02:14:07+24:00",
      "2026-11-30T02:14:07+01:60", "2026-11-30T02:14:07±01:00", "02:14:07+01:00", "+01:00", "2026-11-30T02:14:07.Z",
      "2026-11-30T02:14:07,5Z",
      "2026-11-30T02:14:07.1234567890Z", "2026-11-30T02:14:07.12x4Z", "2026-11-30T02:14:07.-12Z",
      "2026-00-30T02:14:07Z", "2026-13-30T02:14:07Z", "2026-11-00T02:14:07Z", "2026-11-31T02:14:07Z",
      "2026-02-29T02:14:07Z", "1900-02-29T02:14:07Z", "2100-02-29T02:14:07Z", "2024-02-30T02:14:07Z",
      "2026-11-30T24:00:00Z", "2026-11-30T02:60:07Z", "2026-11-30T02:14:61Z", "2026-1-30T02:14:07Z",
      "+026-11-30T02:14:07Z", "-001-11-30T02:14:07Z", "12026-11-30T02:14:07Z", "2026/11/30T02:14:07Z",
      " 2026-11-30T02:14:07Z", "2026-11-30T02:14:07Z ", "2026-11-30T02:14:07ZZ", "٢٠٢٦-11-30T02:14:07Z",
      "2026-11-30T02-14-07Z", "2026-11-30T02:14:0\u{0}Z",
    ])
  func refused(_ text: String) {
    #expect(WallTime(rfc3339: text) == nil)
  }

  @Test("differences and sums count in milliseconds")
  func arithmetic() {
    let time = WallTime(millisecondsSinceEpoch: 1_000)
    #expect(time + .microseconds(1_999) == WallTime(millisecondsSinceEpoch: 1_001))
    #expect(time - WallTime(millisecondsSinceEpoch: 3_500) == .milliseconds(-2_500))
    #expect(time < time + .milliseconds(1))
  }
}
