/// The body of every error reply: `{"error":{"code","message","field"?,"blockers"?,"candidates"?}}`.
public struct ProblemReply: Codable, Equatable, Sendable {
  public var error: Problem

  public init(_ error: Problem) { self.error = error }
}

/// What is wrong, where, and what to do, for the person who reads it.
public struct Problem: Codable, Equatable, Sendable, Error {
  /// For programs, stable: `unknownField`, `unknownHandler`, `malformedJSON`, `bodyTooLarge`, …
  public var code: String
  public var message: String
  /// The field of the request, as a path such as `parameters.url`.
  public var field: String?
  public var blockers: [BlockerReply]?
  /// The updates that an ID may mean.
  public var candidates: [CandidateReply]?

  public init(
    code: String, message: String, field: String? = nil, blockers: [BlockerReply]? = nil,
    candidates: [CandidateReply]? = nil
  ) {
    self.code = code
    self.message = message
    self.field = field
    self.blockers = blockers
    self.candidates = candidates
  }
}

/// One of several updates that have the same `clientId`.
public struct CandidateReply: Codable, Equatable, Sendable {
  public var id: String
  public var uid: UInt32

  public init(id: String, uid: UInt32) {
    self.id = id
    self.uid = uid
  }
}
