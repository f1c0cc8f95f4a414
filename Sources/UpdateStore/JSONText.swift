import FoundationEssentials

/// Parameters as a column: a JSON object of strings, keys in order, so that the same parameters are the same text.
enum JSONText {
  static func encode(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Only values outside JSON can fail (infinite numbers); strings, arrays and dictionaries of them cannot.
    guard let data = try? encoder.encode(value) else { return "null" }
    return String(decoding: data, as: UTF8.self)
  }

  /// Nil: not an object of strings.
  static func decode(_ text: String) -> [String: String]? {
    try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))
  }
}
