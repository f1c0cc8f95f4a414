import TouchgateAPI

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
    case payload(id: String)
    case parameter(id: String, name: String)
    /// nil: of everything that waits.
    case why(id: String?)
    case cancel(id: String)
    case apply(id: String)
    case force(id: String)
    case retry(id: String)
    case pause(why: String?)
    case resume
    /// For the end of an update.
    case waitForUpdate(id: String, timeout: String?)
    case waitForQuiet(String?, screen: String?, timeout: String?)
    case run(TurnRequest, timeout: String?, command: [String])
    case hold(HoldRequest, command: [String])
    case holds
    case release(id: String)
    case screens
    case events(since: Int64?)
    /// `command` may be empty.
    case feedback(kind: String, command: [String])
    case feedbackSelfTest
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
      verb = .submit(try Submission(operands: operands, options: scanned.options))
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
      let id = try whichUpdate(&operands, name)
      switch (scanned.options[.payload], scanned.options[.param]) {
      case (nil, nil): verb = .show(id: id)
      case (.some, nil): verb = .payload(id: id)
      case (nil, let parameter?): verb = .parameter(id: id, name: parameter)
      case (.some, .some): throw UsageError("--payload and --param are two questions; ask one", verb: .show)
      }
    case .why:
      verb = .why(id: operands.popFirst())
    case .cancel:
      verb = .cancel(id: try whichUpdate(&operands, name))
    case .apply:
      verb = .apply(id: try whichUpdate(&operands, name))
    case .force:
      verb = .force(id: try whichUpdate(&operands, name))
    case .retry:
      verb = .retry(id: try whichUpdate(&operands, name))
    case .pause:
      verb = .pause(why: scanned.options[.why])
    case .resume:
      verb = .resume
    case .wait:
      let timeout = scanned.options[.timeout]
      if let id = operands.popFirst() {
        guard scanned.options[.quiet] == nil, scanned.options[.screen] == nil else {
          throw UsageError("wait for an update, or with --quiet for quiet", verb: .wait)
        }
        verb = .waitForUpdate(id: id, timeout: timeout)
      } else {
        verb = .waitForQuiet(scanned.options[.quiet], screen: scanned.options[.screen], timeout: timeout)
      }
    case .run:
      guard !scanned.command.isEmpty else { throw UsageError("say what to run: run -- COMMAND…", verb: .run) }
      verb = .run(
        TurnRequest(
          quietPeriod: scanned.options[.quiet], screen: scanned.options[.screen],
          guard: scanned.options[.guard] == nil ? nil : "grab"),
        timeout: scanned.options[.timeout], command: scanned.command)
    case .hold:
      guard let reason = scanned.options[.why] else { throw UsageError("say why: hold --why TEXT", verb: .hold) }
      if scanned.options[.for] != nil, !scanned.command.isEmpty {
        throw UsageError("--for ends the hold, or the command does; not both", verb: .hold)
      }
      verb = .hold(
        HoldRequest(reason: reason, screen: scanned.options[.screen], ttl: scanned.options[.for]),
        command: scanned.command)
    case .holds:
      verb = .holds
    case .release:
      guard let id = operands.popFirst() else { throw UsageError("say which hold: release ID", verb: .release) }
      verb = .release(id: id)
    case .screens:
      verb = .screens
    case .events:
      verb = .events(since: try number(scanned.options[.since], .since, .events))
    case .feedback:
      verb = try feedbackVerb(&operands, scanned)
    case .help:
      let topic = try operands.popFirst().map { text throws(UsageError) in try VerbName(parsing: text) }
      verb = .help(topic)
    case .version:
      verb = .version
    }
    if let extra = operands.first { throw UsageError("'\(extra)' is one argument too many", verb: name) }
  }
}

private func whichUpdate(_ operands: inout ArraySlice<String>, _ verb: VerbName) throws(UsageError) -> String {
  guard let id = operands.popFirst() else {
    throw UsageError("say which update: \(verb.rawValue) ID", verb: verb)
  }
  return id
}

private func number(_ text: String?, _ option: Option, _ verb: VerbName) throws(UsageError) -> Int64? {
  guard let text else { return nil }
  guard let number = Int64(text), number >= 0 else {
    throw UsageError("--\(option.rawValue) '\(text)' is not a number, 0 or more", verb: verb)
  }
  return number
}

private func feedbackVerb(
  _ operands: inout ArraySlice<String>, _ scanned: ScannedArguments
) throws(UsageError) -> Invocation.Verb {
  let kinds = feedbackKinds.joined(separator: ", ")
  let kind = operands.popFirst()
  switch (kind, scanned.options[.selfTest] != nil) {
  case (nil, true) where scanned.command.isEmpty:
    return .feedbackSelfTest
  case (_, true):
    throw UsageError("--self-test takes neither a kind nor a command", verb: .feedback)
  case (nil, false):
    throw UsageError("say which: \(kinds)", verb: .feedback)
  case (let kind?, false):
    guard feedbackKinds.contains(kind) else {
      let near = nearest(kind, feedbackKinds)
      throw UsageError(
        "there is no kind '\(kind)'; known are \(kinds)" + (near.map { "; did you mean '\($0)'?" } ?? ""),
        verb: .feedback)
    }
    return .feedback(kind: kind, command: scanned.command)
  }
}

private func limit(_ text: String?) throws(UsageError) -> Int? {
  guard let text else { return nil }
  guard let number = Int(text), number > 0 else {
    throw UsageError("--limit '\(text)' is not a number of updates; write 1 or more", verb: .list)
  }
  return number
}
