/// One update as the service shows it. Fields may be added, but are never renamed.
public struct UpdateReply: Codable, Equatable, Sendable {
  /// The service's ID, which alone names the update in paths and is unique.
  public var id: String
  /// The ID that its client gave it, unique among the updates of its user; nil: none.
  public var clientId: String?
  /// The user who submitted it; nil: a service of an older version does not say.
  public var uid: UInt32?
  public var handler: String
  public var key: String?
  /// `waiting`, `applying`, `applied`, `failed`, `superseded`, `cancelled` or `expired`.
  public var state: String
  /// RFC 3339, UTC.
  public var createdAt: String
  /// How many times its handler was started.
  public var attempts: Int
  /// Rechecks since the service accepted the update; nil once it has ended.
  public var checks: Int?
  /// Everything that it is waiting for; empty once it is being applied or has ended.
  public var blockers: [BlockerReply]
  /// How long each blocker has blocked it, in milliseconds by code, while the service was running; of several at the
  /// same time each counts. Final once the update has ended.
  public var blockedMs: [String: Int64]?
  /// The only screen that it waits for; nil: all screens.
  public var screen: String?
  /// -100 to 100; higher is applied first.
  public var priority: Int?
  /// How long no screen may have been touched, such as `30s`; nil: as the handler or the service says.
  public var quietPeriod: String?
  /// When it is applied at the earliest: RFC 3339, UTC, or, while the clock is not known to be right, a time such as
  /// `04:00`. A time span is given as the time at which it ends by the present clock.
  public var notBefore: String?
  /// When `onDeadline` takes effect, written as `notBefore`.
  public var deadline: String?
  /// `expire`, `apply` or `force`; nil: there is no deadline.
  public var onDeadline: String?
  /// Codes of the blockers that were overridden when it was forced.
  public var overrode: [String]?
  public var result: ResultReply?

  public init(
    id: String, clientId: String? = nil, uid: UInt32? = nil, handler: String, key: String? = nil, state: String,
    createdAt: String, attempts: Int, checks: Int?, blockers: [BlockerReply], blockedMs: [String: Int64]? = nil,
    screen: String? = nil, priority: Int? = nil, quietPeriod: String? = nil, notBefore: String? = nil,
    deadline: String? = nil, onDeadline: String? = nil, overrode: [String]? = nil, result: ResultReply?
  ) {
    self.priority = priority
    self.quietPeriod = quietPeriod
    self.notBefore = notBefore
    self.deadline = deadline
    self.onDeadline = onDeadline
    self.blockedMs = blockedMs
    self.clientId = clientId
    self.uid = uid
    self.screen = screen
    self.overrode = overrode
    self.id = id
    self.handler = handler
    self.key = key
    self.state = state
    self.createdAt = createdAt
    self.attempts = attempts
    self.checks = checks
    self.blockers = blockers
    self.result = result
  }
}

/// How an update ended.
public struct ResultReply: Codable, Equatable, Sendable {
  /// Exit status of the handler; nil if it did not exit (killed, or not started).
  public var exitCode: Int?
  /// What happened, for people; after a failure with the end of the handler's output.
  public var message: String
  public var finishedAt: String
  /// Milliseconds from the end of the last contact to the start of the handler; nil if nothing was touched when the
  /// update was submitted.
  public var releaseToStartMs: Int64?
  /// The ID of the update that superseded it.
  public var successor: String?

  public init(
    exitCode: Int?, message: String, finishedAt: String, releaseToStartMs: Int64?, successor: String? = nil
  ) {
    self.successor = successor
    self.exitCode = exitCode
    self.message = message
    self.finishedAt = finishedAt
    self.releaseToStartMs = releaseToStartMs
  }
}

/// Why an update is not applied yet: a code for programs, the rest for people.
public struct BlockerReply: Codable, Equatable, Sendable {
  /// `touched`, `settling`, `unknown`, `order`, `applying`, …
  public var code: String
  /// Since when it has blocked: RFC 3339, UTC.
  public var since: String
  public var screen: String?
  public var device: String?
  public var contacts: Int?
  public var owner: String?
  public var reason: String?
  /// What clears it, such as `when the last contact ends`.
  public var clears: String

  public init(
    code: String, since: String, screen: String? = nil, device: String? = nil, contacts: Int? = nil,
    owner: String? = nil, reason: String? = nil, clears: String
  ) {
    self.code = code
    self.since = since
    self.screen = screen
    self.device = device
    self.contacts = contacts
    self.owner = owner
    self.reason = reason
    self.clears = clears
  }
}

/// `GET /v1/updates`.
public struct UpdateListReply: Codable, Equatable, Sendable {
  public var updates: [UpdateReply]

  public init(updates: [UpdateReply]) { self.updates = updates }
}
