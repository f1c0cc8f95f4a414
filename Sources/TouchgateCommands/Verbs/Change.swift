import TouchgateAPI
import TouchgateClient

/// `cancel`, `apply`, `force`, `retry`: changes one update. Prints nothing; with `--json` the update.
struct Change: Action {
  enum Kind { case cancel, apply, force, retry }

  let kind: Kind
  let id: String

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let service = session.service
    let update = try askingAboutOne { () throws(ClientError) in
      switch kind {
      case .cancel: try service.cancel(id)
      case .apply: try service.apply(id)
      case .force: try service.force(id)
      case .retry: try service.retry(id)
      }
    }
    if session.json { try session.printJSON(update) }
    return .success
  }
}

extension Change {
  static func cancel(_ arguments: Arguments) throws(UsageError) -> any Action {
    Change(kind: .cancel, id: try arguments.required(.waitingID))
  }

  static func apply(_ arguments: Arguments) throws(UsageError) -> any Action {
    Change(kind: .apply, id: try arguments.required(.waitingID))
  }

  static func force(_ arguments: Arguments) throws(UsageError) -> any Action {
    Change(kind: .force, id: try arguments.required(.waitingID))
  }

  static func retry(_ arguments: Arguments) throws(UsageError) -> any Action {
    Change(kind: .retry, id: try arguments.required(.updateID))
  }
}
