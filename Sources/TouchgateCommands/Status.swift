import TouchgateAPI
import TouchgateClient

/// `status` without an id. That the service does not run is an answer, on standard output.
func status(_ session: Session) throws(Failure) -> ExitCode {
  let reply: StatusReply
  do throws(ClientError) {
    reply = try session.service.status()
  } catch {
    guard case .notRunning = error else { throw Failure(error) }
    if session.json { try session.printJSON(absenceProblem(error)) } else { try session.print("not running\n") }
    return .notRunning
  }
  if session.json { try session.printJSON(reply) } else { try session.print(session.view.block(reply)) }
  return .done
}
