import HTTPTypes
import TouchgateAPI

/// What a request may bring besides its path, whatever the call does with it.
extension Call {
  /// The names that the query may have; what is not among them is refused.
  var queryNames: Set<String> {
    switch self {
    case .submit: ["wait", "dryRun", "ifQuiet"]
    case .list: ["state", "limit"]
    case .wait, .turn: ["timeout"]
    case .quiet: ["for", "screen", "timeout"]
    case .events: ["since"]
    case .receive: ["handler"]
    case .show, .payload, .parameters, .cancel, .hurry, .force, .retry, .pause, .resume, .why, .whyAll, .hold, .holds,
      .release, .screens, .contract, .acknowledge, .refuse, .status, .feedback, .about, .metrics:
      []
    }
  }

  /// Those of them that may stand several times.
  static let repeatable: Set<String> = ["state"]

  /// A call without a body takes none, or an object without fields, which some libraries always send.
  private var takesBody: Bool {
    switch self {
    case .submit, .pause, .turn, .hold, .refuse, .feedback: true
    case .list, .show, .payload, .parameters, .cancel, .hurry, .force, .retry, .resume, .wait, .why, .whyAll, .quiet,
      .holds, .release, .screens, .events, .contract, .receive, .acknowledge, .status, .about, .metrics:
      false
    }
  }

  /// Refuses a query, a body or a kind of body that the call does not know.
  func check(_ request: HTTPRequest) throws {
    try Query.check(request.query, known: queryNames, repeatable: Self.repeatable)
    if request.body.isEmpty { return }
    guard Self.isJSON(request.contentType) else {
      throw Daemon.Refusal(
        415,
        Problem(
          code: "notJSON",
          message: "a body of the type '\((request.contentType ?? "").shortened)' is not taken; send JSON, and say so: "
            + "Content-Type: application/json"))
    }
    if !takesBody { _ = try StrictJSON.decode(request.body, as: Nothing.self, fields: []) }
  }

  /// What is not said is JSON; and so is what curl says of `-d` where nothing else is said.
  private static func isJSON(_ contentType: String?) -> Bool {
    guard let contentType else { return true }
    let type = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    return type == "application/json" || type == "application/x-www-form-urlencoded"
  }

  private struct Nothing: Decodable {}
}
