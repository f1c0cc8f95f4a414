import TouchgateAPI

/// Of the command; the service tells its own in `GET /v1/status`.
let commandVersion = Version.text

func version(_ session: Session) throws(Failure) -> ExitCode {
  if session.json {
    try session.printJSON(["version": commandVersion])
  } else {
    try session.print("touchgate \(commandVersion)\n")
  }
  return .done
}
