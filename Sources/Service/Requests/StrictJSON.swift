import FoundationEssentials
import TouchgateAPI

/// Bodies of requests, read strictly: what is wrong is refused by name.
enum StrictJSON {
  /// An object with no other fields than these; their types as `type` has them.
  static func decode<Value: Decodable>(
    _ body: [UInt8], as type: Value.Type = Value.self, fields: Set<String>
  ) throws(Problem) -> Value {
    try JSONSyntax.check(body)
    let decoder = JSONDecoder()
    let data = Data(body)
    do {
      let names = try decoder.decode(FieldNames.self, from: data).names
      if let unknown = names.subtracting(fields).min() {
        throw Problem(
          code: "unknownField",
          message: "there is no field '\(unknown.shortened)'; known are \(fields.sorted().joined(separator: ", "))",
          field: unknown.shortened)
      }
      return try decoder.decode(type, from: data)
    } catch let problem as Problem {
      throw problem
    } catch let error as DecodingError {
      // The decoder calls the body no JSON where a number does not fit.
      if case .dataCorrupted = error, let number = (try? decoder.decode(Numbers.self, from: data))?.priority,
        Int(exactly: number) == nil
      {
        throw Problem(code: "wrongType", message: "'priority' must be a whole number", field: "priority")
      }
      throw Self.problem(error)
    } catch {
      throw Problem(code: "malformedJSON", message: "the body is not JSON")
    }
  }

  private static func problem(_ error: DecodingError) -> Problem {
    func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String? {
      let keys = (context.codingPath + (key.map { [$0] } ?? [])).map(\.stringValue.shortened)
      return keys.isEmpty ? nil : keys.joined(separator: ".")
    }
    switch error {
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      guard let field = path(context) else {
        return Problem(code: "wrongType", message: "the body must be a JSON object")
      }
      return Problem(code: "wrongType", message: "'\(field)' must be \(name(type))", field: field)
    case .keyNotFound(let key, let context):
      let field = path(context, key) ?? key.stringValue.shortened
      return Problem(code: "missingField", message: "'\(field)' is required", field: field)
    case .dataCorrupted(let context):
      if let field = path(context) {
        return Problem(code: "wrongType", message: "'\(field)' cannot be read", field: field)
      }
      return Problem(code: "malformedJSON", message: "the body is not JSON: \(reason(context))")
    @unknown default:
      return Problem(code: "malformedJSON", message: "the body is not JSON")
    }
  }

  private static func reason(_ context: DecodingError.Context) -> String {
    // The parser's own words name line and column; they never quote more than a character of the body.
    context.underlyingError.map { "\($0)" }.flatMap { $0.count < 200 ? $0 : nil } ?? context.debugDescription
  }

  private static func name(_ type: any Any.Type) -> String {
    if type == String.self { return "a string" }
    if type == [String: String].self || type == [String: Any].self { return "an object of strings" }
    if type == Int.self { return "a whole number" }
    return "of another type"
  }
}

private struct Numbers: Decodable {
  let priority: Double?
}

/// The names of an object's fields, whatever is in them.
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
