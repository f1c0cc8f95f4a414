/// One row of the table of endpoints: a method and a path, what such a request may contain, and the call it makes.
public struct Endpoint: Sendable {
  public enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
  }

  /// A name that the query may contain.
  public struct QueryParameter: Equatable, Sendable, ExpressibleByStringLiteral {
    public let name: String
    public var isRequired = false
    /// Whether it may be given several times.
    public var isRepeatable = false

    public init(stringLiteral name: String) { self.name = name }

    static func required(_ name: String) -> QueryParameter {
      var parameter = QueryParameter(stringLiteral: name)
      parameter.isRequired = true
      return parameter
    }

    static func repeatable(_ name: String) -> QueryParameter {
      var parameter = QueryParameter(stringLiteral: name)
      parameter.isRepeatable = true
      return parameter
    }
  }

  /// Whether a body is read, and which fields it may have.
  public enum Body: Equatable, Sendable {
    /// Only an empty one, or an object without fields, which some libraries always send.
    case none
    case optional(fields: Set<String>)
    case required(fields: Set<String>)

    public var fields: Set<String> {
      switch self {
      case .none: []
      case .optional(let fields), .required(let fields): fields
      }
    }
  }

  public let method: Method
  /// As in docs/openapi.yaml: `/v1/updates/{id}`.
  public let path: String
  public let query: [QueryParameter]
  public let body: Body
  private let segments: [Segment]
  private let makeCall: @Sendable (String) -> Call

  private enum Segment: Equatable {
    case fixed(String)
    /// `{id}`: not empty.
    case id
  }

  /// An endpoint whose path has an `{id}`.
  init(
    _ method: Method, _ path: String, _ makeCall: @escaping @Sendable (String) -> Call,
    query: [QueryParameter] = [], body: Body = .none
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
    self.makeCall = makeCall
    segments = Self.split(path).map { $0 == "{id}" ? .id : .fixed(String($0)) }
  }

  /// An endpoint whose path is fixed.
  init(_ method: Method, _ path: String, _ call: Call, query: [QueryParameter] = [], body: Body = .none) {
    self.init(method, path, { _ in call }, query: query, body: body)
  }

  /// The call for `path`; nil if it is another path.
  func call(_ path: String) -> Call? {
    let parts = Self.split(path)
    guard parts.count == segments.count else { return nil }
    var id = ""
    for (part, segment) in zip(parts, segments) {
      switch segment {
      case .fixed(let text): if part != text { return nil }
      case .id:
        if part.isEmpty { return nil }
        id = String(part)
      }
    }
    return makeCall(id)
  }

  private static func split(_ path: String) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: false)
  }
}
