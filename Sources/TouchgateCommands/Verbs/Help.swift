/// `help [VERB]`, `--help`: explains a verb, or lists all.
struct Help: Action {
  /// Nil: all verbs.
  let verb: String?

  func run(_ session: Session) throws(Failure) -> ExitCode {
    try session.print(verb.flatMap { Verb(named: $0) }.map(HelpText.of) ?? HelpText.overview)
    return .success
  }
}

extension Help {
  static func action(_ arguments: Arguments) throws(UsageError) -> any Action {
    let name = arguments[.verb]
    if let name, Verb(named: name) == nil {
      throw UsageError(.unknownVerb(name, near: nearest(name, Verb.all.map(\.name))))
    }
    return Help(verb: name)
  }
}
