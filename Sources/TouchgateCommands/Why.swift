import TouchgateAPI
import TouchgateClient

/// `why ID`: all that blocks one update.
func why(_ id: String, _ session: Session) throws(Failure) -> ExitCode {
  let update = try askingAboutOne { () throws(ClientError) in try session.service.update(id) }
  if session.json { try session.printJSON(update) } else { try session.print(session.view.blockers(update)) }
  return .done
}

/// `why` without an id: all that blocks everything that waits, oldest first.
func whyAll(_ session: Session) throws(Failure) -> ExitCode {
  // The service lists the newest first, and no more than this.
  let limit = 1000
  let newestFirst = try asking { () throws(ClientError) in
    try session.service.updates(state: "waiting", limit: limit)
  }
  let updates = Array(newestFirst.reversed())
  if updates.count == limit {
    StandardStream.error.write("touchgate: these are the newest \(limit) that wait; older ones may wait too\n")
  }
  if session.json {
    try session.printJSON(UpdateListReply(updates: updates))
  } else {
    try session.print(session.view.blockersOfAll(updates))
  }
  return .done
}
