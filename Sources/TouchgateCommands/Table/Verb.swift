/// A row of the table of verbs. Parsing, help, man page and completion follow from it.
struct Verb: Sendable {
  /// The word on the command line.
  let name: String
  /// What it does, in one line, for the list of verbs.
  let summary: String
  /// The ways to call it. The first one that fits the arguments applies.
  let forms: [Form]
  /// What it does, in full sentences.
  let description: String
  let examples: [Example]
  /// Its exit statuses, if they mean more than `ExitMeaning.general` says.
  let exits: [ExitMeaning]
  /// What the arguments ask for. They fit one of the forms.
  let action: @Sendable (Arguments) throws(UsageError) -> any Action

  /// Every option of the verb, each once, without those that every verb takes.
  var options: [Option] { distinct(forms.flatMap(\.options)) }

  /// Every operand of the verb, each once.
  var operands: [Operand] { distinct(forms.flatMap(\.operands)) }

  /// Whether it runs the command after `--`.
  var runsCommand: Bool { forms.contains { $0.contains(.command) } }
}

/// What a command line asks for: a value that tests compare and `run` executes.
protocol Action: Equatable, Sendable {
  /// Does it and returns the exit status.
  func run(_ session: Session) throws(Failure) -> ExitCode
}

/// One way to call a verb: what must be given and what may be given. Operands have the order of the list.
struct Form: Sendable {
  let required: [Part]
  let optional: [Part]

  init(_ required: Part..., optional: [Part] = []) {
    self.required = required
    self.optional = optional
  }

  /// In the order of the synopsis: a command is last.
  var parts: [Part] {
    let all = required + optional
    return all.filter { $0 != .command } + all.filter { $0 == .command }
  }

  var options: [Option] {
    parts.compactMap { part in
      if case .option(let option) = part { option } else { nil }
    }
  }

  var operands: [Operand] {
    parts.compactMap { part in
      if case .operand(let operand) = part { operand } else { nil }
    }
  }

  func contains(_ part: Part) -> Bool { required.contains(part) || optional.contains(part) }
}

/// A part of a form.
enum Part: Hashable, Sendable {
  case operand(Operand)
  case option(Option)
  /// `-- COMMAND…`
  case command
}

/// An argument that is identified by its position.
struct Operand: Hashable, Sendable {
  /// As the synopsis shows it: `HANDLER`.
  let name: String
  let help: String
  var candidates = Candidates.unknown
  /// It may be given any number of times.
  var repeats = false
}

/// An argument that is identified by its name: `--name`.
struct Option: Hashable, Sendable {
  /// Without the dashes.
  let name: String
  var value = OptionValue.none
  let help: String

  /// As it is written: `--name`.
  var text: String { "--\(name)" }
}

/// Whether an option takes a value, and how the synopsis calls it.
enum OptionValue: Hashable, Sendable {
  case none
  case required(String, Candidates = .unknown)
  /// Only as `--name=VALUE`.
  case optional(String)
}

/// What completion offers for a value or an operand.
enum Candidates: Hashable, Sendable {
  case unknown
  /// Nothing else is allowed.
  case words([String])
  case files
  case verbs
  /// The first word of each line that this call of touchgate prints.
  case printed(by: String)
}

/// A command line that works, and what it is for.
struct Example: Hashable, Sendable {
  let line: String
  /// Nil: the line explains itself.
  let purpose: String?

  init(_ line: String, _ purpose: String? = nil) {
    self.line = line
    self.purpose = purpose
  }
}

/// What an exit status means.
struct ExitMeaning: Hashable, Sendable {
  /// A number, or `N` if the status is somebody else's.
  let status: String
  let meaning: String

  init(_ code: ExitCode, _ meaning: String) {
    status = "\(code.rawValue)"
    self.meaning = meaning
  }

  init(_ status: String, _ meaning: String) {
    self.status = status
    self.meaning = meaning
  }
}

private func distinct<Item: Hashable>(_ items: [Item]) -> [Item] {
  var seen: Set<Item> = []
  return items.filter { seen.insert($0).inserted }
}
