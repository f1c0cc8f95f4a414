import TouchgateAPI

/// Checks that a body is JSON (RFC 8259) of bounded shape, before any decoder reads it.
///
/// Two reasons. The decoder of FoundationEssentials (tested with Swift 6.3.1) accepts commas before a closing bracket,
/// and traps on 513 opening brackets followed by nothing. And touches wait while it decodes: 2 MiB of small fields take
/// it half a second, and so do long names and strings that must be normalized to be compared. This check takes
/// milliseconds.
public struct JSONSyntax {
  /// Most values in a body: strings, numbers, objects and so on; names do not count.
  static let mostValues = 1000
  /// Most levels of nesting.
  static let deepest = 32
  /// Longest name, in bytes as sent.
  static let longestName = 1000
  /// Longest string, in bytes as sent, except for payloads. Well above `Limits.parameters`, so that large parameters are
  /// refused with the name of the field.
  static let longestString = 4 * Limits.parameters
  private static let payloads: Set<String> = ["payload", "payloadBase64"]

  private let bytes: [UInt8]
  private var position = 0
  private var values = 0

  public static func check(_ body: [UInt8]) throws(CallRefusal) {
    do throws(JSONProblem) {
      if String(validating: body, as: UTF8.self) == nil { throw .notUTF8 }
      var syntax = JSONSyntax(bytes: body)
      try syntax.value(of: nil, depth: 0)
      if syntax.next != nil { throw syntax.expected(.end) }
    } catch {
      throw error.refusal
    }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The next byte that is not white space.
  private var next: UInt8? {
    mutating get {
      while let byte = current, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { position += 1 }
      return current
    }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    if current != UInt8(ascii: byte) { return false }
    position += 1
    return true
  }

  private func expected(_ expected: JSONProblem.Expected) -> JSONProblem {
    .malformed(byte: position < bytes.count ? position + 1 : nil, expected: expected)
  }

  /// `name`: of the field whose value it is.
  private mutating func value(of name: String?, depth: Int) throws(JSONProblem) {
    values += 1
    if values > Self.mostValues { throw .tooManyValues }
    if depth > Self.deepest { throw .tooDeep }
    switch next {
    case UInt8(ascii: "{"): try object(depth)
    case UInt8(ascii: "["): try array(depth)
    case UInt8(ascii: "\""):
      if try string().count > Self.longestString, name.map({ !Self.payloads.contains($0) }) ?? true {
        throw .tooLong(field: name)
      }
    case UInt8(ascii: "t"): try word(.trueWord)
    case UInt8(ascii: "f"): try word(.falseWord)
    case UInt8(ascii: "n"): try word(.nullWord)
    default: try number()
    }
  }

  private mutating func object(_ depth: Int) throws(JSONProblem) {
    position += 1
    if next == UInt8(ascii: "}") {
      position += 1
      return
    }
    repeat {
      guard next == UInt8(ascii: "\"") else { throw expected(.name) }
      let range = try string()
      let name = String(decoding: bytes[range], as: UTF8.self)
      if range.count > Self.longestName { throw .longName(name) }
      _ = next
      guard take(":") else { throw expected(.colon) }
      try value(of: name, depth: depth + 1)
      _ = next
    } while take(",")
    guard take("}") else { throw expected(.commaOrBrace) }
  }

  private mutating func array(_ depth: Int) throws(JSONProblem) {
    position += 1
    if next == UInt8(ascii: "]") {
      position += 1
      return
    }
    repeat {
      try value(of: nil, depth: depth + 1)
      _ = next
    } while take(",")
    guard take("]") else { throw expected(.commaOrBracket) }
  }

  private mutating func word(_ word: JSONProblem.Expected) throws(JSONProblem) {
    guard bytes[position...].starts(with: word.rawValue.utf8) else { throw expected(word) }
    position += word.rawValue.utf8.count
  }

  private mutating func number() throws(JSONProblem) {
    let start = position
    _ = take("-")
    if !take("0") { try digits(position == start ? .value : .digit) }
    if take(".") { try digits(.digit) }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      try digits(.digit)
    }
  }

  private mutating func digits(_ wanted: JSONProblem.Expected) throws(JSONProblem) {
    let start = position
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    if position == start { throw expected(wanted) }
  }

  /// - Returns: what is between the quotes.
  private mutating func string() throws(JSONProblem) -> Range<Int> {
    position += 1
    let start = position
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return start..<(position - 1)
      case UInt8(ascii: "\\"): try escape()
      case ..<0x20: throw expected(.escapedControl)
      default: position += 1
      }
    }
    throw expected(.closingQuote)
  }

  private mutating func escape() throws(JSONProblem) {
    position += 1
    switch current {
    case UInt8(ascii: "u"):
      let unit = try unit()
      if unit & 0xfc00 == 0xdc00 { throw expected(.highSurrogate) }
      if unit & 0xfc00 != 0xd800 { return }
      guard take("\\"), current == UInt8(ascii: "u"), try self.unit() & 0xfc00 == 0xdc00 else {
        throw expected(.lowSurrogate)
      }
    case let byte? where "\"\\/bfnrt".utf8.contains(byte): position += 1
    default: throw expected(.escape)
    }
  }

  /// The value of `uXXXX`.
  private mutating func unit() throws(JSONProblem) -> UInt32 {
    position += 1
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw expected(.hexDigit)
      }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }
}
