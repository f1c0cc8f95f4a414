import FoundationEssentials
import TouchgateAPI
import TouchgateClient

/// `hold --why TEXT`: holds while the command runs, for a time, or until it is interrupted.
struct Hold: Action {
  let request: HoldRequest
  /// Empty if there is none.
  let command: [String]

  func run(_ session: Session) throws(Failure) -> ExitCode {
    if !command.isEmpty { return try runCommand(session) }
    if request.ttl == nil { return try holdOn(session) }
    let hold = try asking { () throws(ClientError) in try session.service.hold(request) }
    try session.print(hold) { $0.id + "\n" }
    return .success
  }

  private func runCommand(_ session: Session) throws(Failure) -> ExitCode {
    let stream = try askingToStart { () throws(ClientError) in try session.patient.boundHold(request) }
    return try runToEnd(command, watching: StreamWatch("hold", stream, session.service, orHold: request))
  }

  /// Prints the hold and returns when it has ended.
  private func holdOn(_ session: Session) throws(Failure) -> ExitCode {
    let stream = try asking { () throws(ClientError) in try session.patient.boundHold(request) }
    while let line = try asking({ () throws(ClientError) in try stream.nextLine() }) {
      if session.json {
        try session.print(bytes: line + [UInt8(ascii: "\n")])
      } else if let hold = try? JSONDecoder().decode(HoldReply.self, from: Data(line)) {
        try session.print(hold.id + "\n")
      }
    }
    throw Failure(.holdEnded, code: .tryAgain)
  }
}

extension Hold {
  init(_ arguments: Arguments) throws(UsageError) {
    request = HoldRequest(
      reason: try arguments.required(.why), screen: arguments[.screen], ttl: arguments[.for])
    command = arguments.command
  }
}
