/// Why a command line was not understood, and of which verb.
struct UsageError: Error, Equatable {
  let reason: Reason
  /// Nil: the verb is missing or unknown.
  let verb: String?

  init(_ reason: Reason, verb: String? = nil) {
    self.reason = reason
    self.verb = verb
  }

  /// The second line: where to read on.
  var hint: String { "Try: touchgate \(verb.map { $0 + " " } ?? "")--help" }

  /// Options are written with their dashes, and operands as in the synopsis.
  enum Reason: Equatable, CustomStringConvertible {
    case missingVerb(known: [String])
    case unknownVerb(String, near: String?)
    case unknownOption(String, near: String?)
    /// The option exists, but no verb that has it is given.
    case optionWithoutVerb(String)
    case optionOfAnotherVerb(String, verb: String)
    case duplicateOption(String)
    case missingValue(String)
    case unexpectedValue(String)
    /// `command`: the verb runs a command, which may have been meant.
    case unexpectedArgument(String, command: Bool)
    /// `expected`: what may be given, or how the verb is called with everything that it requires.
    case missingArgument(String, expected: String)
    case notCombinable(String, String)
    case invalidChoice(String, String, choices: [String], near: String?)
    case invalidNumber(String, String, expected: String)
    case unknownUser(String)
    case missingHandler(parameter: String)
    case invalidParameter(String)
    case duplicateParameter(String)

    var description: String {
      switch self {
      case .missingVerb(let known): "a verb is required: \(known.joined(separator: ", "))"
      case .unknownVerb(let word, let near): "unknown verb '\(word)'" + suggestion(near.map { "'\($0)'" })
      case .unknownOption(let option, let near): "unknown option '\(option)'" + suggestion(near)
      case .optionWithoutVerb(let option): "\(option) requires a verb"
      case .optionOfAnotherVerb(let option, let verb): "'\(verb)' has no option \(option)"
      case .duplicateOption(let option): "duplicate option \(option)"
      case .missingValue(let option): "\(option) requires a value"
      case .unexpectedValue(let option): "\(option) does not take a value"
      case .unexpectedArgument(let argument, let command):
        "unexpected argument '\(argument)'" + (command ? "; a command is written after --" : "")
      case .missingArgument(let name, let expected): "\(name) is required: \(expected)"
      case .notCombinable(let one, let other): "\(one) and \(other) cannot be combined"
      case .invalidChoice(let name, let text, let choices, let near):
        "invalid \(name) '\(text)': expected \(choices.joined(separator: ", "))" + suggestion(near.map { "'\($0)'" })
      case .invalidNumber(let option, let text, let expected): "invalid \(option) '\(text)': expected \(expected)"
      case .unknownUser(let name): "there is no user '\(name)' on this machine"
      case .missingHandler(let parameter): "HANDLER is required before the parameter '\(parameter)'"
      case .invalidParameter(let text): "invalid parameter '\(text)': expected NAME=VALUE"
      case .duplicateParameter(let name): "duplicate parameter '\(name)'"
      }
    }
  }
}

private func suggestion(_ near: String?) -> String { near.map { "; did you mean \($0)?" } ?? "" }
