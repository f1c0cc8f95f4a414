import TouchgateAPI

/// A body is JSON (RFC 8259) of a bounded shape, before any decoder sees it.
///
/// Two reasons. The decoder of FoundationEssentials (tried: Swift 6.3.1) takes commas before a closing bracket, and ends
/// the program on 513 brackets that open and nothing after them. And touches wait while it works: 2 MiB of small fields
/// took it half a second, and so do names and words that must be normalized to be compared. This takes milliseconds.
struct JSONSyntax {
  /// Strings, numbers, objects and so on, names not counted.
  static let mostValues = 1000
  static let deepest = 32
  /// Of one name, in bytes as sent.
  static let longestName = 1000
  /// Of one string, in bytes as sent; payloads may be longer. Well over what parameters may have, so that those are
  /// refused by name.
  static let longestString = 4 * Limits.parameters
  private static let longNames: Set<String> = ["payload", "payloadBase64"]

  private let bytes: [UInt8]
  private var position = 0
  private var values = 0

  static func check(_ body: [UInt8]) throws(Problem) {
    if String(validating: body, as: UTF8.self) == nil {
      throw Problem(code: "malformedJSON", message: "the body is not JSON: it is not UTF-8")
    }
    var syntax = JSONSyntax(bytes: body)
    try syntax.value(within: "", depth: 0)
    if syntax.next != nil { throw syntax.malformed("nothing more") }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The first byte that is no space.
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

  private func malformed(_ expected: String) -> Problem {
    let place = position < bytes.count ? "at byte \(position + 1)" : "at its end"
    return Problem(code: "malformedJSON", message: "the body is not JSON: \(place) \(expected) should stand")
  }

  /// `name`: of the field that it is the value of.
  private mutating func value(within name: String, depth: Int) throws(Problem) {
    values += 1
    if values > Self.mostValues {
      throw Problem(code: "tooManyValues", message: "the body has more than \(Self.mostValues) values")
    }
    if depth > Self.deepest {
      throw Problem(code: "tooDeep", message: "the body is nested more than \(Self.deepest) deep")
    }
    switch next {
    case UInt8(ascii: "{"): try object(depth)
    case UInt8(ascii: "["): try array(depth)
    case UInt8(ascii: "\""):
      let length = try string().count
      if length > Self.longestString, !Self.longNames.contains(name) {
        throw Problem(
          code: "tooLong",
          message: "\(name.isEmpty ? "a string" : "'\(name.shortened)'") is longer than \(Self.longestString) bytes; "
            + "what is large belongs into the payload", field: name.isEmpty ? nil : name.shortened)
      }
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: try number()
    }
  }

  private mutating func object(_ depth: Int) throws(Problem) {
    position += 1
    if next == UInt8(ascii: "}") {
      position += 1
      return
    }
    repeat {
      guard next == UInt8(ascii: "\"") else { throw malformed("a name in \"") }
      let range = try string()
      let name = String(decoding: bytes[range], as: UTF8.self)
      if range.count > Self.longestName {
        throw Problem(
          code: "unknownField",
          message: "there is no field '\(name.shortened)': its name is longer than \(Self.longestName) bytes",
          field: name.shortened)
      }
      _ = next
      guard take(":") else { throw malformed("a colon") }
      try value(within: name, depth: depth + 1)
      _ = next
    } while take(",")
    guard take("}") else { throw malformed("a comma or }") }
  }

  private mutating func array(_ depth: Int) throws(Problem) {
    position += 1
    if next == UInt8(ascii: "]") {
      position += 1
      return
    }
    repeat {
      try value(within: "", depth: depth + 1)
      _ = next
    } while take(",")
    guard take("]") else { throw malformed("a comma or ]") }
  }

  private mutating func word(_ word: String) throws(Problem) {
    guard bytes[position...].starts(with: word.utf8) else { throw malformed(word) }
    position += word.utf8.count
  }

  private mutating func number() throws(Problem) {
    let start = position
    _ = take("-")
    if !take("0") { try digits(position == start ? "a value" : "a digit") }
    if take(".") { try digits("a digit") }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      try digits("a digit")
    }
  }

  private mutating func digits(_ expected: String) throws(Problem) {
    let start = position
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    if position == start { throw malformed(expected) }
  }

  /// What stands between the quotes.
  private mutating func string() throws(Problem) -> Range<Int> {
    position += 1
    let start = position
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return start..<(position - 1)
      case UInt8(ascii: "\\"): try escape()
      case ..<0x20: throw malformed("an escape instead of a control character")
      default: position += 1
      }
    }
    throw malformed("a closing \"")
  }

  private mutating func escape() throws(Problem) {
    position += 1
    switch current {
    case UInt8(ascii: "u"):
      let unit = try unit()
      if unit & 0xfc00 == 0xdc00 { throw malformed("the first half of a surrogate pair before its second") }
      if unit & 0xfc00 != 0xd800 { return }
      guard take("\\"), current == UInt8(ascii: "u"), try self.unit() & 0xfc00 == 0xdc00 else {
        throw malformed("the second half of a surrogate pair")
      }
    case let byte? where "\"\\/bfnrt".utf8.contains(byte): position += 1
    default: throw malformed("an escape that there is")
    }
  }

  /// Of `uXXXX`.
  private mutating func unit() throws(Problem) -> UInt32 {
    position += 1
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw malformed("a hexadecimal digit")
      }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }
}
