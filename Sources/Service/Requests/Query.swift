import SocketServer
import Timeline
import TouchgateAPI

/// The part of a URL after `?`, read strictly: what is not known is refused by name.
struct Query {
  private let items: [QueryItem]

  init(_ items: [QueryItem], known: Set<String>) throws(Problem) {
    for item in items where !known.contains(item.name) {
      let words = known.isEmpty ? "it takes none" : "known are \(known.sorted().joined(separator: ", "))"
      throw Problem(
        code: "unknownField", message: "there is no '\(item.name.shortened)' here; \(words)",
        field: item.name.shortened)
    }
    for name in known where items.count(where: { $0.name == name }) > 1 {
      throw Problem(code: "givenTwice", message: "'\(name)' is given twice", field: name)
    }
    self.items = items
  }

  subscript(name: String) -> String? { items.first { $0.name == name }?.value }

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
    let span: Duration
    do throws(TimeSpan.Malformed) { span = try TimeSpan.parse(text) } catch {
      throw Problem(code: "badTime", message: "\(error)", field: name)
    }
    guard span <= most else {
      throw Problem(code: "badTime", message: "\(name) is at most \(TimeSpan.describe(most))", field: name)
    }
    return span
  }
}
