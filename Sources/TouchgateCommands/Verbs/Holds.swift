import TouchgateAPI
import TouchgateClient

/// `holds`: prints one hold per line.
struct Holds: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    let list = try asking { () throws(ClientError) in try session.service.holds() }
    try session.print(list) { $0.holds.map { session.view.hold($0) + "\n" }.joined() }
    return .success
  }
}

extension Holds {
  init(_ arguments: Arguments) throws(UsageError) { self.init() }
}

/// `release ID`: ends a hold.
struct Release: Action {
  let id: String

  func run(_ session: Session) throws(Failure) -> ExitCode {
    try askingAboutOne { () throws(ClientError) in try session.service.release(hold: id) }
    return .success
  }
}

extension Release {
  init(_ arguments: Arguments) throws(UsageError) { id = try arguments.required(.holdID) }
}

extension View {
  /// `01J… by user 1000, process 4711 (shop.service) on lobby, 41 s, until 02:14:07: payment`
  func hold(_ hold: HoldReply) -> String {
    let unit = hold.unit.map { " (\(printable($0)))" } ?? ""
    let screen = hold.screen.map { " on \(printable($0))" } ?? ""
    var words = ["\(printable(hold.id)) by user \(hold.uid), process \(hold.pid)\(unit)\(screen)"]
    if let age = age(hold.since) { words.append(age) }
    if let until = hold.until { words.append("until \(clock(until))") }
    return words.joined(separator: ", ") + ": \(printable(hold.reason))"
  }
}
