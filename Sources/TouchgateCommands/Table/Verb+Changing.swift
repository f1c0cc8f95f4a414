extension Verb {
  static let cancel = Verb(
    name: "cancel",
    summary: "cancel a waiting update",
    forms: [Form(.operand(.waitingID), optional: [.option(.user)])],
    description: """
      Cancels a waiting update: your own or, with the right Admin=, any. Prints nothing; with --json, the update.
      """,
    examples: [
      Example("touchgate cancel menu-2026-11-30"),
      Example("touchgate list --state waiting --json | jq -r '.updates[].id' | xargs -n 1 touchgate cancel"),
    ],
    exits: [ExitMeaning(.success, "the update will not be applied")] + changeRefused,
    action: Change.cancel)

  static let apply = Verb(
    name: "apply",
    summary: "apply an update without its quiet period",
    forms: [Form(.operand(.waitingID), optional: [.option(.user)])],
    description: """
      Expedites a waiting update, your own or, with the right Admin=, any: it no longer waits for its quiet period, \
      its --not-before or the backoff after a failure, but still for the last contact to end. Prints nothing; with \
      --json, the update with its remaining blockers.
      """,
    examples: [
      Example("touchgate apply menu-2026-11-30"),
      Example("touchgate apply menu-2026-11-30 --json | jq -r '.blockers[].clears'"),
    ],
    exits: [ExitMeaning(.success, "the update is expedited; it may still be waiting")] + changeRefused,
    action: Change.apply)

  static let force = Verb(
    name: "force",
    summary: "apply an update now, even while touched",
    forms: [Form(.operand(.waitingID), optional: [.option(.user)])],
    description: """
      Applies a waiting update now, even while a screen is touched; it only waits for an update that is already being \
      applied. show lists the blockers that were overridden. Requires the right Force= ([Rights] in touchgate.conf). \
      Prints nothing; with --json, the update.
      """,
    examples: [Example("touchgate force security-fix-7")],
    exits: [
      ExitMeaning(.success, "the update is applied next"),
      ExitMeaning(.noSuchID, "there is no update with this ID"),
      ExitMeaning(.badRequest, "the update is being applied, or has ended"),
      ExitMeaning(.notPermitted, "the right Force= is required"),
    ],
    action: Change.force)

  static let retry = Verb(
    name: "retry",
    summary: "queue an update again that was not applied",
    forms: [Form(.operand(.updateID), optional: [.option(.user)])],
    description: """
      Queues an update again that failed, expired, or was cancelled or superseded: your own or, with the right \
      Admin=, any. It returns to its old place with all its attempts, and without its deadline if that has passed. \
      Prints nothing; with --json, the update.
      """,
    examples: [
      Example("touchgate retry menu-2026-11-30"),
      Example("touchgate list --state failed --json | jq -r '.updates[].id' | xargs -n 1 touchgate retry"),
    ],
    exits: [
      ExitMeaning(.success, "the update is waiting again"),
      ExitMeaning(.noSuchID, "there is no update with this ID"),
      ExitMeaning(
        .badRequest, "the update has not ended or was applied, or a newer one with its key is waiting or was applied"),
      ExitMeaning(.notPermitted, "the update belongs to another user"),
    ],
    action: Change.retry)

  static let pause = Verb(
    name: "pause",
    summary: "stop applying updates until resume",
    forms: [Form(optional: [.option(.why)])],
    description: """
      Stops applying updates until resume, even across restarts. Updates are still accepted, and a handler that is \
      running finishes. Requires the right Admin= ([Rights] in touchgate.conf).
      """,
    examples: [Example("touchgate pause --why 'inventory until noon'")],
    exits: [ExitMeaning(.notPermitted, "the right Admin= is required")],
    action: Pause.init)

  static let resume = Verb(
    name: "resume",
    summary: "end a pause",
    forms: [Form()],
    description: "Ends a pause. Requires the right Admin= ([Rights] in touchgate.conf).",
    examples: [Example("touchgate resume")],
    exits: [
      ExitMeaning(.badRequest, "updates are not paused"), ExitMeaning(.notPermitted, "the right Admin= is required"),
    ],
    action: Resume.init)
}

/// Why an update is not changed.
private let changeRefused = [
  ExitMeaning(.noSuchID, "there is no update with this ID"),
  ExitMeaning(.badRequest, "the update is being applied, or has ended"),
  ExitMeaning(.notPermitted, "the update belongs to another user"),
]
