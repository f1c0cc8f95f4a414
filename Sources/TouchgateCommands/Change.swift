import TouchgateAPI
import TouchgateClient

/// `cancel ID`: without a word, as the exit code says all.
func cancel(_ id: String, _ session: Session) throws(Failure) -> ExitCode {
  let update = try askingAboutOne { () throws(ClientError) in try session.service.cancel(id) }
  if session.json { try session.printJSON(update) }
  return .done
}

/// `apply ID`: as `cancel`.
func apply(_ id: String, _ session: Session) throws(Failure) -> ExitCode {
  let update = try askingAboutOne { () throws(ClientError) in try session.service.apply(id) }
  if session.json { try session.printJSON(update) }
  return .done
}
