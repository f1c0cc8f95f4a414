import TouchgateAPI

/// `version`: prints the version of this command. The version of the service is in `GET /v1/status`.
struct PrintVersion: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    try session.print(["version": Version.text]) { _ in "touchgate \(Version.text)\n" }
    return .success
  }
}

extension PrintVersion {
  init(_ arguments: Arguments) throws(UsageError) { self.init() }
}
