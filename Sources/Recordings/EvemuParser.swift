import Timeline
import TouchModel

/// evemu text, line by line. The order of the description's lines does not matter, but it ends with the first event.
struct EvemuParser {
  struct Content {
    var device: RecordedDevice?
    var events: [InputEvent]
  }

  static func parse(_ bytes: [UInt8]) throws(RecordingError) -> Content {
    var parser = EvemuParser(scanner: LineScanner(bytes))
    while parser.scanner.nextLine() { try parser.parseLine() }
    return try parser.finish()
  }

  private struct Identity {
    var bustype: UInt16
    var vendor: UInt16
    var product: UInt16
    var version: UInt16
  }

  private var scanner: LineScanner
  private var name: String?
  private var identity: Identity?
  private var properties = BitLines()
  private var codes: [UInt16: BitLines] = [:]
  private var axes: [UInt16: RecordedDevice.AxisInfo] = [:]
  private var firstDescriptionLine: Int?
  private var events: [InputEvent] = []

  private init(scanner: LineScanner) {
    self.scanner = scanner
  }

  private mutating func parseLine() throws(RecordingError) {
    if scanner.isBlankOrComment { return }
    if !scanner.isTerminated {
      throw RecordingError(
        line: scanner.line, problem: "the last line '\(scanner.excerpt)' is truncated: it has no newline",
        expected: "a complete file; remove the last line to use the rest")
    }
    guard let tag = scanner.tag() else { throw scanner.error(Form.anyLine) }
    if tag == UInt8(ascii: "E") {
      guard let event = parseEvent() else { throw scanner.error(Form.event) }
      events.append(event)
      return
    }
    if firstDescriptionLine == nil { firstDescriptionLine = scanner.line }
    if !events.isEmpty {
      throw RecordingError(
        line: scanner.line, problem: "'\(scanner.excerpt)' is after events",
        expected: "one recording per file: the description, then events")
    }
    switch tag {
    case UInt8(ascii: "N"): try parseName()
    case UInt8(ascii: "I"): try parseIdentity()
    case UInt8(ascii: "P"): guard parseProperties() else { throw scanner.error(Form.properties) }
    case UInt8(ascii: "B"): guard parseCodes() else { throw scanner.error(Form.codes) }
    case UInt8(ascii: "A"): guard parseAxis() else { throw scanner.error(Form.axis) }
    // States of lights and switches at the start: evemu reads them and does nothing with them, so do we.
    case UInt8(ascii: "L"), UInt8(ascii: "S"): guard parseState() else { throw scanner.error(Form.state) }
    default: throw scanner.error(Form.anyLine)
    }
  }

  private mutating func parseName() throws(RecordingError) {
    guard name == nil else { throw scanner.error("only one N: line per file (are there two recordings?)") }
    let text = scanner.rest()
    guard !text.isEmpty else { throw scanner.error(Form.name) }
    name = text
  }

  private mutating func parseIdentity() throws(RecordingError) {
    guard identity == nil else { throw scanner.error("only one I: line per file (are there two recordings?)") }
    guard let bustype = scanner.hex(), let vendor = scanner.hex(), let product = scanner.hex(),
      let version = scanner.hex(), scanner.isAtEnd
    else { throw scanner.error(Form.identity) }
    identity = Identity(bustype: bustype, vendor: vendor, product: product, version: version)
  }

  private mutating func parseProperties() -> Bool {
    properties.append(from: &scanner) && scanner.isAtEnd
  }

  private mutating func parseCodes() -> Bool {
    guard let type = scanner.hex(), type < 0x20 else { return false }
    return codes[type, default: BitLines()].append(from: &scanner) && scanner.isAtEnd
  }

