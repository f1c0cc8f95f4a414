import Timeline
import TouchModel

extension RecordedDevice {
  /// The description as evemu 1.3 writes it, from the version line to the last A: line.
  var evemuLines: [String] {
    // A name with an end of line in it (the kernel allows that) would not be read again.
    let name = String(String.UnicodeScalarView(self.name.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }))
    var lines = ["# EVEMU 1.3", "N: \(name)"]
    lines.append("I: \(hex(bustype, 4)) \(hex(vendor, 4)) \(hex(product, 4)) \(hex(version, 4))")
    lines += maskLines("P:", properties)
    var codes = otherCodes
    if !keys.isEmpty { codes[EventType.key] = keys }
    if !axes.isEmpty { codes[EventType.abs] = Set(axes.keys) }
    for (type, set) in codes.sorted(by: { $0.key < $1.key }) {
      lines += maskLines("B: \(hex(type, 2))", set)
    }
    for (code, axis) in axes.sorted(by: { $0.key < $1.key }) {
      let range = "\(axis.minimum) \(axis.maximum) \(axis.fuzz) \(axis.flat) \(axis.resolution)"
      lines.append("A: \(hex(code, 2)) \(range)")
    }
    return lines
  }

  /// Lines of eight bytes, as many as the highest code needs and at least one.
  private func maskLines(_ prefix: String, _ set: Set<UInt16>) -> [String] {
    let count = Int(set.max() ?? 0) / 64 + 1
    var bytes = [UInt8](repeating: 0, count: count * 8)
    for code in set { bytes[Int(code) / 8] |= 1 << UInt8(code % 8) }
    return (0..<count).map { line in
      prefix + bytes[(line * 8)..<(line * 8 + 8)].map { " " + hex(UInt16($0), 2) }.joined()
    }
  }
}

extension InputEvent {
  /// `E: 0.000009 0001 014a 0001`
  var evemuLine: String {
    let micros = max(0, time.nanoseconds) / 1000
    let sign = value < 0 ? "-" : ""
    let digits = pad(String(value.magnitude), value < 0 ? 3 : 4)
    return
      "E: \(micros / 1_000_000).\(pad(String(micros % 1_000_000), 6)) \(hex(type, 4)) \(hex(code, 4)) \(sign)\(digits)"
  }
}

private func hex(_ value: UInt16, _ width: Int) -> String {
  pad(String(value, radix: 16), width)
}

private func pad(_ text: String, _ width: Int) -> String {
  String(repeating: "0", count: max(0, width - text.utf8.count)) + text
}
