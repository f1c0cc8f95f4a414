/// Reads a pattern. What POSIX leaves undefined is refused, and so is what cannot be matched in bounded time.
struct PatternParser {
  /// Of a counted repetition, as POSIX has it (RE_DUP_MAX).
  static let mostRepetitions = 255
  private static let deepest = 50

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  init(_ pattern: String) { bytes = Array(pattern.utf8) }

  mutating func parse() throws(PatternProblem) -> PatternNode {
    let node = try alternatives()
    if position < bytes.count { throw PatternProblem("unmatched )") }
    return node
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ character: Character) -> Bool {
    guard let next, next == character.asciiValue else { return false }
    position += 1
    return true
  }

  private mutating func alternatives() throws(PatternProblem) -> PatternNode {
    var choices = [try sequence()]
    while take("|") { choices.append(try sequence()) }
    return choices.count == 1 ? choices[0] : .choice(choices)
  }

  private mutating func sequence() throws(PatternProblem) -> PatternNode {
    var nodes: [PatternNode] = []
    while let next, next != UInt8(ascii: "|"), next != UInt8(ascii: ")") {
      let node = try repetition(of: try atom())
      // Every node that remains is a step of the program, whose number is limited.
      if node != .empty { nodes.append(node) }
    }
    return nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .empty : .sequence(nodes)
  }

  private mutating func atom() throws(PatternProblem) -> PatternNode {
    guard let byte = next else { return .empty }
    position += 1
    switch Character(Unicode.Scalar(byte)) {
    case "(":
      depth += 1
      if depth > Self.deepest { throw PatternProblem("more than \(Self.deepest) groups inside each other") }
      let node = try alternatives()
      if !take(")") { throw PatternProblem("unmatched (") }
      depth -= 1
      return node
    case "[": return .bytes(try bracket())
    case ".": return .bytes(ByteSet().inverted)
    case "^": return .begin
    case "$": return .end
    case "*", "+", "?", "{": throw PatternProblem("nothing before \(Character(Unicode.Scalar(byte))) to repeat")
    case "\\": return .bytes(try escape())
    default: return .bytes(ByteSet(byte))
    }
  }

  private mutating func escape() throws(PatternProblem) -> ByteSet {
    guard let byte = next else { throw PatternProblem("trailing backslash") }
    position += 1
    switch Character(Unicode.Scalar(byte)) {
    case "1"..."9": throw PatternProblem("back-references such as \\\(byte - 48) are not supported")
    case "w": return Self.word
    case "W": return Self.word.inverted
    case "s": return ByteSet(Self.isSpace)
    case "S": return ByteSet(Self.isSpace).inverted
    // Ends of words and of the value, as some programs have them.
    case "b", "B", "<", ">", "`", "'": throw PatternProblem("\\\(Character(Unicode.Scalar(byte))) is not supported")
    default: return ByteSet(byte)
    }
  }

  // MARK: Repetition

  private mutating func repetition(of atom: PatternNode) throws(PatternProblem) -> PatternNode {
    guard let bounds = try bounds() else { return atom }
    switch atom {
    case .repeated: throw PatternProblem("a repetition cannot be repeated as a whole")
    case .begin, .end: throw PatternProblem("^ and $ cannot be repeated")
    case .empty, .bytes, .sequence, .choice: break
    }
    if try self.bounds() != nil { throw PatternProblem("a repetition cannot be repeated as a whole") }
    return atom == .empty ? .empty : .repeated(atom, least: bounds.least, most: bounds.most)
  }

  private mutating func bounds() throws(PatternProblem) -> (least: Int, most: Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    guard take("{") else { return nil }
    guard let least = number() else { throw PatternProblem("write {N}, {N,} or {N,M}, or \\{ for the character") }
    var most: Int? = least
    if take(",") { most = number() }
    guard take("}") else { throw PatternProblem("write {N}, {N,} or {N,M}, or \\{ for the character") }
    if least > most ?? least { throw PatternProblem("{\(least),\(most ?? 0)} ends before it begins") }
    if max(least, most ?? 0) > Self.mostRepetitions {
      throw PatternProblem("a counted repetition is at most \(Self.mostRepetitions)")
    }
    return (least, most)
  }

