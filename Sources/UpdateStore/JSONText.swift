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

  /// Nil: something else.
  static func decode<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
  }
}
