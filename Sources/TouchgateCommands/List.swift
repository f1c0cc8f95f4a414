import TouchgateAPI
import TouchgateClient

/// `list`: a line an update.
func list(state: String?, limit: Int?, _ session: Session) throws(Failure) -> ExitCode {
  let updates = try asking { () throws(ClientError) in try session.service.updates(state: state, limit: limit) }
  if session.json {
    try session.printJSON(UpdateListReply(updates: updates))
  } else {
    try session.print(session.view.table(updates))
  }
  return .done
}