  /// Nil: there is no digit.
  private mutating func number() -> Int? {
    var value: Int?
    while let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
      value = min((value ?? 0) * 10 + Int(next - 48), 99_999)
      position += 1
    }
    return value
  }

  // MARK: Brackets

  private mutating func bracket() throws(PatternProblem) -> ByteSet {
    let isInverted = take("^")
    var set = ByteSet()
    var isFirst = true
    while let byte = next, isFirst || byte != UInt8(ascii: "]") {
      isFirst = false
      if let named = try namedClass() {
        set.formUnion(named)
        continue
      }
      let first = try bracketByte()
      // A - that is the last character is itself.
      guard next == UInt8(ascii: "-"), position + 1 < bytes.count, bytes[position + 1] != UInt8(ascii: "]") else {
        set.insert(first)
        continue
      }
      position += 1
      if try namedClass() != nil { throw PatternProblem("a class cannot end a range") }
      let last = try bracketByte()
      guard first <= last else { throw PatternProblem("a range in [] ends before it begins") }
      set.formUnion(ByteSet { (first...last).contains($0) })
    }
    if !take("]") { throw PatternProblem("unmatched [") }
    return isInverted ? set.inverted : set
  }

  /// One byte, or `[.x.]`.
  private mutating func bracketByte() throws(PatternProblem) -> UInt8 {
    guard let byte = next else { throw PatternProblem("unmatched [") }
    position += 1
    guard byte == UInt8(ascii: "["), next == UInt8(ascii: ".") else { return byte }
    let name = try name(until: UInt8(ascii: "."))
    guard name.count == 1 else { throw PatternProblem("[. .] contains one character") }
    return name[0]
  }

  /// `[:alpha:]` or `[=x=]`; nil: there is none.
  private mutating func namedClass() throws(PatternProblem) -> ByteSet? {
    guard next == UInt8(ascii: "["), position + 1 < bytes.count else { return nil }
    switch bytes[position + 1] {
    case UInt8(ascii: ":"):
      position += 1
      let name = String(decoding: try name(until: UInt8(ascii: ":")), as: UTF8.self)
      guard let isMember = Self.classes[name] else { throw PatternProblem("unknown class [:\(name):]") }
      return ByteSet(isMember)
    case UInt8(ascii: "="):
      position += 1
      let name = try name(until: UInt8(ascii: "="))
      guard name.count == 1 else { throw PatternProblem("[= =] contains one character") }
      return ByteSet(name[0])
    default: return nil
    }
  }

  /// At the sign after `[`; up to the same sign and `]`.
  private mutating func name(until sign: UInt8) throws(PatternProblem) -> [UInt8] {
    position += 1
    let start = position
    while position + 1 < bytes.count {
      if position > start, bytes[position] == sign, bytes[position + 1] == UInt8(ascii: "]") {
        defer { position += 2 }
        return Array(bytes[start..<position])
      }
      position += 1
    }
    throw PatternProblem("unmatched [")
  }

  private static func isUpper(_ byte: UInt8) -> Bool { (65...90).contains(byte) }
  private static func isLower(_ byte: UInt8) -> Bool { (97...122).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
  private static func isAlpha(_ byte: UInt8) -> Bool { isUpper(byte) || isLower(byte) }
  private static func isGraph(_ byte: UInt8) -> Bool { (33...126).contains(byte) }
  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
  private static let word = ByteSet { isAlpha($0) || isDigit($0) || $0 == UInt8(ascii: "_") }

  private static let classes: [String: @Sendable (UInt8) -> Bool] = [
    "alpha": isAlpha, "digit": isDigit, "alnum": { isAlpha($0) || isDigit($0) }, "upper": isUpper, "lower": isLower,
    "space": isSpace, "blank": { $0 == 32 || $0 == 9 }, "graph": isGraph, "print": { isGraph($0) || $0 == 32 },
    "punct": { isGraph($0) && !isAlpha($0) && !isDigit($0) },
    "cntrl": { $0 < 32 || $0 == 127 },
    "xdigit": { isDigit($0) || (65...70).contains($0) || (97...102).contains($0) },
  ]
}
