import FoundationEssentials
import TouchgateAPI
import TouchgateClient

/// `run -- COMMAND…`: waits for the caller's turn, runs the command in it, and returns its exit status. The turn ends
/// with the command, or with this process.
struct RunInTurn: Action {
  let turn: TurnRequest
  let timeout: String?
  let command: [String]

  func run(_ session: Session) throws(Failure) -> ExitCode {
    let stream = try askingToStart { () throws(ClientError) in try session.patient.turn(turn, timeout: timeout) }
    guard let line = try askingToStart({ () throws(ClientError) in try stream.nextLine() }) else {
      throw Failure(.noTurn, code: .notStarted)
    }
    let id = (try? JSONDecoder().decode(TurnReply.self, from: Data(line)))?.id
    let hold = HoldRequest(reason: turn.reason ?? "touchgate run", screen: turn.screen)
    return try runToEnd(command, watching: StreamWatch("turn", id, stream, session.service, orHold: hold))
  }
}

extension RunInTurn {
  init(_ arguments: Arguments) throws(UsageError) {
    turn = TurnRequest(
      quietPeriod: arguments[.quiet], screen: arguments[.screen], guard: arguments.has(.guard) ? "grab" : nil,
      reason: arguments[.why], max: arguments[.max])
    timeout = arguments[.timeout]
    command = arguments.command
  }
}
