import TouchgateAPI
import TouchgateClient

/// `why ID`: all that blocks one update.
func why(_ id: String, _ session: Session) throws(Failure) -> ExitCode {
  let update = try askingAboutOne { () throws(ClientError) in try session.service.update(id) }
  if session.json { try session.printJSON(update) } else { try session.print(session.view.blockers(update)) }
  return .done
}

/// `why` without an id: all that blocks everything that waits, oldest first; and what ended unapplied in the last day.
func whyAll(_ session: Session) throws(Failure) -> ExitCode {
  let why = try asking { () throws(ClientError) in try session.service.why() }
  if session.json {
    try session.printJSON(why)
  } else {
    try session.print(session.view.blockersOfAll(why.waiting) + session.view.endsOfAll(why.unapplied))
  }
  return .done
}
