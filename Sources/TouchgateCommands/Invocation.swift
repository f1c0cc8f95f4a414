/// What the arguments ask for.
struct Invocation: Equatable {
  /// `--socket`; nil: the environment's, else the usual one.
  var socket: String?
  var json: Bool
  var verb: Verb

  enum Verb: Equatable {
    case submit(Submission)
    case status
    case watch
    case list(state: String?, limit: Int?)
    case show(id: String)
    case help(VerbName?)
    case version
  }

  init(parsing arguments: [String]) throws(UsageError) {
    let scanned = try ScannedArguments(arguments)
    socket = scanned.options[.socket]
    json = scanned.options[.json] != nil
    if scanned.options[.help] != nil {
      verb = .help(scanned.verb)
      return
    }
    guard let name = scanned.verb else {
      throw UsageError("say what to do: \(VerbName.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    var operands = scanned.operands[...]
    switch name {
    case .submit:
      verb = .submit(
        try Submission(operands: operands, payload: scanned.options[.payload], id: scanned.options[.id]))
      operands = []
    case .status:
      let id = operands.popFirst()
      switch (id, scanned.options[.watch] != nil) {
      case (nil, false): verb = .status
      case (nil, true): verb = .watch
      case (let id?, false): verb = .show(id: id)
      case (_?, true): throw UsageError("--watch is about the screens and takes no id", verb: .status)
      }
    case .list:
      verb = .list(state: scanned.options[.state], limit: try limit(scanned.options[.limit]))
    case .show:
      guard let id = operands.popFirst() else { throw UsageError("say which update: show ID", verb: .show) }
      verb = .show(id: id)
    case .help:
      let topic = try operands.popFirst().map { text throws(UsageError) in try VerbName(parsing: text) }
      verb = .help(topic)
    case .version:
      verb = .version
    }
    if let extra = operands.first { throw UsageError("'\(extra)' is one argument too many", verb: name) }
  }
}

/// `submit`'s arguments.
struct Submission: Equatable {
  var handler: String
  var parameters: [String: String]
  /// A file, or `-` for standard input.
  var payload: String?
  var id: String?

  init(handler: String, parameters: [String: String] = [:], payload: String? = nil, id: String? = nil) {
    self.handler = handler
    self.parameters = parameters
    self.payload = payload
    self.id = id
  }

  init(operands: ArraySlice<String>, payload: String?, id: String?) throws(UsageError) {
    guard let handler = operands.first else {
      throw UsageError("say which handler: submit HANDLER [NAME=VALUE…]", verb: .submit)
    }
    if handler.contains("=") {
      throw UsageError("the handler comes first, and '\(handler)' is a parameter", verb: .submit)
    }
    self.init(handler: handler, payload: payload, id: id)
    for operand in operands.dropFirst() {
      let parts = operand.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw UsageError("'\(operand)' is not a parameter; write NAME=VALUE", verb: .submit)
      }
      if parameters.updateValue(parts[1], forKey: parts[0]) != nil {
        throw UsageError("parameter '\(parts[0])' is given twice", verb: .submit)
      }
    }
  }
}

private func limit(_ text: String?) throws(UsageError) -> Int? {
  guard let text else { return nil }
  guard let number = Int(text), number > 0 else {
    throw UsageError("--limit '\(text)' is not a number of updates; write 1 or more", verb: .list)
  }
  return number
}
