import DeviceRules
import Haptics
import Scheduling
import Timeline

/// Reads the text after `Key=`.
struct ValueReader<Value>: Sendable {
  let read: @Sendable (_ text: String) throws(Refused) -> Value

  init(_ read: @escaping @Sendable (_ text: String) throws(Refused) -> Value) { self.read = read }
}

extension ValueReader<Duration> {
  /// A time span of systemd.time(7), from `least` to `most`.
  static func timeSpan(atLeast least: Duration = .zero, atMost most: Duration = .forever) -> Self {
    Self { text throws(Refused) in
      let span: Duration
      do throws(TimeSpan.Malformed) {
        span = try TimeSpan.parse(text)
      } catch {
        throw Refused(.malformed, error.description)
      }
      guard span >= least else { throw Refused(.tooShort, text.quotedForMessage, TimeSpan.describe(least)) }
      guard span <= most else { throw Refused(.tooLong, text.quotedForMessage, TimeSpan.describe(most)) }
      return span
    }
  }

  /// A number of milliseconds without a unit.
  static func milliseconds(_ range: ClosedRange<Int>) -> Self {
    Self { text throws(Refused) in .milliseconds(try ValueReader<Int>.number(range).read(text)) }
  }
}

extension ValueReader<Int> {
  static func number(_ range: ClosedRange<Int>) -> Self {
    Self { text throws(Refused) in
      guard let number = Int(text), range.contains(number) else {
        throw Refused(.badNumber, text.quotedForMessage, "\(range.lowerBound)", "\(range.upperBound)")
      }
      return number
    }
  }

  /// Bytes, or a number of K, M or G in units of 1024, as systemd reads them; at most 64G.
  static var size: Self {
    Self { text throws(Refused) in
      let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
      let unit = text.last.flatMap { units[$0] }
      let digits = unit == nil ? text[...] : text.dropLast()
      guard let number = Int(digits), digits.allSatisfy(\.isASCII), digits.first?.isNumber == true,
        case (let bytes, let overflow) = number.multipliedReportingOverflow(by: unit ?? 1), !overflow, bytes <= 64 << 30
      else { throw Refused(.badSize, text.quotedForMessage) }
      return bytes
    }
  }
}

extension ValueReader<Double> {
  /// A number from 0 to 1.
  static var fraction: Self {
    Self { text throws(Refused) in
      guard let number = Double(text), (0...1).contains(number) else {
        throw Refused(.badNumber, text.quotedForMessage, "0", "1")
      }
      return number
    }
  }
}

extension ValueReader<Bool> {
  /// The words of systemd.
  static var yesOrNo: Self {
    Self { text throws(Refused) in
      switch text {
      case "yes", "true", "on", "1": return true
      case "no", "false", "off", "0": return false
      default: throw Refused(.badChoice, text.quotedForMessage, "yes or no")
      }
    }
  }
}

extension ValueReader where Value: RawRepresentable<String> & CaseIterable & Sendable {
  /// One of the words of an enumeration.
  static var choice: Self {
    let words = Value.allCases.map(\.rawValue)
    return Self { text throws(Refused) in
      if let value = Value(rawValue: text) { return value }
      let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
      guard let near = Spelling.nearest(to: text, in: words) else {
        throw Refused(.badChoice, text.quotedForMessage, list)
      }
      throw Refused(.misspelledChoice, text.quotedForMessage, near, list)
    }
  }
}

extension ValueReader<DeviceRule> {
  /// `name:GLOB`, `id:VENDOR:PRODUCT` in hexadecimal, `path:GLOB` or `seat:GLOB`.
  static func deviceRule(use: Bool) -> Self {
    Self { text throws(Refused) in
      guard let rule = DeviceRule(text, use: use) else { throw Refused(.badDevice, text.quotedForMessage) }
      return rule
    }
  }
}

extension ValueReader<HapticsSettings.Device> {
  /// `none`, or a device rule.
  static var hapticsDevice: Self {
    Self { text throws(Refused) in
      text == "none" ? .none : .named(try ValueReader<DeviceRule>.deviceRule(use: true).read(text))
    }
  }
}

extension ValueReader<Pattern> {
  static var pattern: Self {
    Self { text throws(Refused) in
      do throws(Pattern.Malformed) { return try Pattern(text) } catch { throw Refused(.malformed, error.description) }
    }
  }
}

extension ValueReader<Principals> {
  /// `lobby 1000 @kiosk`: users by name or number, and with `@` groups.
  static var principals: Self { Self { text throws(Refused) in try Principals(text) } }
}

extension ValueReader<Set<String>> {
  /// Names of screens separated by white space; a name that contains some is in quotes.
  static var screenNames: Self {
    Self { text throws(Refused) in
      let names = try CommandWords.split(text)
      if let bad = names.first(where: { !ScreenRules.isName($0) }) {
        throw Refused(.badRequiredScreen, bad.quotedForMessage)
      }
      return Set(names)
    }
  }
}

extension ValueReader<String> {
  /// What updates are about: 1 to 200 bytes, as a submitter's key.
  static var updateKey: Self {
    Self { text throws(Refused) in
      guard (1...200).contains(text.utf8.count) else { throw Refused(.badKey, text.quotedForMessage) }
      return text
    }
  }

  /// The name of one screen.
  static var screenName: Self {
    Self { text throws(Refused) in
      guard ScreenRules.isName(text) else { throw Refused(.badRequiredScreen, text.quotedForMessage) }
      return text
    }
  }
}

extension ValueReader<Set<HandlerTerms.Term>> {
  /// Words separated by white space.
  static var terms: Self {
    Self { text throws(Refused) in
      var terms: Set<HandlerTerms.Term> = []
      for word in text.split(whereSeparator: \.isWhitespace) {
        terms.insert(try ValueReader<HandlerTerms.Term>.choice.read(String(word)))
      }
      return terms
    }
  }
}

extension ValueReader<[String]> {
  /// A command: at least one word, the first an absolute path.
  static var command: Self {
    Self { text throws(Refused) in
      let words = try CommandWords.split(text)
      guard let program = words.first else { throw Refused(.emptyCommand) }
      guard program.utf8.first == UInt8(ascii: "/") else {
        throw Refused(.relativeProgram, program.quotedForMessage)
      }
      return words
    }
  }
}

extension ValueReader<String> {
  /// The name of a service unit (systemd.unit(5)), short enough for an id as instance.
  static var unit: Self {
    Self { text throws(Refused) in
      let name = text.hasSuffix(".service") ? text.dropLast(".service".count) : ""
      let isName = name.unicodeScalars.allSatisfy { $0.isLetterOrDigit || ":-_.\\@".unicodeScalars.contains($0) }
      guard isName, (1...180).contains(name.utf8.count), name.first != "@", name.count(where: { $0 == "@" }) <= 1 else {
        throw Refused(.badUnit, text.quotedForMessage)
      }
      return text
    }
  }
}

extension Unicode.Scalar {
  /// Of ASCII.
  var isLetterOrDigit: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: false
    }
  }
}
