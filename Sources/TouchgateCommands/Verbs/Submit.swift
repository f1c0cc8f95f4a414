import FoundationEssentials
import Glibc
import Linux
import TouchgateAPI
import TouchgateClient

/// `submit`: prints the ID once the update is durable.
struct Submit: Action {
  /// Without the payload. The service checks the values.
  var request: SubmitRequest
  /// A file, or `-` for standard input.
  var payload: String?
  /// Return when the update has ended: "" or a span of time.
  var wait: String?
  var dryRun = false
  var ifQuiet = false

  func run(_ session: Session) throws(Failure) -> ExitCode {
    var request = request
    if let payload { request.setPayload(try readPayload(payload)) }
    let service = wait == nil ? session.service : session.patient
    let update = try asking { () throws(ClientError) in
      try service.submit(request, wait: wait.map { $0.isEmpty ? "1d" : $0 }, dryRun: dryRun, ifQuiet: ifQuiet)
    }
    try session.print(update) { dryRun ? session.view.preview($0) : $0.id + "\n" }
    return wait == nil ? .success : try exitCode(ofEnded: update, session)
  }
}

extension Submit {
  init(_ arguments: Arguments) throws(UsageError) {
    let handler = try arguments.required(.handler)
    if handler.contains("=") { throw UsageError(.missingHandler(parameter: handler), verb: arguments.verb.name) }
    request = SubmitRequest(
      handler: handler, parameters: try Submit.parameters(arguments), clientId: arguments[.id], key: arguments[.key],
      priority: try arguments.number(.priority, expected: "a whole number from -100 to 100"),
      quietPeriod: arguments[.quiet], notBefore: arguments[.notBefore], deadline: arguments[.deadline],
      onDeadline: arguments[.onDeadline], screen: arguments[.screen])
    payload = arguments[.payload]
    wait = arguments[.wait]
    dryRun = arguments.has(.dryRun)
    ifQuiet = arguments.has(.ifQuiet)
  }

  /// Nil if there are none.
  private static func parameters(_ arguments: Arguments) throws(UsageError) -> [String: String]? {
    var parameters: [String: String] = [:]
    for text in arguments.all(.parameter) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw UsageError(.invalidParameter(text), verb: arguments.verb.name)
      }
      if parameters.updateValue(parts[1], forKey: parts[0]) != nil {
        throw UsageError(.duplicateParameter(parts[0]), verb: arguments.verb.name)
      }
    }
    return parameters.isEmpty ? nil : parameters
  }
}

extension SubmitRequest {
  /// As text if it is UTF-8, else as base64.
  mutating func setPayload(_ bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self) {
      payload = text
    } else {
      payloadBase64 = Data(bytes).base64EncodedString()
    }
  }
}

/// Reads a whole file, or standard input for `-`; at most `Limits.payload` bytes.
func readPayload(_ source: String) throws(Failure) -> [UInt8] {
  let bytes: [UInt8]
  do throws(Errno) {
    // A copy of standard input, so that the descriptor can be closed.
    let file = try source == "-" ? FileDescriptor(owning: dup(STDIN_FILENO)) : FileDescriptor(opening: source, O_RDONLY)
    bytes = try file.readToEnd(limit: Limits.payload + 1)
  } catch {
    throw Failure(.payloadUnreadable(source, error), code: .usage)
  }
  if bytes.count > Limits.payload {
    throw Failure(.payloadTooLarge(source == "-" ? "standard input" : source), code: .badRequest)
  }
  return bytes
}

extension View {
  /// `submit --dry-run`
  func preview(_ update: UpdateReply) -> String {
    if update.blockers.isEmpty { return "it would be applied now\n" }
    return update.blockers.map { "it would wait: \(blocker($0))\n" }.joined()
  }
}
