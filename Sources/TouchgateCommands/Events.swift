import TouchgateAPI
import TouchgateClient

/// `events`: a line of JSON each, until it is interrupted or the service stops.
func events(since: Int64?, _ session: Session) throws(Failure) -> ExitCode {
  let stream = try asking { () throws(ClientError) in try session.patient.events(since: since) }
  while let line = try asking({ () throws(ClientError) in try stream.nextLine() }) {
    try session.print(String(decoding: line, as: UTF8.self) + "\n")
  }
  throw Failure(message: "the service was stopped", code: .unavailable)
}

/// `screens`: one a line, with its devices below.
func screens(_ session: Session) throws(Failure) -> ExitCode {
  let list = try asking { () throws(ClientError) in try session.service.screens() }
  if session.json {
    try session.printJSON(list)
  } else {
    try session.print(list.screens.map(session.view.screen).joined())
  }
  return .done
}

extension View {
  func screen(_ screen: ScreenReply) -> String {
    var words = [printable(screen.state)]
    if screen.contacts > 0 { words.append(contactCount(screen.contacts)) }
    if let reason = screen.reason { words.append(printable(reason)) }
    if let age = age(screen.since) { words.append(age) }
    let devices = screen.devices.map {
      "  \(printable($0.node)) \(printable($0.name)), \(printable($0.path)): \(printable($0.health))\n"
    }
    return "\(printable(screen.name)): \(words.joined(separator: ", "))\n" + devices.joined()
  }

  /// `submit --dry-run`
  func preview(_ update: UpdateReply) -> String {
    if update.blockers.isEmpty { return "it would be applied now\n" }
    return update.blockers.map { "it would wait: \(blocker($0))\n" }.joined()
  }
}
