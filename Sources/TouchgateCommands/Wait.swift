import TouchgateAPI
import TouchgateClient

/// `wait ID`: until it has ended.
func waitFor(_ id: String, timeout: String?, _ session: Session) throws(Failure) -> ExitCode {
  let update = try askingAboutOne { () throws(ClientError) in try session.patient.wait(for: id, timeout: timeout) }
  if session.json { try session.printJSON(update) }
  return try verdict(update, session)
}

/// `wait --quiet D`: until an update with this quiet period would be applied.
func waitForQuiet(
  _ span: String?, screen: String?, timeout: String?, _ session: Session
) throws(Failure) -> ExitCode {
  try asking { () throws(ClientError) in
    try session.patient.waitForQuiet(span, screen: screen, timeout: timeout)
  }
  if session.json { try session.printJSON(QuietReply()) }
  return .done
}

/// How an update that was waited for ended. One that was superseded is as good as its successor, which is waited for in
/// turn.
func verdict(_ update: UpdateReply, _ session: Session) throws(Failure) -> ExitCode {
  switch update.state {
  case "applied": return .done
  case "waiting", "applying": return .tryAgain
  case "superseded":
    guard let successor = update.result?.successor else { return .otherwise }
    let next = try askingAboutOne { () throws(ClientError) in try session.patient.wait(for: successor) }
    return try verdict(next, session)
  default:
    StandardStream.error.write("touchgate: \(update.state): \(printable(update.result?.message ?? ""))\n")
    return .otherwise
  }
}
