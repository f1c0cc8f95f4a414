import TouchgateAPI
import TouchgateClient

/// `show ID` and `status ID`: one update, all of it.
func show(_ id: String, _ session: Session) throws(Failure) -> ExitCode {
  let update = try askingAboutOne { () throws(ClientError) in try session.service.update(id) }
  if session.json { try session.printJSON(update) } else { try session.print(session.view.fields(update)) }
  return .done
}

/// `show ID --payload`: its bytes as they were submitted, and nothing else.
func showPayload(_ id: String, _ session: Session) throws(Failure) -> ExitCode {
  try session.print(bytes: try askingAboutOne { () throws(ClientError) in try session.service.payload(of: id) })
  return .done
}

/// `show ID --param NAME`: its value, for a shell to take.
func showParameter(_ id: String, _ name: String, _ session: Session) throws(Failure) -> ExitCode {
  let parameters = try askingAboutOne { () throws(ClientError) in try session.service.parameters(of: id) }
  guard let value = parameters[name] else {
    throw Failure(message: "the update has no parameter '\(printable(name))'", code: .otherwise)
  }
  try session.print(value + "\n")
  return .done
}
