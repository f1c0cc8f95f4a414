/// The table of verbs. A new verb is a row of the table, an action in `Verbs`, a test, and its section of the man page,
/// which `TOUCHGATE_WRITE_MAN=1 swift test --filter ManPageTests` writes.
extension Verb {
  /// In the order of the help.
  static let all =
    [submit, status, list, show, why, cancel, apply, force, retry, wait, run, hold, holds, release, pause, resume]
    + [screens, events, feedback, completion, help, version]

  /// The verb of this name; nil if there is none.
  init?(named name: String) {
    guard let verb = Verb.all.first(where: { $0.name == name }) else { return nil }
    self = verb
  }
}

/// What the list of verbs and the man page show first.
let firstExamples = [
  Example(
    "touchgate submit reload-page url=https://example.org", "Submit an update; it is applied when nobody touches."),
  Example("touchgate status", "Is the screen touched, and what is waiting?"),
  Example("touchgate run --quiet 30s -- systemctl reboot", "Reboot in the first quiet moment."),
]

extension ExitMeaning {
  /// What an exit status means unless the verb says otherwise.
  static let general = [
    ExitMeaning(.success, "success"),
    ExitMeaning(.failure, "the update was not applied (wait, submit --wait), or another failure"),
    ExitMeaning(.usage, "wrong arguments"),
    ExitMeaning(.notRunning, "the service is not running (status only)"),
    ExitMeaning(.noSuchID, "there is no update or hold with this ID"),
    ExitMeaning(.badRequest, "the service refused the request"),
    ExitMeaning(.unavailable, "the service is not running (every other verb)"),
    ExitMeaning(.tryAgain, "timed out, or refused for now; try again later"),
    ExitMeaning(.notPermitted, "permission denied"),
    ExitMeaning(.notStarted, "the command of run, hold or feedback was not started"),
    ExitMeaning("130", "interrupted"),
  ]
}
