import FoundationEssentials

/// Bodies of requests, read strictly: every mistake is refused, with the name of the field.
public enum StrictJSON {
  /// Decodes an object that has no other fields than `fields`.
  public static func decode<Value: Decodable>(
    _ body: [UInt8], as type: Value.Type = Value.self, fields: Set<String>
  ) throws(CallRefusal) -> Value {
    try JSONSyntax.check(body)
    let decoder = JSONDecoder()
    let data = Data(body)
    do {
      let names = try decoder.decode(FieldNames.self, from: data).names
      if let unknown = names.subtracting(fields).min() {
        throw JSONProblem.unknownField(unknown, known: fields)
      }
      return try decoder.decode(type, from: data)
    } catch let problem as JSONProblem {
      throw problem.refusal
    } catch let error as DecodingError {
      // For a number that does not fit, the decoder reports malformed JSON.
      if case .dataCorrupted = error, let number = (try? decoder.decode(Numbers.self, from: data))?.priority,
        Int(exactly: number) == nil
      {
        throw JSONProblem.wrongType(field: "priority", type: "a whole number").refusal
      }
      throw problem(error).refusal
    } catch {
      throw JSONProblem.undecodable(reason: nil).refusal
    }
  }

  private static func problem(_ error: DecodingError) -> JSONProblem {
    func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String? {
      let keys = (context.codingPath + (key.map { [$0] } ?? [])).map(\.stringValue.shortened)
      return keys.isEmpty ? nil : keys.joined(separator: ".")
    }
    switch error {
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return path(context).map { .wrongType(field: $0, type: name(type)) } ?? .notAnObject
    case .keyNotFound(let key, let context):
      return .missing(field: path(context, key) ?? key.stringValue.shortened)
    case .dataCorrupted(let context):
      return path(context).map { .badValue(field: $0) } ?? .undecodable(reason: reason(context))
    @unknown default:
      return .undecodable(reason: nil)
    }
  }

  /// The decoder's words name line and column; they never quote more than one character of the body.
  private static func reason(_ context: DecodingError.Context) -> String {
    context.underlyingError.map { "\($0)" }.flatMap { $0.count < 200 ? $0 : nil } ?? context.debugDescription
  }

  private static func name(_ type: any Any.Type) -> String {
    if type == String.self { return "a string" }
    if type == [String: String].self || type == [String: Any].self { return "an object of strings" }
    if type == Int.self { return "a whole number" }
    if type == Bool.self { return "true or false" }
    return "of another type"
  }
}

private struct Numbers: Decodable {
  let priority: Double?
}

/// The names of an object's fields, whatever their values.
private struct FieldNames: Decodable {
  let names: Set<String>

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    names = Set(try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue))
  }
}
