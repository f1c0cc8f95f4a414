import TouchgateAPI
import TouchgateClient

/// `why ID`: prints every blocker of one update.
struct Why: Action {
  let update: ChosenUpdate

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let reply = try askingAboutOne { () throws(ClientError) in
      try session.service.update(update.id, user: update.user)
    }
    try session.print(reply, as: session.view.blockers)
    return .success
  }
}

extension Why {
  static func action(_ arguments: Arguments) throws(UsageError) -> any Action {
    if let update = try arguments.update(.updateID) { return Why(update: update) }
    return WhyAll()
  }
}

/// `why` without an ID: prints the blockers of all waiting updates, oldest first, then the updates of the last day that
/// were not applied.
struct WhyAll: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    let why = try asking { () throws(ClientError) in try session.service.why() }
    try session.print(why) { why in
      session.view.turns(why.turns ?? []) + session.view.blockersOfAll(why.waiting)
        + session.view.endsOfAll(why.unapplied) + session.view.warnings(why.warnings ?? [])
    }
    return .success
  }
}
