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
  var screen: String?
  /// See `digest`.
  private(set) var content = ""

  /// `now`: what spans of `notBefore` and `deadline` count from.
  init(body: [UInt8], now: WallTime) throws(Problem) {
    let request = try StrictJSON.decode(body, as: SubmitRequest.self, fields: SubmitRequest.fields)
    handler = request.handler
    parameters = request.parameters ?? [:]
    payload = try Self.payload(request)
    if let text = request.id {
      guard let id = UpdateID(text) else {
        throw Problem(code: "badID", message: "an id is 1 to 64 of A-Z a-z 0-9 . _ -", field: "id")
      }
      self.id = id
    }
    guard size - payload.count <= Limits.parameters else {
      throw Problem(
        code: "parametersTooLarge",
        message: "the parameters have \(size - payload.count) bytes; at most \(Limits.parameters) are taken; "
          + "what is large belongs into the payload", field: "parameters")
    }
    try readOrder(request)
    try readTimes(request, now)
    content = Self.digest(
      self, notBefore: request.notBefore.map { Self.asked($0, notBefore) },
      deadline: request.deadline.map { Self.asked($0, deadline) })
  }

  /// Payload and parameters, in bytes.
  var size: Int {
    parameters.reduce(payload.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
  }

  /// A time, however it was written, or else the span.
  private static func asked(_ text: String, _ time: WallTime?) -> String {
    if let span = try? TimeSpan.parse(text) { return "+\(span.wholeMilliseconds)" }
    return time?.rfc3339 ?? text
  }

  private mutating func readOrder(_ request: SubmitRequest) throws(Problem) {
    screen = request.screen
    key = request.key
    if let key, key.isEmpty || key.utf8.count > Self.longestKey {
      throw Problem(code: "badKey", message: "a key has 1 to \(Self.longestKey) bytes", field: "key")
    }
    priority = request.priority ?? 0
    guard Self.priorities.contains(priority) else {
      throw Problem(code: "badPriority", message: "a priority is a number from -100 to 100", field: "priority")
    }
    if let text = request.quietPeriod {
      quietPeriod = try Self.quietPeriod(text)
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
    if let notBefore, notBefore >= deadline {
      throw Problem(code: "badTime", message: "notBefore must lie before the deadline", field: "notBefore")
    }
  }

  /// To be asked of a new update only: what is submitted again may have met its deadline.
  func checkDeadline(_ now: WallTime) throws(Problem) {
    guard let deadline, deadline <= now else { return }
    throw Problem(code: "badTime", message: "the deadline has passed already", field: "deadline")
  }

  static let longestKey = 200
  static let priorities = -100...100
  static let longestQuietPeriod: Duration = .seconds(3600)

  static func quietPeriod(_ text: String) throws(Problem) -> Duration {
    let span = try TimeSpan.asked(text, "quietPeriod")
    guard span <= Self.longestQuietPeriod else {
      throw Problem(code: "badTime", message: "a quiet period is at most 1 h", field: "quietPeriod")
    }
    return coarse(span)
  }

  /// Rounded up, so that there are few different ones: a look costs as much as there are.
  private static func coarse(_ span: Duration) -> Duration {
    let step: Int64 = span <= .seconds(1) ? 10 : span <= .seconds(60) ? 100 : 1000
    let milliseconds = (span.wholeNanoseconds + 999_999) / 1_000_000
    return .milliseconds((milliseconds + step - 1) / step * step)
  }

  /// RFC 3339 in UTC, or a span from now.
  private static func time(_ text: String, _ field: String, _ now: WallTime) throws(Problem) -> WallTime {
    if let time = WallTime(rfc3339: text) { return time }
    guard let span = try? TimeSpan.asked(text, field) else {
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
}
