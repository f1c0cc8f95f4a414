/// What a request asks for. The names are the operation ids of docs/openapi.yaml; associated values are the `{id}` of the
/// path.
public enum Call: Equatable, Sendable {
  case about
  case contract
  case status
  case screens
  case forgetScreen
  case submit
  case list
  case show(String)
  case cancel(String)
  case payload(String)
  case parameters(String)
  case expedite(String)
  case force(String)
  case retry(String)
  case wait(String)
  case why(String)
  case whyAll
  case quiet
  case turn
  case turns
  case endTurn(String)
  case hold
  case holds
  case release(String)
  case pause
  case resume
  case feedback
  case events
  case receive
  case acknowledge(String)
  case refuse(String)
  case metrics

  /// Whether the answer may come late or stay open. A hold's answer does so without a `ttl`, which is in its body.
  public func mayStayOpen(_ query: Query) -> Bool {
    switch self {
    case .submit: query["wait"] != nil
    case .wait, .quiet, .turn, .events, .receive: true
    default: false
    }
  }

  /// Without associated values: `show`.
  public var name: String { String("\(self)".prefix { $0 != "(" }) }
}
