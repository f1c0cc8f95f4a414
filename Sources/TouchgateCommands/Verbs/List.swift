import TouchgateAPI
import TouchgateClient

/// `list`: prints one update per line.
struct List: Action {
  let state: String?
  let limit: Int?

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let updates = try asking { () throws(ClientError) in try session.service.updates(state: state, limit: limit) }
    try session.print(UpdateListReply(updates: updates)) { session.view.table($0.updates) }
    return .success
  }
}

extension List {
  init(_ arguments: Arguments) throws(UsageError) {
    state = arguments[.state]
    limit = try arguments.number(.limit, atLeast: 1, expected: "a whole number, 1 or more")
  }
}
