/// Help for people: the list of verbs, or one verb with examples. Lines have at most 80 columns where words allow it.
enum HelpText {
  /// `touchgate help`
  static var overview: String {
    let verbs = Verb.all.map { verb in
      let call = verb.forms.first.map { $0.requiredCall(of: verb) } ?? verb.name
      return (String(call.dropFirst("touchgate ".count)), verb.summary)
    }
    return wrapped("touchgate holds back updates while somebody touches the screen.")
      + section("Examples", examples(firstExamples))
      + section("Verbs", columns(verbs))
      + section("Every verb takes", columns(Option.common.map { ($0.synopsis, $0.help) }))
      + section("Exit status", columns(ExitMeaning.general.map { ($0.status, $0.meaning) }))
      + "\nMore: touchgate help VERB, man touchgate.\n"
  }

  /// `touchgate help VERB`
  static func of(_ verb: Verb) -> String {
    var arguments = verb.operands.map { ($0.name + ($0.repeats ? "…" : ""), $0.help) }
    arguments += verb.options.map { ($0.synopsis, $0.help) }
    let kinds = notes(of: verb)
    let exits = verb.exits.map { ($0.status, $0.meaning) }
    return verb.forms.map { synopsis($0, of: verb) }.joined()
      + "\n" + wrapped(verb.description)
      + section("Arguments", columns(arguments)) + (kinds.isEmpty ? "" : "\n" + kinds)
      + section("Examples", examples(verb.examples))
      + section("Exit status", columns(exits) + (exits.isEmpty ? "" : "  Others: touchgate help.\n"))
      + section("Every verb takes", columns(Option.common.map { ($0.synopsis, $0.help) }))
  }

  /// How times are written, for the values that the verb takes.
  static func times(_ verb: Verb) -> [String] {
    let names = Set(verb.options.compactMap(\.valueName))
    return [("TIME", timeNote), ("WHEN", whenNote)].filter { names.contains($0.0) }.map(\.1)
  }

  private static let timeNote = "TIME is a span such as 500ms, 30s, 5min or 1h 30min; a bare number is seconds."
  private static let whenNote =
    "WHEN is a time such as 04:00 or 2026-11-30T04:00:00+01:00, or a span from now such as 30min."

  private static func notes(of verb: Verb) -> String { times(verb).map { wrapped($0, indent: 2) }.joined() }

  private static func synopsis(_ form: Form, of verb: Verb) -> String {
    wrap(["touchgate"] + form.synopsis(of: verb), indent: 0, hanging: 10 + verb.name.count + 1)
  }

  private static func section(_ title: String, _ body: String) -> String {
    body.isEmpty ? "" : "\n\(title):\n\(body)"
  }

  private static func examples(_ examples: [Example]) -> String {
    examples.map { "  \($0.line)\n" + ($0.purpose.map { wrapped($0, indent: 6) } ?? "") }.joined()
  }
}
