import HTTPTypes
import Timeline
import TouchgateAPI

/// The part of a URL after `?`, read strictly: what is not known is refused by name.
struct Query {
  private let items: [QueryItem]

  init(_ items: [QueryItem]) { self.items = items }

  /// `repeatable` may be given several times.
  static func check(_ items: [QueryItem], known: Set<String>, repeatable: Set<String> = []) throws(Problem) {
    for item in items where !known.contains(item.name) {
      let words = known.isEmpty ? "it takes none" : "known are \(known.sorted().joined(separator: ", "))"
      throw Problem(
        code: "unknownField", message: "there is no '\(item.name.shortened)' here; \(words)",
        field: item.name.shortened)
    }
    for name in known.subtracting(repeatable).sorted() where items.count(where: { $0.name == name }) > 1 {
      throw Problem(code: "givenTwice", message: "'\(name)' is given twice", field: name)
    }
  }

  subscript(name: String) -> String? { items.first { $0.name == name }?.value }

  func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

  /// `1` or `0`; nil counts as 0.
  func flag(_ name: String) throws(Problem) -> Bool {
    switch self[name] {
    case nil, "0": return false
    case "1": return true
    default: throw Problem(code: "badValue", message: "\(name) is 1 or 0", field: name)
    }
  }

  /// A span of time, at most `most`; nil: it is not given.
  func span(_ name: String, atMost most: Duration) throws(Problem) -> Duration? {
    guard let text = self[name] else { return nil }
    let span = try TimeSpan.asked(text, name)
    guard span <= most else {
      throw Problem(code: "badTime", message: "\(name) is at most \(TimeSpan.describe(most))", field: name)
    }
    return span
  }
}

extension TimeSpan {
  /// A span of a request, of at most 100 bytes.
  static func asked(_ text: String, _ field: String) throws(Problem) -> Duration {
    guard text.utf8.count <= 100 else {
      throw Problem(code: "badTime", message: "a span of time has at most 100 bytes, such as 1h 30min", field: field)
    }
    do throws(Malformed) { return try parse(text) } catch {
      throw Problem(code: "badTime", message: "\(error)", field: field)
    }
  }
}
