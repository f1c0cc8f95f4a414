import TouchgateAPI
import TouchgateClient

/// `show ID` and `status ID`: one update, all of it.
func show(_ id: String, _ session: Session) throws(Failure) -> ExitCode {
  let update = try askingAboutOne { () throws(ClientError) in try session.service.update(id) }
  if session.json { try session.printJSON(update) } else { try session.print(session.view.fields(update)) }
  return .done
}
