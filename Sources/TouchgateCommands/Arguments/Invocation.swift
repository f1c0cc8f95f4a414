/// What a command line asks for.
struct Invocation {
  /// `--socket`; nil: $TOUCHGATE_SOCKET or the default.
  let socket: String?
  /// `--json`
  let json: Bool
  let action: any Action

  /// Parses the arguments after the program's name.
  init(parsing arguments: [String]) throws(UsageError) {
    let scanned = try ScannedArguments(arguments)
    socket = scanned[.socket]
    json = scanned[.json] != nil
    if scanned[.help] != nil {
      action = Help(verb: scanned.verb?.name)
    } else if let verb = scanned.verb {
      action = try verb.action(try Arguments(scanned, of: verb))
    } else if let option = scanned.options.first(where: { !Option.common.contains($0.option) })?.option {
      throw UsageError(.optionWithoutVerb(option.text))
    } else {
      throw UsageError(.missingVerb(known: Verb.all.map(\.name)))
    }
  }
}
