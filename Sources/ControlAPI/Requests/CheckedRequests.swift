public import Scheduling
import Timeline
import TouchgateAPI

/// The body of `POST /v1/holds`, checked.
public struct CheckedHold: Equatable, Sendable {
  public let reason: String
  /// Nil: all screens. Whether the screen is known is not checked here.
  public let screen: String?
  /// How long the hold lasts, more than 0; nil: as long as the connection.
  public let ttl: Duration?
  /// The hold or turn that this one continues after a restart of the service; nil: none. It may have ended.
  public let resumes: HoldID?

  /// Longest reason of a hold, a turn or a pause, in bytes.
  public static let longestReason = 200

  /// `longest`: `MaxHold=`.
  public init(body: [UInt8], longest: Duration) throws(CallRefusal) {
    let request: HoldRequest = try StrictJSON.decode(body, fields: HoldRequest.fields)
    guard (1...Self.longestReason).contains(request.reason.utf8.count) else {
      throw BodyProblem.emptyReason(most: Self.longestReason).refusal
    }
    reason = request.reason
    screen = request.screen
    ttl = try request.ttl.map { text throws(CallRefusal) in
      guard let span = try? TimeSpan.requested(text, "ttl"), span > .zero, span <= longest else {
        throw BodyProblem.badTTL(most: longest).refusal
      }
      return span
    }
    let isBound = request.ttl == nil
    resumes = try request.resumes.map { text throws(CallRefusal) in
      guard let id = HoldID(text), isBound else { throw BodyProblem.badResumes.refusal }
      return id
    }
  }
}

/// The body of `POST /v1/turns`, checked; it may be empty.
public struct CheckedTurn: Equatable, Sendable {
  /// At most `Submission.longestQuietPeriod`; nil: the service's.
  public let quietPeriod: Duration?
  /// Nil: all screens. Whether the screen is known is not checked here.
  public let screen: String?
  /// At most 200 bytes; may be empty.
  public let reason: String
  /// Nil: as long as `longest` in `init` allows.
  public let longest: Duration?
  /// One of the names passed to `init`; nil: the default.
  public let guardKind: String?

  /// `guardKinds`: the values of `Guard=`. `longest`: `MaxTurn=`.
  public init(body: [UInt8], guardKinds: [String], longest: Duration) throws(CallRefusal) {
    let request = body.isEmpty ? TurnRequest() : try StrictJSON.decode(body, fields: TurnRequest.fields)
    if let kind = request.guard, !guardKinds.contains(kind) {
      throw BodyProblem.unknownGuard(known: guardKinds).refusal
    }
    if let reason = request.reason, reason.utf8.count > CheckedHold.longestReason {
      throw BodyProblem.longReason(most: CheckedHold.longestReason).refusal
    }
    quietPeriod = try request.quietPeriod.map { text throws(CallRefusal) in try Submission.quietPeriod(text) }
    screen = request.screen
    guardKind = request.guard
    reason = request.reason ?? ""
    let own = try request.max.map { text throws(CallRefusal) in try TimeSpan.requested(text, "max") }
    if let own, own > longest || own == .zero { throw BodyProblem.badMax(most: longest).refusal }
    self.longest = own ?? (longest == .forever ? nil : longest)
  }
}

/// The body of `POST /v1/pause`, checked; it may be empty.
public struct CheckedPause: Equatable, Sendable {
  /// Empty if none is given.
  public let reason: String

  public init(body: [UInt8]) throws(CallRefusal) {
    let request = body.isEmpty ? PauseRequest() : try StrictJSON.decode(body, fields: PauseRequest.fields)
    reason = request.reason ?? ""
    if reason.utf8.count > CheckedHold.longestReason {
      throw BodyProblem.longReason(most: CheckedHold.longestReason).refusal
    }
  }
}

/// The body of `POST /v1/deliveries/{id}/nack`, checked; it may be empty.
public struct CheckedNack: Equatable, Sendable {
  /// Empty if none is given.
  public let reason: String
  /// Not a failure: the update is tried again later.
  public let isLater: Bool

  /// Longest reason, in bytes.
  public static let longestReason = 1000

  public init(body: [UInt8]) throws(CallRefusal) {
    let request = body.isEmpty ? RefusalRequest() : try StrictJSON.decode(body, fields: RefusalRequest.fields)
    reason = request.reason ?? ""
    isLater = request.later ?? false
    if reason.utf8.count > Self.longestReason { throw BodyProblem.longReason(most: Self.longestReason).refusal }
  }
}

/// The body of `POST /v1/feedback`, checked.
public struct CheckedFeedback: Equatable, Sendable {
  /// One of the names passed to `init`.
  public let kind: String

  /// `kinds`: the kinds of feedback.
  public init(body: [UInt8], kinds: [String]) throws(CallRefusal) {
    kind = try StrictJSON.decode(body, as: FeedbackRequest.self, fields: FeedbackRequest.fields).kind
    if !kinds.contains(kind) { throw BodyProblem.unknownKind(kind, known: kinds).refusal }
  }
}
