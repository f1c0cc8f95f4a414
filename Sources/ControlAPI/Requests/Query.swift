public import HTTPTypes
import Timeline

/// The part of a URL after `?`, read strictly: an unknown name is refused.
public struct Query: Sendable {
  private let items: [QueryItem]

  public init(_ items: [QueryItem]) { self.items = items }

  /// Checks the names of a query, not the values. `repeatable` names are allowed several times.
  public static func check(
    _ items: [QueryItem], known: Set<String>, repeatable: Set<String> = [], required: Set<String> = []
  ) throws(CallRefusal) {
    for item in items where !known.contains(item.name) {
      throw QueryProblem.unknownParameter(item.name, known: known).refusal
    }
    for name in known.subtracting(repeatable).sorted() where items.count(where: { $0.name == name }) > 1 {
      throw QueryProblem.duplicate(name).refusal
    }
    if let name = required.subtracting(items.map(\.name)).min() { throw QueryProblem.missing(name).refusal }
  }

  /// The first value of that name.
  public subscript(name: String) -> String? { items.first { $0.name == name }?.value }

  public func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

  /// `1` or `0`; an absent name is false.
  public func flag(_ name: String) throws(CallRefusal) -> Bool {
    switch self[name] {
    case nil, "0": return false
    case "1": return true
    default: throw QueryProblem.notAFlag(name).refusal
    }
  }

  /// A time span of at most `limit`; nil if it is absent.
  public func span(_ name: String, atMost limit: Duration) throws(CallRefusal) -> Duration? {
    guard let text = self[name] else { return nil }
    let span = try TimeSpan.requested(text, name)
    guard span <= limit else { throw QueryProblem.timeSpanOver(field: name, limit: limit).refusal }
    return span
  }

  /// `limit`: 1 to 1000; 100 if it is absent.
  public func limit() throws(CallRefusal) -> Int {
    guard let text = self["limit"] else { return 100 }
    guard let number = Int(text), (1...1000).contains(number) else { throw QueryProblem.badLimit.refusal }
    return number
  }

  /// `user`: a user id; nil if it is absent.
  public func user() throws(CallRefusal) -> UInt32? {
    guard let text = self["user"] else { return nil }
    guard let user = UInt32(text), user < .max else { throw QueryProblem.badUser.refusal }
    return user
  }

  /// `since`: the number of an event, 0 to `Int64.max - 1`; nil if it is absent.
  public func since() throws(CallRefusal) -> Int64? {
    guard let text = self["since"] else { return nil }
    guard let since = Int64(text), since >= 0, since < .max else { throw QueryProblem.badSince.refusal }
    return since
  }

  /// `state`, which is repeatable; nil if it is absent, else a non-empty subset of `known`.
  public func states(known: Set<String>) throws(CallRefusal) -> Set<String>? {
    let states = Set(all("state"))
    if let unknown = states.subtracting(known).min() {
      throw QueryProblem.unknownState(unknown, known: known).refusal
    }
    return states.isEmpty ? nil : states
  }
}

extension TimeSpan {
  /// Longest text of a time span in a request, in bytes.
  static let longestText = 100

  /// The time span of a request's field.
  static func requested(_ text: String, _ field: String) throws(CallRefusal) -> Duration {
    guard text.utf8.count <= longestText else { throw QueryProblem.longTimeSpan(field: field).refusal }
    do throws(Malformed) { return try parse(text) } catch {
      throw QueryProblem.badTimeSpan(field: field, error).refusal
    }
  }
}
