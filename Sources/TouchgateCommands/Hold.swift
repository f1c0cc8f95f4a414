import FoundationEssentials
import TouchgateAPI
import TouchgateClient

/// `hold --for D`: prints its id. Without `--for`: holds until the command is interrupted.
func hold(_ request: HoldRequest, _ session: Session) throws(Failure) -> ExitCode {
  if request.ttl != nil {
    let hold = try asking { () throws(ClientError) in try session.service.hold(request) }
    if session.json { try session.printJSON(hold) } else { try session.print(hold.id + "\n") }
    return .done
  }
  let stream = try asking { () throws(ClientError) in try session.patient.boundHold(request) }
  while let line = try asking({ () throws(ClientError) in try stream.nextLine() }) {
    let text = String(decoding: line, as: UTF8.self)
    if session.json {
      try session.print(text + "\n")
    } else if let hold = try? JSONDecoder().decode(HoldReply.self, from: Data(line)) {
      try session.print(hold.id + "\n")
    }
  }
  throw Failure(message: "the hold is over: it was released, or the service was stopped", code: .tryAgain)
}

/// `holds`: one a line.
func holds(_ session: Session) throws(Failure) -> ExitCode {
  let list = try asking { () throws(ClientError) in try session.service.holds() }
  if session.json {
    try session.printJSON(list)
  } else {
    try session.print(list.holds.map { session.view.hold($0) + "\n" }.joined())
  }
  return .done
}

func release(_ id: String, _ session: Session) throws(Failure) -> ExitCode {
  try askingAboutOne { () throws(ClientError) in try session.service.release(hold: id) }
  return .done
}

extension View {
  /// `01J… by user 1000, process 4711 (shop.service), 41 s, until 02:14:07 on lobby: payment`
  func hold(_ hold: HoldReply) -> String {
    let unit = hold.unit.map { " (\(printable($0)))" } ?? ""
    var words = ["\(printable(hold.id)) by user \(hold.uid), process \(hold.pid)\(unit)"]
    if let age = age(hold.since) { words.append(age) }
    if let until = hold.until { words.append("until \(clock(until))") }
    if let screen = hold.screen { words[words.count - 1] += " on \(printable(screen))" }
    return words.joined(separator: ", ") + ": \(printable(hold.reason))"
  }
}
