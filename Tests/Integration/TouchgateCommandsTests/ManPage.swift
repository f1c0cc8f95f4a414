@testable import TouchgateCommands

/// The parts of man/touchgate.1 that follow from the table of verbs, in mdoc(7).
enum ManPage {
  /// Each part with its name; in the file it is between two comments (`begin`, `end`).
  static let parts: [(name: String, text: String)] = [
    ("synopsis", synopsis), ("verbs", Verb.all.map(verb).joined()), ("common options", options(Option.common)),
    ("exit status", exits(ExitMeaning.general)), ("examples", examples(firstExamples)),
  ]

  static func begin(_ name: String) -> String { ".\\\" begin: \(name), from the table of verbs\n" }
  static func end(_ name: String) -> String { ".\\\" end: \(name)\n" }

  private static var synopsis: String {
    Verb.all.flatMap { verb in verb.forms.map { form in ".Nm\n" + call(form, of: verb) } }.joined()
  }

  private static func verb(_ verb: Verb) -> String {
    var text = ".Ss \(verb.name)\n"
    for (index, form) in verb.forms.enumerated() {
      text += (index == 0 ? "" : ".br\n") + ".Nm\n" + call(form, of: verb)
    }
    text += ".Pp\n" + line(verb.description)
    let operands = verb.operands.map { ".It Ar \(escaped($0.name))\n" + line($0.help) }
    text += list(operands + verb.options.map(item))
    for note in HelpText.times(verb) { text += ".Pp\n" + line(note) }
    text += ".Pp\nExamples:\n" + examples(verb.examples)
    if !verb.exits.isEmpty { text += ".Pp\nExit status:\n" + exits(verb.exits) }
    return text
  }

  private static func call(_ form: Form, of verb: Verb) -> String {
    let parts = form.parts.map { part in
      let isRequired = form.required.contains(part)
      switch part {
      case .operand(let operand):
        let name = "Ar \(escaped(operand.name))" + (operand.repeats ? " ..." : "")
        return isRequired ? ".\(name)\n" : ".Op \(name)\n"
      case .option(let option): return isRequired ? ".\(flag(option))\n" : ".Op \(flag(option))\n"
      case .command: return isRequired ? ".Fl - Ar COMMAND ...\n" : ".Op Fl - Ar COMMAND ...\n"
      }
    }
    return ".Cm \(verb.name)\n" + parts.joined()
  }

  private static func flag(_ option: Option) -> String {
    switch option.value {
    case .none: "Fl -\(option.name)"
    case .required(let name, _): "Fl -\(option.name) Ar \(name)"
    case .optional(let name): "Fl -\(option.name) Ns Oo = Ns Ar \(name) Oc"
    }
  }

  private static func options(_ options: [Option]) -> String { list(options.map(item)) }

  private static func item(_ option: Option) -> String { ".It \(flag(option))\n" + line(option.help) }

  private static func exits(_ exits: [ExitMeaning]) -> String {
    list(exits.map { ".It \($0.status)\n" + line($0.meaning) }, compact: true)
  }

  private static func list(_ items: [String], compact: Bool = false) -> String {
    if items.isEmpty { return "" }
    return ".Bl -tag -width Ds\(compact ? " -compact" : "")\n" + items.joined() + ".El\n"
  }

  private static func examples(_ examples: [Example]) -> String {
    ".Bd -literal -offset indent\n"
      + examples.map { ($0.purpose.map { line("# " + $0) } ?? "") + line($0.line) }.joined() + ".Ed\n"
  }

  /// A line of text: no macro, and no escape.
  private static func line(_ text: String) -> String {
    let text = escaped(text)
    return (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + text + "\n"
  }

  /// Hyphens and quotes as they are typed.
  private static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "`": "\\(ga"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case "…": "..."
      default: String(character)
      }
    }.joined()
  }
}
