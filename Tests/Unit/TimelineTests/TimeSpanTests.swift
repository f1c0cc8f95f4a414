import Testing
import Timeline

@Suite("Time spans as people write them")
struct TimeSpanTests {
  static let good: [(String, Duration)] = [
    ("0", Duration.zero), ("5", .seconds(5)), ("5s", .seconds(5)), ("5 s", .seconds(5)), ("5sec", .seconds(5)),
    ("1second", .seconds(1)), ("2 seconds", .seconds(2)), ("250ms", .milliseconds(250)),
    ("250msec", .milliseconds(250)), ("7us", .microseconds(7)), ("7usec", .microseconds(7)), ("3m", .seconds(180)),
    ("3min", .seconds(180)), ("1minute", .seconds(60)), ("2minutes", .seconds(120)), ("1h", .seconds(3600)),
    ("1hr", .seconds(3600)), ("1hour", .seconds(3600)), ("2hours", .seconds(7200)), ("1d", .seconds(86_400)),
    ("1day", .seconds(86_400)), ("2days", .seconds(172_800)), ("1w", .seconds(604_800)),
    ("1week", .seconds(604_800)), ("2weeks", .seconds(1_209_600)), ("1h 30min", .seconds(5400)),
    ("1h30min", .seconds(5400)), ("1 h 30 min", .seconds(5400)), ("5min 20s", .seconds(320)), ("5 5", .seconds(10)),
    ("30min 1h", .seconds(5400)), ("1s 1s", .seconds(2)), ("\t 2 s", .seconds(2)), ("2s \t", .seconds(2)),
    ("1.5", .milliseconds(1500)), ("1.5h", .seconds(5400)), (".5s", .milliseconds(500)), ("0.25s", .milliseconds(250)),
    ("0.001ms", .microseconds(1)), ("0.000000001s", .nanoseconds(1)), ("0.0000000001s", .zero),
    ("1.0000000000000000000000000s", .seconds(1)), ("000000000000000000000001s", .seconds(1)),
    ("9223372036.854775807", .forever), ("106751d", .seconds(106_751 * 86_400)), ("infinity", .forever),
    ("  infinity", .forever),
  ]

  @Test("a span is read as systemd reads it", arguments: good)
  func read(_ text: String, _ span: Duration) throws {
    #expect(try TimeSpan.parse(text) == span)
  }

  static let bad: [(String, TimeSpan.Malformed)] = [
    ("", TimeSpan.Malformed.empty), (" \t ", .empty), ("s", .noNumber("s")), ("-5s", .noNumber("-5s")),
    ("+5s", .noNumber("+5s")), (".", .noNumber(".")), (". s", .noNumber(". s")), ("five", .noNumber("five")),
    ("5s -1s", .noNumber("5s -1s")), ("5,5s", .noNumber("5,5s")), ("5s;", .noNumber("5s;")),
    ("1s\n", .noNumber("1s\n")), ("٥s", .noNumber("٥s")), ("5 parsecs", .unknownUnit("parsecs")),
    ("5S", .unknownUnit("S")), ("5M", .unknownUnit("M")), ("5month", .unknownUnit("month")), ("5y", .unknownUnit("y")),
    ("1e3", .unknownUnit("e")), ("5sss", .unknownUnit("sss")), ("infinity 5s", .noNumber("infinity 5s")),
    ("5 infinity", .unknownUnit("infinity")), ("Infinity", .noNumber("Infinity")),
    ("9223372037", .tooLong("9223372037")), ("106752d", .tooLong("106752d")),
    ("9223372036.854775808", .tooLong("9223372036.854775808")),
    ("99999999999999999999", .tooLong("99999999999999999999")), ("15251w", .tooLong("15251w")),
    ("9223372036s 1s", .tooLong("9223372036s 1s")),
  ]

  @Test("a text that is not a span is refused with a reason", arguments: bad)
  func refused(_ text: String, _ reason: TimeSpan.Malformed) {
    #expect(throws: reason) { try TimeSpan.parse(text) }
  }

  @Test("every refusal says what to write instead")
  func advice() {
    #expect("\(TimeSpan.Malformed.empty)".contains("write a time span such as"))
    #expect("\(TimeSpan.Malformed.noNumber("x"))".contains("'x' is not a time span; write"))
    #expect("\(TimeSpan.Malformed.unknownUnit("y"))".contains("'y' is not a unit of time; use"))
    #expect("\(TimeSpan.Malformed.tooLong("z"))".contains("'z' is longer than 292 years; write infinity"))
  }

  static let words: [(Duration, String)] = [
    (.zero, "0 s"), (.nanoseconds(999_999), "0 s"), (.milliseconds(1), "1 ms"), (.milliseconds(999), "999 ms"),
    (.seconds(1), "1 s"), (.milliseconds(1999), "1 s"), (.seconds(59), "59 s"), (.milliseconds(59_999), "59 s"),
    (.seconds(60), "1 min"), (.seconds(90), "1 min 30 s"), (.seconds(3599), "59 min 59 s"), (.seconds(3600), "1 h"),
    (.seconds(3659), "1 h"), (.seconds(7500), "2 h 5 min"), (.seconds(86_399), "23 h 59 min"),
    (.seconds(86_400), "1 d"), (.seconds(89_999), "1 d"), (.seconds(180_000), "2 d 2 h"), (.seconds(-5), "0 s"),
    (.forever, "infinity"), (.nanoseconds(Int64.max - 1), "106751 d 23 h"), (.seconds(Int64.max), "106751 d 23 h"),
  ]

  @Test("a span is described with at most two units", arguments: words)
  func described(_ span: Duration, _ text: String) {
    #expect(TimeSpan.describe(span) == text)
  }

  @Test("a description in whole units is read back as the same span")
  func both() throws {
    var seconds = 1
    while seconds < 10_000_000 {
      let span = Duration.seconds(seconds < 3600 ? seconds : seconds / 3600 * 3600)
      #expect(try TimeSpan.parse(TimeSpan.describe(span)) == span)
      seconds = seconds * 3 / 2 + 1
    }
  }

  @Test("two points in a number are refused, as by systemd")
  func points() {
    #expect(throws: TimeSpan.Malformed.noNumber("12.34.56")) { try TimeSpan.parse("12.34.56") }
    #expect(throws: TimeSpan.Malformed.noNumber("1..5s")) { try TimeSpan.parse("1..5s") }
  }

  @Test("blanks after infinity are no matter")
  func infinity() throws {
    #expect(try TimeSpan.parse("infinity \t") == .forever)
  }
}
