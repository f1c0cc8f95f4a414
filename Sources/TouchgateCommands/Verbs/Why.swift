import TouchgateAPI
import TouchgateClient

/// `why ID`: prints every blocker of one update.
struct Why: Action {
  let id: String

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let update = try askingAboutOne { () throws(ClientError) in try session.service.update(id) }
    try session.print(update, as: session.view.blockers)
    return .success
  }
}

extension Why {
  static func action(_ arguments: Arguments) throws(UsageError) -> any Action {
    if let id = arguments[.updateID] { return Why(id: id) }
    return WhyAll()
  }
}

/// `why` without an ID: prints the blockers of all waiting updates, oldest first, then the updates of the last day that
/// were not applied.
struct WhyAll: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    let why = try asking { () throws(ClientError) in try session.service.why() }
    try session.print(why) { session.view.blockersOfAll($0.waiting) + session.view.endsOfAll($0.unapplied) }
    return .success
  }
}