  /// Five numbers in evemu 1.0 and 1.1, which had no resolution; six since.
  private mutating func parseAxis() -> Bool {
    guard let code = scanner.hex(), code < 0x40,
      let minimum = scanner.decimal(), let maximum = scanner.decimal(),
      let fuzz = scanner.decimal(), let flat = scanner.decimal()
    else { return false }
    var resolution: Int32 = 0
    if !scanner.isAtEnd {
      guard let last = scanner.decimal(), scanner.isAtEnd else { return false }
      resolution = last
    }
    axes[code] = RecordedDevice.AxisInfo(
      minimum: minimum, maximum: maximum, fuzz: fuzz, flat: flat, resolution: resolution)
    return true
  }

  private mutating func parseState() -> Bool {
    scanner.hex() != nil && scanner.decimal() != nil && scanner.isAtEnd
  }

  private mutating func parseEvent() -> InputEvent? {
    guard let time = scanner.stamp(), let type = scanner.hex(), let code = scanner.hex(),
      let value = scanner.decimal(), scanner.isAtEnd
    else { return nil }
    return InputEvent(time: time, type: type, code: code, value: value)
  }

  private consuming func finish() throws(RecordingError) -> Content {
    guard let firstDescriptionLine else {
      if events.isEmpty { throw .empty }
      return Content(device: nil, events: events)
    }
    guard let name else {
      throw RecordingError(
        line: firstDescriptionLine, problem: "the description has no name", expected: "a line \(Form.name)")
    }
    guard let identity else {
      throw RecordingError(
        line: firstDescriptionLine, problem: "the description has no identity", expected: "a line \(Form.identity)")
    }
    var device = RecordedDevice(
      name: name, bustype: identity.bustype, vendor: identity.vendor, product: identity.product,
      version: identity.version)
    device.properties = properties.set
    device.axes = axes
    for (type, bits) in codes where !bits.set.isEmpty {
      switch type {
      case EventType.key: device.keys = bits.set
      case EventType.abs:
        // An axis without an A: line gets the range that evemu gives it.
        for code in bits.set where axes[code] == nil && code < 0x40 {
          device.axes[code] = RecordedDevice.AxisInfo(minimum: 0, maximum: 1)
        }
      default: device.otherCodes[type] = bits.set
      }
    }
    return Content(device: device, events: events)
  }
}

/// The bits of successive P: lines, or of the B: lines of one event type: 64 a line, lowest byte first.
private struct BitLines {
  /// KEY_CNT: no event type has more codes.
  private static let limit: UInt16 = 0x300

  private(set) var set: Set<UInt16> = []
  private var next: UInt16 = 0

  /// Takes eight bytes; false when they are not there or are more than any type has.
  mutating func append(from scanner: inout LineScanner) -> Bool {
    guard next < Self.limit else { return false }
    for _ in 0..<8 {
      guard let byte = scanner.hex(), byte < 0x100 else { return false }
      if byte != 0 { for bit in 0..<8 where byte & (1 << bit) != 0 { set.insert(next + UInt16(bit)) } }
      next += 8
    }
    return true
  }
}

/// What each kind of line looks like, for errors.
private enum Form {
  static let anyLine = "evemu text: N:, I:, P:, B:, A:, L:, S: or E: and a space at the start, or # for a comment"
  static let name = "N: NAME, not empty"
  static let identity = "I: BUS VENDOR PRODUCT VERSION, each of up to 4 hex digits"
  static let properties = "P: and 8 bytes of 2 hex digits, at most 12 such lines"
  static let codes = "B: TYPE and 8 bytes of 2 hex digits, TYPE below 20 in hex, at most 12 such lines for a type"
  static let axis = "A: CODE MINIMUM MAXIMUM FUZZ FLAT [RESOLUTION], CODE below 40 in hex, the others decimal, 32 bits"
  static let state = "a code in hex and a decimal state, such as L: 01 1"
  static let event =
    "E: SECONDS.MICROSECONDS TYPE CODE VALUE, with 6 digits of microseconds, TYPE and CODE in hex, "
    + "VALUE decimal of 32 bits"
}
