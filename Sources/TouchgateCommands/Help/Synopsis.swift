/// How a verb is called, for help, errors and completion.
extension Form {
  /// `submit HANDLER [NAME=VALUE…] [--payload FILE]`: a word or a bracketed group each.
  func synopsis(of verb: Verb) -> [String] {
    [verb.name] + parts.map { required.contains($0) ? $0.synopsis : "[\($0.synopsis)]" }
  }

  /// `touchgate hold --why TEXT`: with what is required.
  func requiredCall(of verb: Verb) -> String {
    (["touchgate", verb.name] + parts.filter(required.contains).map(\.synopsis)).joined(separator: " ")
  }
}

extension Part {
  /// As errors name it.
  var name: String {
    switch self {
    case .operand(let operand): operand.name
    case .option(let option): option.text
    case .command: "COMMAND"
    }
  }

  var synopsis: String {
    switch self {
    case .operand(let operand): operand.name + (operand.repeats ? "…" : "")
    case .option(let option): option.synopsis
    case .command: "-- COMMAND…"
    }
  }
}

extension Option {
  var synopsis: String {
    switch value {
    case .none: text
    case .required(let name, _): "\(text) \(name)"
    case .optional(let name): "\(text)[=\(name)]"
    }
  }

  /// The name of its value; nil if it takes none.
  var valueName: String? {
    switch value {
    case .none: nil
    case .required(let name, _), .optional(let name): name
    }
  }
}
