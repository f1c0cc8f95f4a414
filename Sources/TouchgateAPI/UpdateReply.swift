/// One update as the socket shows it. Fields may be added, never renamed.
public struct UpdateReply: Codable, Equatable, Sendable {
  public var id: String
  public var handler: String
  public var key: String?
  /// `waiting`, `applying`, `applied`, `failed`, …
  public var state: String
  /// RFC 3339, UTC.
  public var createdAt: String
  /// How often its handler was started.
  public var attempts: Int
  /// How often the service has looked again since it accepted the update; nil once it has ended.
  public var checks: Int?
  /// What it waits for, all of it; empty once it is being applied or has ended.
  public var blockers: [BlockerReply]
  /// How long each blocker was in its way, in milliseconds, by code; of several at once each counts. While the
  /// service ran; once it has ended, what it was then.
  public var blockedMs: [String: Int64]?
  /// The one screen that it waits for; nil: for all.
  public var screen: String?
  /// What was in its way when it was forced: codes.
  public var overrode: [String]?
  public var result: ResultReply?

  public init(
    id: String, handler: String, key: String? = nil, state: String, createdAt: String, attempts: Int, checks: Int?,
    blockers: [BlockerReply], blockedMs: [String: Int64]? = nil, screen: String? = nil, overrode: [String]? = nil,
    result: ResultReply?
  ) {
    self.blockedMs = blockedMs
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
  /// The handler's exit status; nil where it did not exit (killed, could not start).
  public var exitCode: Int?
  /// What happened, in words, with the tail of the handler's output where it failed.
  public var message: String
  public var finishedAt: String
  /// From the instant the last contact ended to the handler's start, in milliseconds; nil where nothing was
  /// touched when the update came.
  public var releaseToStartMs: Int64?
  /// The update that took its place, where it was superseded.
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
  /// RFC 3339, UTC: since when it blocks.
  public var since: String
  public var screen: String?
  public var device: String?
  public var contacts: Int?
  public var owner: String?
  public var reason: String?
  /// What ends it.
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
