import HTTPTypes

/// Errors of a call as a whole: its path and method, the names it refers to, and the rights of its caller.
public enum CallProblem: ProblemText {
  // Routing
  case fromWebPage
  case unknownPath(String)
  case wrongMethod(path: String, allowed: [String])
  case notJSON(contentType: String?)
  // Names that the configuration does not have
  case unknownHandler(String, known: [String])
  case unknownScreen(String, known: [String])
  /// `message`: the configuration's.
  case badParameter(String, message: String)
  case noDelivery(handler: String, file: String)
  // Permission
  case lacksRight(uid: UInt32, Right)
  case handlerForbidden(uid: UInt32, handler: String, file: String)
  case updateOfOther(uid: UInt32)
  case holdOfOther(uid: UInt32)
  case turnOfOther(uid: UInt32)
  case deliveryOfOther(id: String)
  // The service
  case stopping
  case internalError(String)

  public var refusal: CallRefusal {
    switch self {
    case .fromWebPage:
      CallRefusal(403, "originRefused", "permission denied: requests from web pages are refused")
    case .unknownPath(let path): CallRefusal(404, "noSuchPath", "unknown path \(path.shortened)")
    case .wrongMethod(let path, let allowed):
      CallRefusal(
        405, "wrongMethod", "method not allowed; \(path.shortened) accepts \(allowed.listed("and"))",
        headers: [HTTPHeader("Allow", allowed.joined(separator: ", "))])
    case .notJSON(let type):
      CallRefusal(
        415, "notJSON",
        "unsupported Content-Type '\((type ?? "").shortened)'; send JSON with Content-Type: application/json")
    case .unknownHandler(let name, let names):
      CallRefusal(
        400, "unknownHandler",
        "unknown handler '\(name.shortened)'"
          + known("handlers", names, none: "no handlers are configured; add one to handlers.d"), field: "handler")
    case .unknownScreen(let name, let names):
      CallRefusal(
        400, "unknownScreen",
        "unknown screen '\(name.shortened)'\(known("screens", names, none: "there are no screens"))", field: "screen")
    case .badParameter(let name, let message):
      CallRefusal(400, "badParameter", message, field: "parameters.\(name.shortened)")
    case .noDelivery(let handler, let file):
      CallRefusal(
        400, "noDelivery",
        "handler '\(handler)' does not deliver to applications; set Deliver=yes in \(file) to change that",
        field: "handler")
    case .lacksRight(let uid, let right):
      CallRefusal(
        403, "notPermitted",
        "permission denied: user \(uid) lacks the right \(right.rawValue)= ([Rights] in touchgate.conf)")
    case .handlerForbidden(let uid, let handler, let file):
      CallRefusal(
        403, "notPermitted",
        "permission denied: user \(uid) is not allowed to use handler '\(handler)' "
          + "(AllowUsers= and AllowGroups= in \(file))", field: "handler")
    case .updateOfOther(let uid):
      CallRefusal(
        403, "notYours",
        "permission denied: the update belongs to user \(uid); access requires the right \(Right.admin.rawValue)=")
    case .holdOfOther(let uid):
      CallRefusal(
        403, "notYours",
        "permission denied: the hold belongs to user \(uid); releasing it requires the right \(Right.admin.rawValue)=")
    case .turnOfOther(let uid):
      CallRefusal(
        403, "notYours",
        "permission denied: the turn belongs to user \(uid); ending it requires the right \(Right.admin.rawValue)=")
    case .deliveryOfOther(let id):
      CallRefusal(
        403, "notYours", "permission denied: update '\(id.shortened)' was delivered to another user")
    case .stopping: CallRefusal(503, "stopping", "touchgated is stopping; try again when it is running")
    case .internalError(let text): CallRefusal(500, "internal", text)
    }
  }
}
