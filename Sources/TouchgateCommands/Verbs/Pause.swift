import TouchgateAPI
import TouchgateClient

/// `pause [--why TEXT]`: stops applying updates until `resume`.
struct Pause: Action {
  let reason: String?

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let pause = try asking { () throws(ClientError) in try session.service.pause(reason: reason) }
    if session.json { try session.printJSON(pause) }
    return .success
  }
}

extension Pause {
  init(_ arguments: Arguments) throws(UsageError) { reason = arguments[.why] }
}

/// `resume`: ends a pause.
struct Resume: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    try asking { () throws(ClientError) in try session.service.resume() }
    return .success
  }
}

extension Resume {
  init(_ arguments: Arguments) throws(UsageError) { self.init() }
}
