import Timeline

/// The words of one command, taken from the left; every error says which form the command has.
struct ScriptArguments {
  let line: Int
  private var words: ArraySlice<String>

  init(_ words: [String], line: Int) {
    self.words = words[...]
    self.line = line
  }

  var isEmpty: Bool { words.isEmpty }
  var next: String? { words.first }

  func error(_ problem: String) -> ScriptError {
    ScriptError(line: line, problem: problem)
  }

  mutating func word(_ form: String) throws(ScriptError) -> String {
    guard let word = words.popFirst() else { throw error("something is missing; write: \(form)") }
    return word
  }

  /// Takes `keyword` if it is next.
  mutating func take(_ keyword: String) -> Bool {
    guard words.first == keyword else { return false }
    words.removeFirst()
    return true
  }

  func end(_ verb: String) throws(ScriptError) {
    if let next { throw error("'\(next)' is too much after \(verb)") }
  }

  mutating func integer(_ range: ClosedRange<Int>, _ form: String) throws(ScriptError) -> Int {
    let text = try word(form)
    guard let value = Int(text), range.contains(value) else {
      throw error("'\(text)' is no number from \(range.lowerBound) to \(range.upperBound); write: \(form)")
    }
    return value
  }

  /// Decimal, or hexadecimal with 0x.
  mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type, _ form: String
  ) throws(ScriptError) -> Number {
    let text = try word(form)
    let value = text.hasPrefix("0x") ? Number(text.dropFirst(2), radix: 16) : Number(text)
    guard let value else { throw error("'\(text)' is no number from \(Number.min) to \(Number.max); write: \(form)") }
    return value
  }

  mutating func duration(_ form: String) throws(ScriptError) -> Duration {
    let text = try word(form)
    do {
      let span = try TimeSpan.parse(text)
      guard span <= .seconds(86400) else { throw TimeSpan.Malformed.tooLong(text) }
      return span
    } catch {
      throw self.error("'\(text)' is no time of up to a day; write: \(form), TIME such as 300ms or 1.5s")
    }
  }

  /// Two percentages.
  mutating func point(_ form: String) throws(ScriptError) -> ScreenPoint {
    ScreenPoint(x: try fraction(form), y: try fraction(form))
  }

  private mutating func fraction(_ form: String) throws(ScriptError) -> Double {
    let text = try word(form)
    guard text.last == "%", let percent = Self.plain(text.dropLast()), percent <= 100 else {
      throw error("'\(text)' is no place on the screen; write: \(form), places from 0% to 100%")
    }
    return percent / 100
  }

  mutating func speed(_ form: String) throws(ScriptError) -> Double {
    let text = try word(form)
    guard let speed = Self.plain(text[...]), speed >= 0.01, speed <= 1000 else {
      throw error("'\(text)' is no speed from 0.01 to 1000; write: \(form)")
    }
    return speed
  }

  /// Digits and at most one point: no sign, exponent, hexadecimal, infinity.
  private static func plain(_ text: Substring) -> Double? {
    text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") } ? Double(text) : nil
  }
}
