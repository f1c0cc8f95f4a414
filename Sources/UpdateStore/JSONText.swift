import FoundationEssentials

/// Small collections as a column: JSON, keys in order, so that the same parameters are the same text.
enum JSONText {
  static func encode(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Only values outside JSON can fail (infinite numbers); strings, arrays and dictionaries of them cannot.
    guard let data = try? encoder.encode(value) else { return "null" }
    return String(decoding: data, as: UTF8.self)
  }

  /// Nil: the text is not of this type.
  static func decode<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
  }

  /// Nil: not an object of strings.
  static func parameters(_ text: String) -> [String: String]? {
    decodePlain(text) ?? decode(text)
  }

  /// Nil: not a list of strings.
  static func list(_ text: String) -> [String]? { text == "[]" ? [] : decode(text) }

  /// Decodes what `encode` writes for strings without escapes, where each quotation mark begins or ends a string.
  /// Nil: use the full decoder. It makes reading a long queue five times as fast.
  private static func decodePlain(_ text: String) -> [String: String]? {
    if text == "{}" { return [:] }
    if text.utf8.contains(UInt8(ascii: "\\")) { return nil }
    let pieces = text.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    guard pieces.count % 4 == 1, pieces.first?.elementsEqual("{".utf8) == true,
      pieces.last?.elementsEqual("}".utf8) == true
    else { return nil }
    var values: [String: String] = [:]
    for index in stride(from: 1, to: pieces.count, by: 4) {
      guard pieces[index + 1].elementsEqual(":".utf8),
        index == 1 || pieces[index - 1].elementsEqual(",".utf8)
      else { return nil }
      values[String(decoding: pieces[index], as: UTF8.self)] = String(decoding: pieces[index + 2], as: UTF8.self)
    }
    return values
  }
}
