public import HTTPTypes
public import TouchgateAPI

/// A refused call: the status, and the error for the client.
public struct CallRefusal: Error, Equatable, Sendable {
  /// 400 to 599.
  public let status: Int
  public let problem: Problem
  /// Further headers, such as Allow or Retry-After.
  public let headers: [HTTPHeader]

  public init(
    _ status: Int, _ code: String, _ message: String, field: String? = nil, blockers: [BlockerReply]? = nil,
    candidates: [CandidateReply]? = nil, headers: [HTTPHeader] = []
  ) {
    self.status = status
    problem = Problem(code: code, message: message, field: field, blockers: blockers, candidates: candidates)
    self.headers = headers
  }

  public var response: HTTPResponse { Replies.json(status, ProblemReply(problem), headers: headers) }
}

/// A table of refusals: one case per message, each with its status, code, text and field. Names of clients that a text
/// repeats are shortened there, so no message is longer than a few hundred characters.
public protocol ProblemText: Error, Equatable, Sendable {
  var refusal: CallRefusal { get }
}

extension CallRefusal {
  /// A client that asks again after 10 s may be lucky.
  static let retryLater = [HTTPHeader("Retry-After", "10")]
}

extension Collection<String> {
  /// `a, b and c` with the last word `and` or `or`.
  func listed(_ last: String) -> String {
    guard let end = Array(self).last, count > 1 else { return joined() }
    return "\(dropLast().joined(separator: ", ")) \(last) \(end)"
  }
}

/// The end of a message about an unknown name: `; known fields: a, b`.
func known(_ kind: String, _ names: some Collection<String>, none: String) -> String {
  names.isEmpty ? "; \(none)" : "; known \(kind): \(names.sorted().joined(separator: ", "))"
}
