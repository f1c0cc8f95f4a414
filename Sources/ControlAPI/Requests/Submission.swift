import FoundationEssentials
public import Scheduling
public import Timeline
import TouchgateAPI

/// The body of `POST /v1/updates`, checked.
public struct Submission: Equatable, Sendable {
  public private(set) var handler: String
  public private(set) var parameters: [String: String]
  public private(set) var payload: [UInt8]
  /// What the client calls it; nil: nothing.
  public private(set) var clientID: ClientID?
  public internal(set) var key: String?
  public private(set) var priority = 0
  /// At most 1 h, rounded up to at most a few hundred different values; nil: the handler's.
  public private(set) var quietPeriod: Duration?
  public private(set) var notBefore: Moment?
  public internal(set) var deadline: Moment?
  /// Nil: not given. `expire` once the handler's terms are applied, unless they say otherwise.
  public internal(set) var onDeadline: OnDeadline?
  public internal(set) var screen: String?
  /// A digest of everything except `clientID`: the same content means the same update.
  public private(set) var content = ""

  static let longestKey = 200
  static let priorities = -100...100
  public static let longestQuietPeriod: Duration = .seconds(3600)
  private static let farthestTime: Duration = .seconds(10 * 365 * 86400)

  /// - Parameters:
  ///   - clocks: what time spans in `notBefore` and `deadline` count from.
  ///   - zone: where times without a zone are meant.
  public init(body: [UInt8], at clocks: Clocks, in zone: some LocalZone) throws(CallRefusal) {
    let request = try StrictJSON.decode(body, as: SubmitRequest.self, fields: SubmitRequest.fields)
    handler = request.handler
    parameters = request.parameters ?? [:]
    payload = try Self.payload(request)
    clientID = try Self.clientID(request)
    guard size - payload.count <= Limits.parameters else {
      throw BodyProblem.parametersTooLarge(bytes: size - payload.count).refusal
    }
    try readOrder(request)
    try readTimes(request, clocks, zone)
    content = Self.digest(
      self, notBefore: request.notBefore.map { Self.requested($0, notBefore) },
      deadline: request.deadline.map { Self.requested($0, deadline) })
  }

  /// Payload and parameters, in bytes.
  public var size: Int {
    parameters.reduce(payload.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
  }

  /// Only for a new update: one that is submitted again may have reached its deadline.
  public func checkDeadline(_ clocks: Clocks) throws(CallRefusal) {
    if let deadline, clocks.have(deadline) { throw BodyProblem.deadlinePassed.refusal }
  }

  /// The quiet period of a submission or a turn: at most 1 h, rounded up.
  static func quietPeriod(_ text: String) throws(CallRefusal) -> Duration {
    let span = try TimeSpan.requested(text, "quietPeriod")
    guard span <= longestQuietPeriod else {
      throw QueryProblem.timeSpanOver(field: "quietPeriod", limit: longestQuietPeriod).refusal
    }
    return coarse(span)
  }

  /// Rounded up, so that there are few different ones: a recheck costs as much as there are.
  private static func coarse(_ span: Duration) -> Duration {
    let step: Int64 = span <= .seconds(1) ? 10 : span <= .seconds(60) ? 100 : 1000
    let milliseconds = (span.wholeNanoseconds + 999_999) / 1_000_000
    return .milliseconds((milliseconds + step - 1) / step * step)
  }

  /// A time in one notation, or the time span.
  private static func requested(_ text: String, _ time: Moment?) -> String {
    if let time = TimeOfDay(text) { return time.text }
    if let span = try? TimeSpan.parse(text) { return "+\(span.wholeMilliseconds)" }
    if case .wall(let time) = time { return time.rfc3339 }
    return text
  }

  private static func clientID(_ request: SubmitRequest) throws(CallRefusal) -> ClientID? {
    if request.clientId != nil && request.id != nil { throw BodyProblem.twoIDs.refusal }
    guard let text = request.clientId ?? request.id else { return nil }
    guard let id = ClientID(text) else {
      throw BodyProblem.badID(field: request.clientId == nil ? "id" : "clientId").refusal
    }
    return id
  }

  private mutating func readOrder(_ request: SubmitRequest) throws(CallRefusal) {
    screen = request.screen
    key = request.key
    if let key, key.isEmpty || key.utf8.count > Self.longestKey { throw BodyProblem.badKey.refusal }
    priority = request.priority ?? 0
    guard Self.priorities.contains(priority) else { throw BodyProblem.badPriority.refusal }
    if let text = request.quietPeriod { quietPeriod = try Self.quietPeriod(text) }
  }

  private mutating func readTimes(
    _ request: SubmitRequest, _ clocks: Clocks, _ zone: some LocalZone
  ) throws(CallRefusal) {
    notBefore = try request.notBefore.map { text throws(CallRefusal) in
      try Self.time(text, "notBefore", clocks, zone, after: clocks.wall)
    }
    var earliest = clocks.wall
    if case .wall(let time) = notBefore { earliest = max(earliest, time) }
    deadline = try request.deadline.map { text throws(CallRefusal) in
      try Self.time(text, "deadline", clocks, zone, after: earliest)
    }
    if let text = request.onDeadline {
      guard let policy = OnDeadline(rawValue: text) else { throw BodyProblem.unknownOnDeadline.refusal }
      if deadline == nil { throw BodyProblem.onDeadlineAlone.refusal }
      onDeadline = policy
    }
    try checkOrder(clocks)
  }

  /// As far as it is known now which comes first.
  func checkOrder(_ clocks: Clocks) throws(CallRefusal) {
    guard let notBefore, let deadline else { return }
    let isWrong =
      switch (notBefore, deadline) {
      case (.wall(let first), .wall(let last)): first >= last
      case (.steady(let first), .steady(let last)): first >= last
      default:
        switch (clocks.remaining(until: notBefore), clocks.remaining(until: deadline)) {
        case (let first?, let last?): first >= last
        default: false
        }
      }
    if isWrong { throw BodyProblem.notBeforeAfterDeadline.refusal }
  }

  /// A time such as 04:00, the next one after `earliest`; RFC 3339; or a time span from now.
  private static func time(
    _ text: String, _ field: String, _ clocks: Clocks, _ zone: some LocalZone, after earliest: WallTime
  ) throws(CallRefusal) -> Moment {
    if let time = WallTime(rfc3339: text) { return .wall(time) }
    if let time = TimeOfDay(text) {
      return clocks.isSet ? .wall(zone.next(time, after: earliest)) : .daily(time)
    }
    guard let span = try? TimeSpan.requested(text, field) else { throw BodyProblem.badTime(field: field).refusal }
    guard span <= farthestTime else { throw BodyProblem.timeTooFar(field: field).refusal }
    return .steady(clocks.steady + span)
  }

  private static func payload(_ request: SubmitRequest) throws(CallRefusal) -> [UInt8] {
    var bytes: [UInt8] = []
    switch (request.payload, request.payloadBase64) {
    case (nil, nil):
      break
    case (let text?, nil):
      bytes = Array(text.utf8)
    case (nil, let base64?):
      guard let data = Data(base64Encoded: base64) else { throw BodyProblem.badBase64.refusal }
      bytes = Array(data)
    case (.some, .some):
      throw BodyProblem.bothPayloads.refusal
    }
    if bytes.count > Limits.payload {
      let field = request.payload == nil ? "payloadBase64" : "payload"
      throw BodyProblem.payloadTooLarge(bytes: bytes.count, field: field).refusal
    }
    return bytes
  }
}
