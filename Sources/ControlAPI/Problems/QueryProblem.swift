public import Timeline

/// What can be wrong with a query, and with the values that a query and a body have in common.
public enum QueryProblem: ProblemText {
  case unknownParameter(String, known: Set<String>)
  case duplicate(String)
  case missing(String)
  /// Neither 0 nor 1.
  case notAFlag(String)
  case badTimeSpan(field: String, TimeSpan.Malformed)
  case longTimeSpan(field: String)
  case timeSpanOver(field: String, limit: Duration)
  case badLimit
  case badUser
  case badSince
  case unknownState(String, known: Set<String>)

  public var refusal: CallRefusal {
    switch self {
    case .unknownParameter(let name, let names):
      CallRefusal(
        400, "unknownField",
        "unknown query parameter '\(name.shortened)'\(known("parameters", names, none: "this call takes none"))",
        field: name.shortened)
    case .duplicate(let name):
      CallRefusal(400, "givenTwice", "duplicate query parameter '\(name)'", field: name)
    case .missing(let name):
      CallRefusal(400, "missingField", "query parameter '\(name)' is required", field: name)
    case .notAFlag(let name): CallRefusal(400, "badValue", "'\(name)' must be 0 or 1", field: name)
    case .badTimeSpan(let field, .empty):
      CallRefusal(400, "badTime", "'\(field)' must be a time span such as 1s, 5min or 1h 30min", field: field)
    case .badTimeSpan(let field, let reason): CallRefusal(400, "badTime", "\(reason)", field: field)
    case .longTimeSpan(let field):
      CallRefusal(400, "badTime", "a time span has at most \(TimeSpan.longestText) bytes", field: field)
    case .timeSpanOver(let field, let limit):
      CallRefusal(400, "badTime", "'\(field)' must be at most \(TimeSpan.describe(limit))", field: field)
    case .badLimit: CallRefusal(400, "badLimit", "'limit' must be a number from 1 to 1000", field: "limit")
    case .badUser: CallRefusal(400, "badValue", "'user' must be the number of a user, such as 1000", field: "user")
    case .badSince:
      CallRefusal(400, "badSince", "'since' must be the number of an event, 0 or more", field: "since")
    case .unknownState(let name, let names):
      CallRefusal(
        400, "badState", "unknown state '\(name.shortened)'\(known("states", names, none: "there are none"))",
        field: "state")
    }
  }
}
