import DeviceRules
import Scheduling
import Timeline
import TouchModel

/// What stands behind a `Key=`, read.
enum ConfigurationValue {
  /// Why a value cannot be used; follows `Key=` in the message.
  struct Refused: Error {
    let message: String
  }

  static func timeSpan(_ text: String, atLeast least: Duration = .zero) throws(Refused) -> Duration {
    let span: Duration
    do throws(TimeSpan.Malformed) {
      span = try TimeSpan.parse(text)
    } catch {
      throw Refused(message: error.description)
    }
    guard span >= least else {
      throw Refused(message: "\(text.quotedForMessage) is too short; at least \(TimeSpan.describe(least))")
    }
    return span
  }

  static func number(_ text: String, _ range: ClosedRange<Int>) throws(Refused) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw Refused(
        message: "\(text.quotedForMessage) is not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// `yes` or `no`, as systemd has them.
  static func yesOrNo(_ text: String) throws(Refused) -> Bool {
    switch text {
    case "yes", "true", "on", "1": return true
    case "no", "false", "off", "0": return false
    default: throw Refused(message: "\(text.quotedForMessage) is neither yes nor no")
    }
  }

  /// One of several words.
  static func choice<Value: RawRepresentable<String> & CaseIterable>(_ text: String) throws(Refused) -> Value {
    guard let value = Value(rawValue: text) else {
      let known = Value.allCases.map(\.rawValue)
      let words = known.dropLast().joined(separator: ", ") + " or " + (known.last ?? "")
      throw Refused(message: "\(text.quotedForMessage) is not \(words)")
    }
    return value
  }

  /// Bytes, or with K, M or G so many of 1024, as systemd reads them; at most 64G.
  static func size(_ text: String) throws(Refused) -> Int {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let number = Int(digits), digits.allSatisfy(\.isASCII), digits.first?.isNumber == true,
      case (let bytes, let overflow) = number.multipliedReportingOverflow(by: unit ?? 1), !overflow, bytes <= 64 << 30
    else {
      throw Refused(message: "\(text.quotedForMessage) is not a size up to 64G, such as 500K, 64M or 1G")
    }
    return bytes
  }

  /// `Coalesce=`.
  static func coalescing(_ text: String) throws(Refused) -> HandlerPolicy.Coalescing {
    guard let policy = HandlerPolicy.Coalescing(rawValue: text) else {
      throw Refused(message: "\(text.quotedForMessage) is none of latest, first and all")
    }
    return policy
  }

  /// `OnStuck=`.
  static func stuckPolicy(_ text: String) throws(Refused) -> ContactTracker.StuckPolicy {
    guard let policy = ContactTracker.StuckPolicy(rawValue: text) else {
      throw Refused(message: "\(text.quotedForMessage) is neither ignore nor hold")
    }
    return policy
  }

  /// `Use=` and `Ignore=`: `name:GLOB`, `id:VENDOR:PRODUCT` in hexadecimal, `path:GLOB` or `seat:GLOB`.
  static func deviceRule(_ text: String, use: Bool) throws(Refused) -> DeviceRule {
    guard let rule = DeviceRule(text, use: use) else {
      throw Refused(
        message: "\(text.quotedForMessage) matches no device; write name:PATTERN, id:VENDOR:PRODUCT such as "
          + "id:222a:001c, path:PATTERN (ID_PATH of udev) or seat:PATTERN (ID_SEAT); * and ? stand for others")
    }
    return rule
  }

  /// `RequireScreens=`: names separated by spaces; one with spaces in it within quotes.
  static func screenNames(_ text: String) throws(Refused) -> Set<String> {
    let names: [String]
    do throws(CommandWords.Malformed) {
      names = try CommandWords.split(text)
    } catch {
      throw Refused(message: "has \(error)")
    }
    if let bad = names.first(where: { !ScreenRules.isName($0) }) {
      throw Refused(message: "names \(bad.quotedForMessage), which is no name of a screen: 1 to 64 bytes")
    }
    return Set(names)
  }

  /// `Exec=`: at least one word, the first an absolute path.
  static func command(_ text: String) throws(Refused) -> [String] {
    let words: [String]
    do throws(CommandWords.Malformed) {
      words = try CommandWords.split(text)
    } catch {
      throw Refused(message: "has \(error)")
    }
    guard let program = words.first else { throw Refused(message: "is empty; write the absolute path of a program") }
    guard program.utf8.first == UInt8(ascii: "/") else {
      throw Refused(message: "\(program.quotedForMessage) is not an absolute path; begin with /, without a prefix")
    }
    return words
  }

  /// `Unit=`: the name of a service (systemd.unit(5)), short enough for an id as instance.
  static func unit(_ text: String) throws(Refused) -> String {
    let name = text.hasSuffix(".service") ? text.dropLast(".service".count) : ""
    let isName = name.unicodeScalars.allSatisfy { isLetterOrDigit($0) || ":-_.\\@".unicodeScalars.contains($0) }
    guard isName, (1...180).contains(name.utf8.count), name.first != "@", name.count(where: { $0 == "@" }) <= 1 else {
      throw Refused(
        message: "\(text.quotedForMessage) is no service of systemd; write NAME.service, or NAME@.service, which gets "
          + "the update's id for an instance")
    }
    return text
  }

  /// `Param=NAME [PATTERN]`, after those that the file has declared above it.
  static func parameter(
    _ text: String, after declared: [ParameterDefinition]
  ) throws(Refused) -> ParameterDefinition {
    let name = String(text.prefix { $0 != " " && $0 != "\t" })
    guard isParameterName(name) else {
      throw Refused(
        message: "\(name.quotedForMessage) cannot be a parameter's name; write NAME or NAME PATTERN, the name a letter "
          + "or _ and up to 63 letters, digits and _")
    }
    // The handler gets it as TOUCHGATE_PARAM_NAME in capitals.
    guard !declared.contains(where: { $0.name.uppercased() == name.uppercased() }) else {
      throw Refused(message: "\(name) is declared twice; keep one of the lines")
    }
    let pattern = String(text.dropFirst(name.count)).withoutBlankEnds
    if pattern.isEmpty { return ParameterDefinition(name: name, pattern: nil) }
    if let reason = PosixPattern.problem(in: pattern) {
      throw Refused(
        message: "\(name): \(pattern.quotedForMessage) is not an extended regular expression (regex(7)): \(reason)")
    }
    return ParameterDefinition(name: name, pattern: pattern)
  }

  /// 1 to 64 of `A-Za-z0-9._-`.
  static func isHandlerName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { isLetterOrDigit($0) || $0 == "." || $0 == "_" || $0 == "-" }
  }

  private static func isParameterName(_ text: String) -> Bool {
    guard (1...64).contains(text.utf8.count), let first = text.unicodeScalars.first, !("0"..."9" ~= first) else {
      return false
    }
    return text.unicodeScalars.allSatisfy { isLetterOrDigit($0) || $0 == "_" }
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: false
    }
  }
}
