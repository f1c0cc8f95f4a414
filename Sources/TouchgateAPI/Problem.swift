/// The body of every error reply: `{"error":{"code","message","field"?,"blockers"?}}`.
public struct ProblemReply: Codable, Equatable, Sendable {
  public var error: Problem

  public init(_ error: Problem) { self.error = error }
}

/// What was wrong, where and what to do; worded for the person reading it.
public struct Problem: Codable, Equatable, Sendable, Error {
  /// A word for programs, stable: `unknownField`, `unknownHandler`, `malformedJSON`, `bodyTooLarge`, …
  public var code: String
  public var message: String
  /// The request field it is about, as a path: `parameters.url`.
  public var field: String?
  public var blockers: [BlockerReply]?

  public init(code: String, message: String, field: String? = nil, blockers: [BlockerReply]? = nil) {
    self.code = code
    self.message = message
    self.field = field
    self.blockers = blockers
  }
}
