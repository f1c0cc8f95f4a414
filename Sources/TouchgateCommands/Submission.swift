import TouchgateAPI

/// `submit`'s arguments.
struct Submission: Equatable {
  /// Without the payload. Whether a value will do, the service says.
  var request: SubmitRequest
  /// A file, or `-` for standard input.
  var payload: String?
  /// Wait for its end: "" as long as it takes, else a span of time.
  var wait: String?
  var dryRun = false
  var ifQuiet = false

  init(_ request: SubmitRequest, payload: String? = nil) {
    self.request = request
    self.payload = payload
  }

  init(operands: ArraySlice<String>, options: [Option: String]) throws(UsageError) {
    guard let handler = operands.first else {
      throw UsageError("say which handler: submit HANDLER [NAME=VALUE…]", verb: .submit)
    }
    if handler.contains("=") {
      throw UsageError("the handler comes first, and '\(handler)' is a parameter", verb: .submit)
    }
    request = SubmitRequest(
      handler: handler, parameters: try parameters(operands.dropFirst()), id: options[.id], key: options[.key],
      priority: try priority(options[.priority]), quietPeriod: options[.quiet], notBefore: options[.notBefore],
      deadline: options[.deadline], onDeadline: options[.onDeadline], screen: options[.screen])
    payload = options[.payload]
    wait = options[.wait]
    dryRun = options[.dryRun] != nil
    ifQuiet = options[.ifQuiet] != nil
  }
}

/// nil where there are none.
private func parameters(_ operands: ArraySlice<String>) throws(UsageError) -> [String: String]? {
  var parameters: [String: String] = [:]
  for operand in operands {
    let parts = operand.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw UsageError("'\(operand)' is not a parameter; write NAME=VALUE", verb: .submit)
    }
    if parameters.updateValue(parts[1], forKey: parts[0]) != nil {
      throw UsageError("parameter '\(parts[0])' is given twice", verb: .submit)
    }
  }
  return parameters.isEmpty ? nil : parameters
}

private func priority(_ text: String?) throws(UsageError) -> Int? {
  guard let text else { return nil }
  guard let number = Int(text) else {
    throw UsageError("--priority '\(text)' is not a whole number; write -100 to 100, higher is first", verb: .submit)
  }
  return number
}
