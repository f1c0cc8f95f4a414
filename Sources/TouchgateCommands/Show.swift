import TouchgateAPI
import TouchgateClient

/// `show ID` and `status ID`: one update, all of it.
func show(_ id: String, _ session: Session) throws(Failure) -> ExitCode {
  let update: UpdateReply
  do throws(ClientError) {
    update = try session.service.update(id)
  } catch {
    if case .refused(status: 404, _) = error { throw Failure(message: error.description, code: .noSuchID) }
    throw Failure(error)
  }
  if session.json { try session.printJSON(update) } else { try session.print(session.view.fields(update)) }
  return .done
}
