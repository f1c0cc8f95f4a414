import Timeline

/// Numbers and words of one line after another, with their places. Every number is checked against its width.
struct LineScanner {
  /// Of the current line, counted from 1.
  private(set) var line = 0
  /// Whether an end of line follows the current line; false only for the last one of a file that is cut off.
  private(set) var isTerminated = true

  private let bytes: [UInt8]
  private var start = 0
  private var position = 0
  private var end = 0
  private var next = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Goes to the next line; false at the end of the file.
  mutating func nextLine() -> Bool {
    guard next < bytes.count else { return false }
    line += 1
    start = next
    position = next
    var index = next
    while index < bytes.count, bytes[index] != 10 { index += 1 }
    isTerminated = index < bytes.count
    next = index + 1
    if index > start, bytes[index - 1] == 13 { index -= 1 }
    end = index
    return true
  }

  var isBlankOrComment: Bool { isAtEnd }

  /// Whether nothing but spaces and a comment is left in the line.
  var isAtEnd: Bool {
    var index = position
    while index < end, isSpace(bytes[index]) { index += 1 }
    return index == end || bytes[index] == UInt8(ascii: "#")
  }

  /// The letter that a line of evemu begins with, when a colon follows it.
  mutating func tag() -> UInt8? {
    guard end - start >= 2, bytes[start + 1] == UInt8(ascii: ":") else { return nil }
    position = start + 2
    return bytes[start]
  }

  /// The rest of the line after one space, up to a carriage return; comments included, as names may hold a `#`.
  mutating func rest() -> String {
    if position < end, isSpace(bytes[position]) { position += 1 }
    let text = String(decoding: bytes[position..<end].prefix { $0 != 13 }, as: UTF8.self)
    position = end
    return text
  }

  /// A hexadecimal number of up to 16 bits; nil when there is none, or more follows it without a space.
  mutating func hex() -> UInt16? {
    skipSpaces()
    var value: UInt32 = 0
    let first = position
    while position < end {
      let byte = bytes[position]
      let digit: UInt8
      switch byte {
      case 48...57: digit = byte - 48
      case 97...102: digit = byte - 87
      case 65...70: digit = byte - 55
      default: return isSpace(byte) && position > first ? UInt16(exactly: value) : nil
      }
      value = value << 4 | UInt32(digit)
      if value > 0xffff { return nil }
      position += 1
    }
    return position > first ? UInt16(exactly: value) : nil
  }

  /// A decimal number of 32 bits with an optional minus, zeros in front allowed (`-001`, as evemu writes -1).
  mutating func decimal() -> Int32? {
    skipSpaces()
    let isNegative = position < end && bytes[position] == UInt8(ascii: "-")
    if isNegative { position += 1 }
    guard let magnitude = digits(limit: 1 << 31)?.value else { return nil }
    guard position == end || isSpace(bytes[position]) || bytes[position] == UInt8(ascii: "#") else { return nil }
    return Int32(exactly: isNegative ? -magnitude : magnitude)
  }

  /// `SECONDS.MICROSECONDS`, the latter of exactly six digits.
  mutating func stamp() -> Instant? {
    skipSpaces()
    guard let seconds = digits(limit: Int64.max / 1_000_000_000 - 1)?.value, position < end,
      bytes[position] == UInt8(ascii: ".")
    else { return nil }
    position += 1
    guard let micros = digits(limit: 999_999), micros.count == 6, position < end, isSpace(bytes[position]) else {
      return nil
    }
    return Instant(nanoseconds: seconds * 1_000_000_000 + micros.value * 1000)
  }

  /// At least one digit, and a value of at most `limit`, which is below 2^59 or so.
  private mutating func digits(limit: Int64) -> (value: Int64, count: Int)? {
    let first = position
    var value: Int64 = 0
    while position < end, bytes[position] >= 48, bytes[position] <= 57 {
      value = value * 10 + Int64(bytes[position] - 48)
      if value > limit { return nil }
      position += 1
    }
    return position > first ? (value, position - first) : nil
  }

  private mutating func skipSpaces() {
    while position < end, isSpace(bytes[position]) { position += 1 }
  }

  /// The current line is not `expected`.
  func error(_ expected: String) -> RecordingError {
    RecordingError(line: line, problem: "'\(excerpt)' cannot be read", expected: expected)
  }

  /// The start of the current line, fit for a log: what is not printable ASCII is shown in hex.
  var excerpt: String {
    let limit = 60
    var text = ""
    for byte in bytes[start..<min(end, start + limit)] {
      switch byte {
      case 9: text += " "
      case 32...126: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return end - start > limit ? text + "..." : text
  }
}

private func isSpace(_ byte: UInt8) -> Bool {
  byte == 32 || byte == 9
}
