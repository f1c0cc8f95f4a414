import TouchgateAPI
import TouchgateClient

/// `status` without an ID. That the service is not running is an answer, on standard output.
struct Status: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    let status: StatusReply
    do throws(ClientError) {
      status = try session.service.status()
    } catch {
      guard case .notRunning = error else { throw Failure(error) }
      try session.print(absenceProblem(error)) { _ in absenceLine(error) + "\n" }
      return .notRunning
    }
    try session.print(status, as: session.view.block)
    return .success
  }
}

extension Status {
  static func action(_ arguments: Arguments) throws(UsageError) -> any Action {
    if let update = try arguments.update(.updateID) { return Show(update: update) }
    return arguments.has(.watch) ? Watch() : Status()
  }
}
