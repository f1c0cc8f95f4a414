import TouchgateAPI
import TouchgateClient

/// `cancel`, `apply`, `force`, `retry`: without a word, as the exit code says all.
func change(
  _ session: Session, _ call: (TouchgateConnection) throws(ClientError) -> UpdateReply
) throws(Failure) -> ExitCode {
  let update = try askingAboutOne { () throws(ClientError) in try call(session.service) }
  if session.json { try session.printJSON(update) }
  return .done
}

/// `pause --why TEXT`: nothing is applied until `resume`.
func pause(_ reason: String?, _ session: Session) throws(Failure) -> ExitCode {
  let pause = try asking { () throws(ClientError) in try session.service.pause(reason: reason) }
  if session.json { try session.printJSON(pause) }
  return .done
}

func resume(_ session: Session) throws(Failure) -> ExitCode {
  try asking { () throws(ClientError) in try session.service.resume() }
  return .done
}
