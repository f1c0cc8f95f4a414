import TouchgateAPI
import TouchgateClient

/// `holds`: prints one hold or turn per line.
struct Holds: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    let list = try asking { () throws(ClientError) in try session.service.holds() }
    try session.print(list) { list in
      (list.holds.map(session.view.hold) + (list.turns ?? []).map(session.view.turn)).map { $0 + "\n" }.joined()
    }
    return .success
  }
}

extension Holds {
  init(_ arguments: Arguments) throws(UsageError) { self.init() }
}

/// `release ID`: ends a hold or a turn.
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
    owned(
      hold.id, uid: hold.uid, pid: hold.pid, unit: hold.unit, screen: hold.screen, since: hold.since, until: hold.until,
      reason: hold.reason)
  }

  /// `01J… by user 1000, process 4711 on lobby, 41 s, until 02:14:07: turn: apt upgrade`
  func turn(_ turn: TurnStateReply) -> String {
    let state = turn.startedAt == nil ? "waits for a turn" : "turn"
    return owned(
      turn.id, uid: turn.uid, pid: turn.pid, unit: turn.unit, screen: turn.screen, since: turn.startedAt ?? turn.since,
      until: turn.until, reason: state + (turn.reason.isEmpty ? "" : ": \(turn.reason)"))
  }

  /// `why`: one line per turn, and below it one line per blocker.
  func turns(_ turns: [TurnStateReply]) -> String {
    turns.map { state in
      turn(state) + "\n" + (state.blockers ?? []).map { "  \(blocker($0))\n" }.joined()
    }.joined()
  }

  private func owned(
    _ id: String, uid: UInt32, pid: Int32, unit: String?, screen: String?, since: String, until: String?, reason: String
  ) -> String {
    let unit = unit.map { " (\(printable($0)))" } ?? ""
    let screen = screen.map { " on \(printable($0))" } ?? ""
    var words = ["\(printable(id)) by user \(uid), process \(pid)\(unit)\(screen)"]
    if let age = age(since) { words.append(age) }
    if let until { words.append("until \(clock(until))") }
    return words.joined(separator: ", ") + ": \(printable(reason))"
  }
}
