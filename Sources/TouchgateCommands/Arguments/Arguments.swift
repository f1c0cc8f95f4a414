/// What a verb was given. It fits one of the verb's forms: nothing required is missing.
struct Arguments {
  let verb: Verb
  /// After `--`; empty if there is none.
  let command: [String]
  private let operands: [String]
  private let form: Form
  private let scanned: ScannedArguments

  /// Finds the form that fits. Throws for an option of another verb, for what is missing, is too much, or does not go
  /// together.
  init(_ scanned: ScannedArguments, of verb: Verb) throws(UsageError) {
    let given = scanned.options.map(\.option).filter { !Option.common.contains($0) }
    for option in given where !verb.options.contains(option) {
      throw UsageError(.optionOfAnotherVerb(option.text, verb: verb.name), verb: verb.name)
    }
    let fitting = verb.forms.filter { form in
      given.allSatisfy { form.contains(.option($0)) } && (scanned.command.isEmpty || form.contains(.command))
        && scanned.operands.count <= form.mostOperands
    }
    guard let nearest = fitting.first else { throw UsageError(Self.excess(scanned, given, verb), verb: verb.name) }
    let complete = fitting.first { $0.firstMissing(scanned) == nil }
    if complete == nil, let missing = nearest.firstMissing(scanned) {
      throw UsageError(nearest.reason(forMissing: missing, of: verb), verb: verb.name)
    }
    self.verb = verb
    self.scanned = scanned
    form = complete ?? nearest
    command = scanned.command
    operands = scanned.operands
    try checkChoices()
  }

  /// Whether an option is given.
  func has(_ option: Option) -> Bool { scanned[option] != nil }

  /// The value of an option; nil if it is not given.
  subscript(_ option: Option) -> String? { scanned[option] }

  /// The value of an operand; nil if it is not given.
  subscript(_ operand: Operand) -> String? { all(operand).first }

  /// The value of an operand that the form requires.
  func required(_ operand: Operand) throws(UsageError) -> String {
    guard let value = self[operand] else {
      throw UsageError(form.reason(forMissing: .operand(operand), of: verb), verb: verb.name)
    }
    return value
  }

  /// The value of an option that the form requires.
  func required(_ option: Option) throws(UsageError) -> String {
    guard let value = self[option] else {
      throw UsageError(form.reason(forMissing: .option(option), of: verb), verb: verb.name)
    }
    return value
  }

  /// All values of an operand that repeats.
  func all(_ operand: Operand) -> [String] {
    guard let index = form.operands.firstIndex(of: operand) else { return [] }
    let values = operands.dropFirst(index)
    return Array(operand.repeats ? values : values.prefix(1))
  }

  /// An option's whole number of at least `minimum`; nil if the option is not given.
  func number<Number: FixedWidthInteger>(
    _ option: Option, atLeast minimum: Number = .min, expected: String
  ) throws(UsageError) -> Number? {
    guard let text = self[option] else { return nil }
    guard let number = Number(text), number >= minimum else {
      throw UsageError(.invalidNumber(option.text, text, expected: expected), verb: verb.name)
    }
    return number
  }

  private func checkChoices() throws(UsageError) {
    for operand in form.operands {
      guard case .words(let choices) = operand.candidates else { continue }
      for value in all(operand) where !choices.contains(value) {
        let near = nearest(value, choices)
        throw UsageError(.invalidChoice(operand.name, value, choices: choices, near: near), verb: verb.name)
      }
    }
  }

  /// Why no form matches: an unexpected argument, or two that no form combines.
  private static func excess(_ scanned: ScannedArguments, _ given: [Option], _ verb: Verb) -> UsageError.Reason {
    let most = verb.forms.map(\.mostOperands).max() ?? 0
    if scanned.operands.count > most { return .unexpectedArgument(scanned.operands[most], command: verb.runsCommand) }
    var parts = given.map { Part.option($0) }
    if !scanned.operands.isEmpty, let operand = verb.operands.first { parts.insert(.operand(operand), at: 0) }
    if !scanned.command.isEmpty { parts.append(.command) }
    for (index, one) in parts.enumerated() {
      for other in parts[(index + 1)...] where !verb.forms.contains(where: { $0.contains(one) && $0.contains(other) }) {
        return .notCombinable(one.name, other.name)
      }
    }
    return .notCombinable(parts.first?.name ?? verb.name, parts.last?.name ?? verb.name)
  }
}

extension Form {
  /// How many operands it takes.
  fileprivate var mostOperands: Int {
    operands.contains(where: \.repeats) ? .max : operands.count
  }

  fileprivate func reason(forMissing part: Part, of verb: Verb) -> UsageError.Reason {
    if case .operand(let operand) = part, case .words(let choices) = operand.candidates {
      return .missingArgument(part.name, expected: choices.joined(separator: ", "))
    }
    return .missingArgument(part.name, expected: requiredCall(of: verb))
  }

  /// The first required part that is not given.
  fileprivate func firstMissing(_ scanned: ScannedArguments) -> Part? {
    var left = scanned.operands.count
    for part in required {
      switch part {
      case .operand:
        if left == 0 { return part }
        left -= 1
      case .option(let option): if scanned[option] == nil { return part }
      case .command: if scanned.command.isEmpty { return part }
      }
    }
    return nil
  }
}
