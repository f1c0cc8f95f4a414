/// A command line taken apart: the verb, its options, and its operands. Options may be anywhere, as `--name VALUE` or
/// `--name=VALUE`; after `--` everything is an operand, or the command of a verb that runs one.
struct ScannedArguments {
  private(set) var verb: Verb?
  private(set) var operands: [String] = []
  /// After `--`.
  private(set) var command: [String] = []
  /// In the order of the command line. The value is "" if there is none.
  private(set) var options: [(option: Option, value: String)] = []

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--":
        try addOperandsOnly(rest)
        return
      case "-h": add(.help, "")
      case "--version" where verb == nil: try add(Verb.version.name)
      case "-": try add(argument)
      case _ where argument.hasPrefix("-"): try addOption(argument, &rest)
      default: try add(argument)
      }
    }
  }

  /// The value of an option, "" for one without a value; nil if it is not given.
  subscript(_ option: Option) -> String? { options.first { $0.option == option }?.value }

  private mutating func addOperandsOnly(_ rest: ArraySlice<String>) throws(UsageError) {
    if let verb, verb.runsCommand {
      command = Array(rest)
    } else {
      for operand in rest { try add(operand) }
    }
  }

  private mutating func add(_ operand: String) throws(UsageError) {
    if verb != nil {
      operands.append(operand)
    } else if let known = Verb(named: operand) {
      verb = known
    } else {
      throw UsageError(.unknownVerb(operand, near: nearest(operand, Verb.all.map(\.name))))
    }
  }

  private mutating func add(_ option: Option, _ value: String) { options.append((option, value)) }

  private mutating func addOption(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let option = try knownOption(parts[0], argument)
    let given = parts.count == 2 ? parts[1] : nil
    if self[option] != nil { throw UsageError(.duplicateOption(option.text), verb: verb?.name) }
    switch option.value {
    case .none:
      if given != nil { throw UsageError(.unexpectedValue(option.text), verb: verb?.name) }
      add(option, "")
    case .optional: add(option, given ?? "")
    case .required:
      guard let value = given ?? rest.popFirst() else {
        throw UsageError(.missingValue(option.text), verb: verb?.name)
      }
      add(option, value)
    }
  }

  /// The verb's own option of this name; else, since options may precede the verb, that of any verb.
  private func knownOption(_ text: String, _ argument: String) throws(UsageError) -> Option {
    let own = Option.common + (verb?.options ?? [])
    let all = own + Verb.all.flatMap(\.options)
    if let option = all.first(where: { $0.text == text }) { return option }
    let near = nearest(text, (verb == nil ? all : own).map(\.text))
    throw UsageError(.unknownOption(argument, near: near), verb: verb?.name)
  }
}
