import TouchgateAPI
import TouchgateClient

/// `wait ID`: returns when the update has ended.
struct Wait: Action {
  let update: ChosenUpdate
  let timeout: String?

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let ended = try askingAboutOne { () throws(ClientError) in
      try session.patient.wait(for: update.id, user: update.user, timeout: timeout)
    }
    if session.json { try session.printJSON(ended) }
    return try exitCode(ofEnded: ended, session)
  }
}

extension Wait {
  static func action(_ arguments: Arguments) throws(UsageError) -> any Action {
    if let update = try arguments.update(.waitingID) { return Wait(update: update, timeout: arguments[.timeout]) }
    return WaitForQuiet(
      quietPeriod: arguments[.quiet], screen: arguments[.screen], timeout: arguments[.timeout])
  }
}

/// `wait [--quiet TIME]`: returns when an update with this quiet period would be applied.
struct WaitForQuiet: Action {
  let quietPeriod: String?
  let screen: String?
  let timeout: String?

  func run(_ session: Session) throws(Failure) -> ExitCode {
    try asking { () throws(ClientError) in
      try session.patient.waitForQuiet(quietPeriod, screen: screen, timeout: timeout)
    }
    if session.json { try session.printJSON(QuietReply()) }
    return .success
  }
}

/// The exit status for an update that was waited for, for `wait` and `submit --wait`. If it was superseded, waits for
/// its successor.
func exitCode(ofEnded update: UpdateReply, _ session: Session) throws(Failure) -> ExitCode {
  switch update.state {
  case "applied": return .success
  case "waiting", "applying": return .tryAgain
  case "superseded":
    if let successor = update.result?.successor {
      let next = try askingAboutOne { () throws(ClientError) in try session.patient.wait(for: successor) }
      return try exitCode(ofEnded: next, session)
    }
  default: break
  }
  throw Failure(.notApplied(state: update.state, message: update.result?.message ?? ""), code: .failure)
}
