import Glibc
import Timeline
import TouchgateClient

/// The command `touchgate`: does what the arguments (without the program's name) say and returns the exit code.
public func run(arguments: [String]) -> CInt {
  let invocation: Invocation
  do throws(UsageError) {
    invocation = try Invocation(parsing: arguments)
  } catch {
    StandardStream.error.write("touchgate: \(error.message)\n\(error.hint)\n")
    return ExitCode.usage.rawValue
  }
  do throws(Failure) {
    return try perform(invocation).rawValue
  } catch {
    if let message = error.message { StandardStream.error.write("touchgate: \(message)\n") }
    return error.code.rawValue
  }
}

private func perform(_ invocation: Invocation) throws(Failure) -> ExitCode {
  let session = Session(
    service: TouchgateConnection(path: invocation.socket, timeout: .seconds(30)), json: invocation.json)
  switch invocation.verb {
  case .submit(let submission): return try submit(submission, session)
  case .status: return try status(session)
  case .watch: return try watch(session)
  case .list(let state, let limit): return try list(state: state, limit: limit, session)
  case .show(let id): return try show(id, session)
  case .payload(let id): return try showPayload(id, session)
  case .parameter(let id, let name): return try showParameter(id, name, session)
  case .why(let id?): return try why(id, session)
  case .why(nil): return try whyAll(session)
  case .cancel(let id):
    return try change(session) { service throws(ClientError) in try service.cancel(id) }
  case .apply(let id):
    return try change(session) { service throws(ClientError) in try service.apply(id) }
  case .force(let id):
    return try change(session) { service throws(ClientError) in try service.force(id) }
  case .retry(let id):
    return try change(session) { service throws(ClientError) in try service.retry(id) }
  case .pause(let reason): return try pause(reason, session)
  case .resume: return try resume(session)
  case .waitForUpdate(let id, let timeout): return try waitFor(id, timeout: timeout, session)
  case .waitForQuiet(let span, let screen, let timeout):
    return try waitForQuiet(span, screen: screen, timeout: timeout, session)
  case .run(let turn, let timeout, let command): return try runInTurn(command, turn, timeout: timeout, session)
  case .hold(let request, let command):
    return command.isEmpty ? try hold(request, session) : try runHolding(command, request, session)
  case .holds: return try holds(session)
  case .release(let id): return try release(id, session)
  case .screens: return try screens(session)
  case .events(let since): return try events(since: since, session)
  case .feedback(let kind, let command): return try feedback(kind, command: command, session)
  case .feedbackSelfTest: return try feedbackSelfTest(session)
  case .help(let topic):
    try session.print(helpText(topic))
    return .done
  case .version: return try version(session)
  }
}
