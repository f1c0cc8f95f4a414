import Glibc
import Linux
import TouchgateAPI
import TouchgateClient

/// `feedback KIND [-- COMMAND…]`: plays the kind and, at the moment of the pulse, replaces this process by the command.
/// The command runs even if nothing can be felt.
struct Feedback: Action {
  let kind: String
  /// Empty if there is none.
  let command: [String]

  func run(_ session: Session) throws(Failure) -> ExitCode {
    if command.isEmpty {
      let reply = try asking { () throws(ClientError) in try session.service.play(kind) }
      if session.json { try session.printJSON(reply) }
      return .success
    }
    return try session.service.feedback(kind) { () throws(Failure) in try replaceProcess() }
  }

  /// execvp(3); returns only on an error.
  private func replaceProcess() throws(Failure) -> ExitCode {
    // Ignored signals would be inherited; this process ignores none.
    var words = command.map { strdup($0) } + [nil]
    execvp(command[0], &words)
    throw Failure(.cannotRun(command[0], Errno()), code: .notStarted)
  }
}

extension Feedback {
  static func action(_ arguments: Arguments) throws(UsageError) -> any Action {
    if arguments.has(.selfTest) { return FeedbackSelfTest() }
    return Feedback(kind: try arguments.required(.kind), command: arguments.command)
  }
}
