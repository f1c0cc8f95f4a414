/// Time spans as people write them in systemd's configuration: `1s`, `5min`, `1h 30min`, `250ms`, `infinity`;
/// a bare number means seconds. The syntax is that of systemd.time(7), "Parsing time spans", without months and years.
public enum TimeSpan {
  public enum Malformed: Error, Equatable, CustomStringConvertible {
    case empty
    case noNumber(String)
    case unknownUnit(String)
    case tooLong(String)

    public var description: String {
      switch self {
      case .empty: "is empty; write a time span such as 1s, 5min or 1h 30min"
      case .noNumber(let text): "'\(text)' is not a time span; write for example 1s, 5min or 1h 30min"
      case .unknownUnit(let unit): "'\(unit)' is not a unit of time; use us, ms, s, min, h, d or w"
      case .tooLong(let text): "'\(text)' is longer than 292 years; write infinity"
      }
    }
  }

  /// Parses a span, 0 or more; `infinity` is `Duration.forever`.
  public static func parse(_ text: String) throws(Malformed) -> Duration {
    var rest = Substring(text).trimmed
    if rest.isEmpty { throw .empty }
    if rest.hasPrefix("infinity") && rest.dropFirst("infinity".count).trimmed.isEmpty { return .forever }
    var total: Int64 = 0
    while !rest.isEmpty {
      let whole = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(whole.count)
      var decimals: Substring = ""
      if rest.first == "." {
        decimals = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
        rest = rest.dropFirst(1 + decimals.count)
      }
      if (whole.isEmpty && decimals.isEmpty) || rest.first == "." { throw .noNumber(text) }
      rest = rest.trimmed
      let name = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(name.count).trimmed
      guard let unit = unit(String(name)) else { throw .unknownUnit(String(name)) }
      guard let units = Int64(whole.isEmpty ? "0" : whole) else { throw .tooLong(text) }
      let (span, overflow) = units.multipliedReportingOverflow(by: unit)
      var part: Int64 = 0
      var scale = unit
      for digit in decimals {
        scale /= 10
        part += Int64(digit.wholeNumberValue ?? 0) * scale
      }
      let (sum, overflow2) = total.addingReportingOverflow(span)
      let (sum2, overflow3) = sum.addingReportingOverflow(part)
      if overflow || overflow2 || overflow3 { throw .tooLong(text) }
      total = sum2
    }
    return .nanoseconds(total)
  }

  /// The shortest form with at most two units, for messages: `41 s`, `1 min 30 s`, `2 h 5 min`, `250 ms`.
  public static func describe(_ duration: Duration) -> String {
    if duration == .forever { return "infinity" }
    let milliseconds = max(0, duration.wholeMilliseconds)
    let seconds = milliseconds / 1000
    if milliseconds < 1000 { return milliseconds == 0 ? "0 s" : "\(milliseconds) ms" }
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3600 { return join(seconds / 60, "min", seconds % 60, "s") }
    if seconds < 86400 { return join(seconds / 3600, "h", seconds / 60 % 60, "min") }
    return join(seconds / 86400, "d", seconds / 3600 % 24, "h")
  }

  private static func join(_ big: Int64, _ bigUnit: String, _ small: Int64, _ smallUnit: String) -> String {
    small == 0 ? "\(big) \(bigUnit)" : "\(big) \(bigUnit) \(small) \(smallUnit)"
  }

  private static func unit(_ name: String) -> Int64? {
    switch name {
    case "us", "usec": 1000
    case "ms", "msec": 1_000_000
    case "", "s", "sec", "second", "seconds": 1_000_000_000
    case "m", "min", "minute", "minutes": 60_000_000_000
    case "h", "hr", "hour", "hours": 3_600_000_000_000
    case "d", "day", "days": 86_400_000_000_000
    case "w", "week", "weeks": 604_800_000_000_000
    default: nil
    }
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    drop { $0 == " " || $0 == "\t" }
  }
}
