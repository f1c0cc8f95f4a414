import FoundationEssentials
import Scheduling
import Timeline
import TouchgateAPI

/// The body of `POST /v1/updates`, read strictly: what is wrong is refused by name.
struct Submission: Equatable {
  var handler: String
  var parameters: [String: String]
  var payload: [UInt8]
  var id: UpdateID?
  var key: String?
  var priority = 0
  var quietPeriod: Duration?
  var notBefore: WallTime?
  var deadline: WallTime?
  var onDeadline = OnDeadline.expire

  /// `now`: what spans of `notBefore` and `deadline` count from.
  init(body: [UInt8], now: WallTime) throws(Problem) {
    let request = try Self.decode(Data(body))
    handler = request.handler
    parameters = request.parameters ?? [:]
    payload = try Self.payload(request)
    if let text = request.id {
      guard let id = UpdateID(text) else {
        throw Problem(code: "badID", message: "an id is 1 to 64 of A-Z a-z 0-9 . _ -", field: "id")
      }
      self.id = id
    }
    try readOrder(request)
    try readTimes(request, now)
  }

  private mutating func readOrder(_ request: SubmitRequest) throws(Problem) {
    key = request.key
    if let key, key.isEmpty || key.utf8.count > Self.longestKey {
      throw Problem(code: "badKey", message: "a key has 1 to \(Self.longestKey) bytes", field: "key")
    }
    priority = request.priority ?? 0
    guard Self.priorities.contains(priority) else {
      throw Problem(code: "badPriority", message: "a priority is a number from -100 to 100", field: "priority")
    }
    if let text = request.quietPeriod {
      let span = try Self.span(text, "quietPeriod")
      guard span <= Self.longestQuietPeriod else {
        throw Problem(code: "badTime", message: "a quiet period is at most 1 h", field: "quietPeriod")
      }
      quietPeriod = Self.coarse(span)
    }
  }

  private mutating func readTimes(_ request: SubmitRequest, _ now: WallTime) throws(Problem) {
    notBefore = try request.notBefore.map { text throws(Problem) in try Self.time(text, "notBefore", now) }
    deadline = try request.deadline.map { text throws(Problem) in try Self.time(text, "deadline", now) }
    if let text = request.onDeadline {
      guard let policy = OnDeadline(rawValue: text) else {
        let known = OnDeadline.allCases.map(\.rawValue).joined(separator: " or ")
        throw Problem(code: "badOnDeadline", message: "onDeadline is \(known)", field: "onDeadline")
      }
      if deadline == nil {
        throw Problem(code: "missingField", message: "onDeadline needs a deadline", field: "deadline")
      }
      onDeadline = policy
    }
    guard let deadline else { return }
    if deadline <= now {
      throw Problem(code: "badTime", message: "the deadline has passed already", field: "deadline")
    }
    if let notBefore, notBefore >= deadline {
      throw Problem(code: "badTime", message: "notBefore must lie before the deadline", field: "notBefore")
    }
  }

  static let longestKey = 200
  static let priorities = -100...100
  static let longestQuietPeriod: Duration = .seconds(3600)

  /// Rounded up, so that there are few different ones: a look costs as much as there are.
  private static func coarse(_ span: Duration) -> Duration {
    let step: Int64 = span <= .seconds(1) ? 10 : span <= .seconds(60) ? 100 : 1000
    let milliseconds = (span.wholeNanoseconds + 999_999) / 1_000_000
    return .milliseconds((milliseconds + step - 1) / step * step)
  }

  private static func span(_ text: String, _ field: String) throws(Problem) -> Duration {
    do throws(TimeSpan.Malformed) {
      return try TimeSpan.parse(text)
    } catch {
      throw Problem(code: "badTime", message: "\(error)", field: field)
    }
  }

  /// RFC 3339 in UTC, or a span from now.
  private static func time(_ text: String, _ field: String, _ now: WallTime) throws(Problem) -> WallTime {
    if let time = WallTime(rfc3339: text) { return time }
    guard let span = try? TimeSpan.parse(text) else {
      throw Problem(
        code: "badTime",
        message: "is neither a time such as 2026-11-30T02:14:07Z (RFC 3339, UTC) nor a span from now such as 30min",
        field: field)
    }
    guard span <= .seconds(10 * 365 * 86400) else {
      throw Problem(code: "badTime", message: "is more than ten years away", field: field)
    }
    return now + span
  }

  private static func payload(_ request: SubmitRequest) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    switch (request.payload, request.payloadBase64) {
    case (nil, nil):
      break
    case (let text?, nil):
      bytes = Array(text.utf8)
    case (nil, let base64?):
      guard let data = Data(base64Encoded: base64) else {
        throw Problem(code: "badBase64", message: "is not base64 (RFC 4648, with padding)", field: "payloadBase64")
      }
      bytes = Array(data)
    case (.some, .some):
      throw Problem(
        code: "conflictingFields", message: "give payload or payloadBase64, not both", field: "payloadBase64")
    }
    if bytes.count > Limits.payload {
      throw Problem(
        code: "payloadTooLarge", message: "the payload has \(bytes.count) bytes; at most \(Limits.payload) are taken",
        field: request.payload == nil ? "payloadBase64" : "payload")
    }
    return bytes
  }

  private static func decode(_ data: Data) throws(Problem) -> SubmitRequest {
    let decoder = JSONDecoder()
    do {
      let names = try decoder.decode(FieldNames.self, from: data).names
      if let unknown = names.subtracting(SubmitRequest.fields).min() {
        throw Problem(
          code: "unknownField",
          message: "there is no field '\(unknown)'; known are \(SubmitRequest.fields.sorted().joined(separator: ", "))",
          field: unknown)
      }
      return try decoder.decode(SubmitRequest.self, from: data)
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
      let keys = context.codingPath.map(\.stringValue) + (key.map { [$0.stringValue] } ?? [])
      return keys.isEmpty ? nil : keys.joined(separator: ".")
    }
    switch error {
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      guard let field = path(context) else {
        return Problem(code: "wrongType", message: "the body must be a JSON object")
      }
      return Problem(code: "wrongType", message: "'\(field)' must be \(name(type))", field: field)
    case .keyNotFound(let key, let context):
      let field = path(context, key) ?? key.stringValue
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
