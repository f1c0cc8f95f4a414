import TouchgateAPI
import TouchgateClient

/// `cancel`, `apply`, `force`, `retry`: changes one update. Prints nothing; with `--json` the update.
struct Change: Action {
  enum Kind { case cancel, apply, force, retry }

  let kind: Kind
  let update: ChosenUpdate

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let service = session.service
    let changed = try askingAboutOne { () throws(ClientError) in
      switch kind {
      case .cancel: try service.cancel(update.id, user: update.user)
      case .apply: try service.apply(update.id, user: update.user)
      case .force: try service.force(update.id, user: update.user)
      case .retry: try service.retry(update.id, user: update.user)
      }
    }
    if session.json { try session.printJSON(changed) }
    return .success
  }
}

extension Change {
  static func cancel(_ arguments: Arguments) throws(UsageError) -> any Action {
    Change(kind: .cancel, update: try arguments.requiredUpdate(.waitingID))
  }

  static func apply(_ arguments: Arguments) throws(UsageError) -> any Action {
    Change(kind: .apply, update: try arguments.requiredUpdate(.waitingID))
  }

  static func force(_ arguments: Arguments) throws(UsageError) -> any Action {
    Change(kind: .force, update: try arguments.requiredUpdate(.waitingID))
  }

  static func retry(_ arguments: Arguments) throws(UsageError) -> any Action {
    Change(kind: .retry, update: try arguments.requiredUpdate(.updateID))
  }
}
