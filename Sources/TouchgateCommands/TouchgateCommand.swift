import TouchgateClient

/// The command `touchgate`: does what the arguments (without the program's name) ask for and returns the exit status.
public func run(arguments: [String]) -> CInt {
  let invocation: Invocation
  do throws(UsageError) {
    invocation = try Invocation(parsing: arguments)
  } catch {
    StandardStream.error.report("\(error.reason)\n\(error.hint)")
    return ExitCode.usage.rawValue
  }
  let session = Session(
    service: TouchgateConnection(path: invocation.socket, timeout: .seconds(30)), json: invocation.json)
  do throws(Failure) {
    return try invocation.action.run(session).rawValue
  } catch {
    if let message = error.message { StandardStream.error.report(message) }
    return error.code.rawValue
  }
}
