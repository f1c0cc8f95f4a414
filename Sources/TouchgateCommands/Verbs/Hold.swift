import FoundationEssentials
import Glibc
import Linux
import Timeline
import TouchgateAPI
import TouchgateClient

/// `hold --why TEXT`: holds while the command runs, for a time, or until it is interrupted.
struct Hold: Action {
  let request: HoldRequest
  /// Empty if there is none.
  let command: [String]
  /// The command runs without a hold if there is none to be had.
  var runsAnyway = false

  func run(_ session: Session) throws(Failure) -> ExitCode {
    if !command.isEmpty { return try runCommand(session) }
    if request.ttl == nil { return try holdOn(session) }
    let hold = try asking { () throws(ClientError) in try session.service.hold(request) }
    try session.print(hold) { $0.id + "\n" }
    return .success
  }

  private func runCommand(_ session: Session) throws(Failure) -> ExitCode {
    let (stream, hold): (ReplyStream, HoldReply?)
    do throws(Failure) {
      stream = try askingToStart { () throws(ClientError) in try session.patient.boundHold(request) }
      hold = try askingToStart({ () throws(ClientError) in try stream.nextLine() }).flatMap(Self.hold)
    } catch {
      if !runsAnyway { throw error }
      StandardStream.error.report("updates may be applied while the command runs: \(error.message ?? "no hold")")
      return try runToEnd(command)
    }
    return try runToEnd(command, watching: StreamWatch("hold", hold?.id, stream, session.service, orHold: request))
  }

  /// Prints the hold and returns when it has ended. After a restart of the service, asks for it again.
  private func holdOn(_ session: Session) throws(Failure) -> ExitCode {
    var request = request
    var stream = try asking { () throws(ClientError) in try session.patient.boundHold(request) }
    while true {
      while let line = try asking({ () throws(ClientError) in try stream.nextLine() }) {
        if let end = try? JSONDecoder().decode(TurnEndReply.self, from: Data(line)) {
          throw Failure(.holdEnded(end.ended), code: .tryAgain)
        }
        if session.json {
          try session.print(bytes: line + [UInt8(ascii: "\n")])
        } else if let hold = Self.hold(line), hold.id != request.resumes {
          try session.print(hold.id + "\n")
        }
        request.resumes = Self.hold(line)?.id
      }
      guard request.resumes != nil, let again = takeAgain(request, session.service) else {
        throw Failure(.holdEnded("touchgated was stopped"), code: .tryAgain)
      }
      stream = again
    }
  }

  /// Nil: the service is not back in time.
  private func takeAgain(_ request: HoldRequest, _ service: TouchgateConnection) -> ReplyStream? {
    let end = SystemClock.monotonic + StreamWatch.patience
    while SystemClock.monotonic < end {
      if let stream = try? StreamWatch.takeAgain(request, service) { return stream }
      _ = poll(nil, 0, 100)
    }
    return nil
  }

  private static func hold(_ line: [UInt8]) -> HoldReply? {
    try? JSONDecoder().decode(HoldReply.self, from: Data(line))
  }
}

extension Hold {
  init(_ arguments: Arguments) throws(UsageError) {
    request = HoldRequest(
      reason: try arguments.required(.why), screen: arguments[.screen], ttl: arguments[.for])
    command = arguments.command
    runsAnyway = arguments.has(.orRun)
  }
}
