extension Verb {
  static let feedback = Verb(
    name: "feedback",
    summary: "play haptic feedback, and run a command",
    forms: [
      Form(.operand(.kind), optional: [.command]),
      Form(.option(.selfTest)),
    ],
    description: """
      Plays haptic feedback, and runs the command at that moment in place of touchgate. Without haptics, the command \
      runs at once; if the service does not answer within 120 ms, it runs without feedback.
      """,
    examples: [
      Example("touchgate feedback success -- systemctl --user restart kiosk"),
      Example("touchgate feedback selection"),
      Example("touchgate feedback error --json | jq .silentBecause", "Why was nothing felt?"),
      Example("touchgate feedback --self-test"),
    ],
    exits: [
      ExitMeaning("N", "exit status of the command"),
      ExitMeaning(.success, "without a command: the service answered, even if nothing was felt"),
      ExitMeaning(.failure, "--self-test: nothing was felt"),
      ExitMeaning(.notStarted, "the command was not started"),
    ],
    action: Feedback.action)

  static let completion = Verb(
    name: "completion",
    summary: "print a completion script for a shell",
    forms: [Form(.operand(.shell))],
    description: "Prints a script that completes verbs, options, values and IDs. The installed package has it already.",
    examples: [Example("source <(touchgate completion bash)", "In ~/.bashrc, if it is not installed.")],
    exits: [],
    action: Completion.init)

  static let help = Verb(
    name: "help",
    summary: "explain a verb with examples",
    forms: [Form(optional: [.operand(.verb)])],
    description: "Explains a verb with examples, as --help after the verb does. Without a verb, lists all verbs.",
    examples: [Example("touchgate help submit")],
    exits: [],
    action: Help.action)

  static let version = Verb(
    name: "version",
    summary: "print the version of this command",
    forms: [Form()],
    description: "Prints the version of this command; status --json has the version of the service.",
    examples: [Example("touchgate version")],
    exits: [],
    action: PrintVersion.init)
}
