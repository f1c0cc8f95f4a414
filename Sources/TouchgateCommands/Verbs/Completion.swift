/// `completion bash`: prints the script that completes command lines in a shell.
struct Completion: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    try session.print(BashCompletion.script)
    return .success
  }
}

extension Completion {
  init(_ arguments: Arguments) throws(UsageError) { self.init() }
}
