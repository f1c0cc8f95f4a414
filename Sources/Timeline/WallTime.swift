/// A point of civil time (CLOCK_REALTIME): milliseconds since 1970-01-01T00:00:00Z.
///
/// For times that people read and write: creation times, results, deadlines. It can jump, so it is never used to
/// measure how much time has passed.
public struct WallTime: Hashable, Comparable, Sendable {
  public let millisecondsSinceEpoch: Int64

  public init(millisecondsSinceEpoch: Int64) {
    self.millisecondsSinceEpoch = millisecondsSinceEpoch
  }

  public static func < (a: WallTime, b: WallTime) -> Bool {
    a.millisecondsSinceEpoch < b.millisecondsSinceEpoch
  }

  public static func - (a: WallTime, b: WallTime) -> Duration {
    .milliseconds(a.millisecondsSinceEpoch - b.millisecondsSinceEpoch)
  }

  public static func + (a: WallTime, b: Duration) -> WallTime {
    WallTime(millisecondsSinceEpoch: a.millisecondsSinceEpoch + b.wholeMilliseconds)
  }

  /// RFC 3339 in UTC with milliseconds: `2026-11-30T02:14:07.250Z`.
  public var rfc3339: String {
    let (days, msOfDay) = millisecondsSinceEpoch.quotientAndRemainderFlooring(by: 86_400_000)
    let (year, month, day) = Self.civil(daysSinceEpoch: days)
    let s = msOfDay / 1000
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T"
      + "\(pad(s / 3600, 2)):\(pad(s / 60 % 60, 2)):\(pad(s % 60, 2)).\(pad(msOfDay % 1000, 3))Z"
  }

  /// RFC 3339 in local time, to the second: `2026-11-30T03:14:07+01:00`.
  public func rfc3339(in zone: some LocalZone) -> String {
    let minutes = zone.offset(at: self).wholeMilliseconds / 60_000
    let distance = abs(minutes)
    return (self + .milliseconds(minutes * 60_000)).rfc3339.prefix(19) + (minutes < 0 ? "-" : "+")
      + "\(pad(distance / 60, 2)):\(pad(distance % 60, 2))"
  }

  /// Parses RFC 3339: UTC (`Z`) or with an offset (`+01:00`, as `date -Is` prints it), with or without a fraction. Nil for
  /// anything else.
  public init?(rfc3339 text: String) {
    var bytes = Array(text.utf8)[...]
    func number(_ range: Range<Int>) -> Int64? {
      guard range.upperBound <= bytes.count else { return nil }
      var value: Int64 = 0
      for byte in bytes[range] {
        guard byte >= 48, byte <= 57 else { return nil }
        value = value * 10 + Int64(byte - 48)
      }
      return value
    }
    var offset: Int64 = 0
    if bytes.last == UInt8(ascii: "Z") {
      bytes.removeLast()
    } else {
      let sign = bytes.count - 6
      guard sign >= 19, let hours = number(sign + 1..<sign + 3), let minutes = number(sign + 4..<sign + 6),
        bytes[sign + 3] == UInt8(ascii: ":"), hours < 24, minutes < 60
      else { return nil }
      switch bytes[sign] {
      case UInt8(ascii: "+"): offset = hours * 60 + minutes
      case UInt8(ascii: "-"): offset = -(hours * 60 + minutes)
      default: return nil
      }
      bytes.removeLast(6)
    }
    let separators: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
    guard bytes.count >= 19, separators.allSatisfy({ bytes[$0] == $1.asciiValue }),
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    var milliseconds: Int64 = 0
    if bytes.count > 19 {
      guard bytes[19] == UInt8(ascii: "."), (21...29).contains(bytes.count), let fraction = number(20..<bytes.count)
      else { return nil }
      var scaled = fraction
      let digits = bytes.count - 20
      if digits < 3 { for _ in digits..<3 { scaled *= 10 } }
      if digits > 3 { for _ in 3..<digits { scaled /= 10 } }
      milliseconds = scaled
    }
    let days = Self.days(year: year, month: month, day: day)
    guard Self.civil(daysSinceEpoch: days) == (year, month, day) else { return nil }
    self.init(
      millisecondsSinceEpoch: (days * 86400 + hour * 3600 + (minute - offset) * 60 + second) * 1000 + milliseconds)
  }

  // Proleptic Gregorian calendar in 400-year eras, with the year beginning in March so that the leap day is last.

  private static func civil(daysSinceEpoch: Int64) -> (Int64, Int64, Int64) {
    let (era, dayOfEra) = (daysSinceEpoch + 719_468).quotientAndRemainderFlooring(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = shiftedYear.quotientAndRemainderFlooring(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

private func pad(_ value: Int64, _ width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int64 {
  fileprivate func quotientAndRemainderFlooring(by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
