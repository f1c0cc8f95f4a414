enum VerbName: String, CaseIterable {
  case submit, status, list, show, why, cancel, apply, force, retry, wait, run, hold, holds, release, pause, resume
  case screens, events, feedback, help, version

  init(parsing text: String) throws(UsageError) {
    guard let known = VerbName(rawValue: text) else {
      let near = nearest(text, VerbName.allCases.map(\.rawValue))
      throw UsageError("there is no '\(text)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
    }
    self = known
  }

  /// Beside those that every verb has.
  var options: [Option] {
    switch self {
    case .submit:
      [.payload, .id, .key, .priority, .quiet, .notBefore, .deadline, .onDeadline, .screen, .wait, .dryRun, .ifQuiet]
    case .wait: [.quiet, .screen, .timeout]
    case .run: [.quiet, .screen, .timeout, .guard]
    case .hold: [.why, .for, .screen]
    case .events: [.since]
    case .status: [.watch]
    case .list: [.state, .limit]
    case .feedback: [.selfTest]
    case .pause: [.why]
    case .show: [.payload, .param]
    case .why, .cancel, .apply, .force, .retry, .holds, .release, .resume, .screens, .help, .version: []
    }
  }
}

enum Option: String, CaseIterable {
  case json, help, socket, payload, id, key, priority, quiet, deadline, watch, state, limit, screen, why, wait, timeout,
    since, param
  case `for`, `guard`
  case notBefore = "not-before"
  case selfTest = "self-test"
  case onDeadline = "on-deadline"
  case dryRun = "dry-run"
  case ifQuiet = "if-quiet"

  static let common: [Option] = [.json, .help, .socket]

  var takesValue: Bool {
    switch self {
    case .socket, .payload, .id, .key, .priority, .quiet, .notBefore, .deadline, .onDeadline, .state, .limit, .screen,
      .why, .timeout, .since, .for, .param:
      true
    case .json, .help, .watch, .wait, .dryRun, .ifQuiet, .guard, .selfTest: false
    }
  }
}

struct UsageError: Error, Equatable {
  let message: String
  let verb: VerbName?

  init(_ message: String, verb: VerbName? = nil) {
    self.message = message
    self.verb = verb
  }

  var hint: String { "Try: touchgate \(verb.map { $0.rawValue + " " } ?? "")--help" }
}

/// Options and operands told apart. Options may stand anywhere, `--name VALUE` or `--name=VALUE`; after `--` all are
/// operands.
struct ScannedArguments {
  var verb: VerbName?
  var operands: [String] = []
  /// After `--`, for a verb that runs it.
  var command: [String] = []
  /// The value is "" for an option that takes none.
  var options: [Option: String] = [:]

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        if verb == .feedback || verb == .run || verb == .hold {
          command = Array(rest)
        } else {
          for operand in rest { try add(operand) }
        }
        break
      } else if argument == "-h" {
        options[.help] = ""
      } else if argument.hasPrefix("-") && argument != "-" {
        try addOption(argument, &rest)
      } else {
        try add(argument)
      }
    }
    guard let verb else {
      if options[.help] == nil, let option = options.keys.first(where: { !Option.common.contains($0) }) {
        throw UsageError("--\(option.rawValue) needs a verb before it")
      }
      return
    }
    for option in options.keys.sorted(by: { $0.rawValue < $1.rawValue })
    where !Option.common.contains(option) && !verb.options.contains(option) {
      throw UsageError("'\(verb.rawValue)' has no option --\(option.rawValue)", verb: verb)
    }
  }

  private mutating func add(_ operand: String) throws(UsageError) {
    if verb == nil { verb = try VerbName(parsing: operand) } else { operands.append(operand) }
  }

  private mutating func addOption(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
    let parts = argument.drop { $0 == "-" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      .map(String.init)
    if argument == "--version" {
      try add(VerbName.version.rawValue)
      return
    }
    guard argument.hasPrefix("--"), let name = parts.first, let option = Option(rawValue: name) else {
      let near = nearest(parts.first ?? "", Option.allCases.map(\.rawValue))
      throw UsageError(
        "there is no option '\(argument)'" + (near.map { "; did you mean --\($0)?" } ?? ""), verb: verb)
    }
    var value = ""
    // `show` asks for what `submit` gives.
    if option.takesValue && !(verb == .show && option == .payload) {
      guard let given = parts.count == 2 ? parts[1] : rest.popFirst() else {
        throw UsageError("--\(name) needs a value", verb: verb)
      }
      value = given
    } else if parts.count == 2, option == .wait {
      value = parts[1]
    } else if parts.count == 2 {
      throw UsageError("--\(name) takes no value", verb: verb)
    }
    if options.updateValue(value, forKey: option) != nil {
      throw UsageError("--\(name) is given twice", verb: verb)
    }
  }
}

/// The known word that differs from `text` in the fewest letters; nil where none is near.
func nearest(_ text: String, _ known: [String]) -> String? {
  let near = known.map { (word: $0, distance: distance(text, $0)) }.min { $0.distance < $1.distance }
  guard let near, near.distance <= max(1, near.word.count / 3) else { return nil }
  return near.word
}

/// Letters to insert, delete, replace or swap with their neighbour to get from one word to the other.
private func distance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a), Array(b))
  var rows = [Array(0...b.count)]
  for i in 0..<a.count {
    var row = [i + 1]
    for j in 0..<b.count {
      var best = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
      row.append(best)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}
