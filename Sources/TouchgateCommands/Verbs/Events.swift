import TouchgateClient

/// `events`: prints one line of JSON per event, until it is interrupted or the service stops.
struct Events: Action {
  /// The number of the last event that is known; nil: only new ones.
  let since: Int64?

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let stream = try asking { () throws(ClientError) in try session.patient.events(since: since) }
    while let line = try asking({ () throws(ClientError) in try stream.nextLine() }) {
      try session.print(bytes: line + [UInt8(ascii: "\n")])
    }
    throw Failure(.eventsEnded, code: .unavailable)
  }
}

extension Events {
  init(_ arguments: Arguments) throws(UsageError) {
    since = try arguments.number(.since, atLeast: 0, expected: "a whole number, 0 or more")
  }
}
