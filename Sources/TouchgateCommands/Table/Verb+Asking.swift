extension Verb {
  static let status = Verb(
    name: "status",
    summary: "show screens, queue and last result",
    forms: [Form(), Form(.operand(.updateID), optional: [.option(.user)]), Form(.option(.watch))],
    description: """
      Shows whether a screen is touched, how many updates are waiting, what blocks the oldest one and what clears \
      that, and how the last update ended. With an ID, the same as show.
      """,
    examples: [
      Example("touchgate status"),
      Example("touchgate status --watch | while read -r line; do echo \"$line\"; done"),
      Example("touchgate status --json | jq .touched"),
    ],
    exits: [
      ExitMeaning(.success, "the service answered, whether a screen is touched or not"),
      ExitMeaning(.notRunning, "the service is not running"),
    ],
    action: Status.action)

  static let list = Verb(
    name: "list",
    summary: "list updates, newest first",
    forms: [Form(optional: [.option(.state), .option(.limit)])],
    description: "Prints one line per update, newest first: ID, handler, state, age and first blocker.",
    examples: [
      Example("touchgate list --state waiting"),
      Example("touchgate list --state failed --limit 10"),
      Example("touchgate list --json | jq -r '.updates[].id'"),
    ],
    exits: [],
    action: List.init)

  static let show = Verb(
    name: "show",
    summary: "show everything about one update",
    forms: [
      Form(.operand(.updateID), optional: [.option(.user)]),
      Form(.operand(.updateID), .option(.showPayload), optional: [.option(.user)]),
      Form(.operand(.updateID), .option(.param), optional: [.option(.user)]),
    ],
    description: """
      Prints everything about one update: every blocker and what clears it, or how the update ended. The payload and \
      the parameters are only for the user who submitted the update, the unit that applies it, root, and users with \
      the right Admin=.
      """,
    examples: [
      Example("touchgate show menu-2026-11-30"),
      Example("touchgate show menu-2026-11-30 --json | jq .state"),
      Example("touchgate show menu-2026-11-30 --payload > menu.html"),
      Example("touchgate show menu-2026-11-30 --param url"),
    ],
    exits: [
      ExitMeaning(.success, "the update exists, whatever its state"),
      ExitMeaning(.noSuchID, "there is no update with this ID"),
    ],
    action: Show.action)

  static let why = Verb(
    name: "why",
    summary: "explain what updates are waiting for",
    forms: [Form(), Form(.operand(.updateID), optional: [.option(.user)])],
    description: """
      Prints every blocker of an update, one per line: what blocks it, for how long, where, and what clears it. \
      Without an ID, prints this for all waiting updates, oldest first, and then the updates of the last 24 hours \
      that were not applied, with what had blocked them.
      """,
    examples: [
      Example("touchgate why"),
      Example("touchgate why menu-2026-11-30"),
      Example("touchgate why menu-2026-11-30 --json | jq -r '.blockers[].code'"),
      Example("touchgate why --json | jq -r '.waiting[] | .id + \" \" + .blockers[].code'"),
    ],
    exits: [
      ExitMeaning(.success, "success, even if nothing is blocked"),
      ExitMeaning(.noSuchID, "there is no update with this ID"),
    ],
    action: Why.action)

  static let screens = Verb(
    name: "screens",
    summary: "list screens and their devices",
    forms: [Form(), Form(.option(.all)), Form(.option(.forget))],
    description: """
      Prints each screen with its state, and below it its devices. With --all, prints every input device of the machine: \
      whether it is adopted as a touchscreen, and why. With --forget, prints nothing: updates no longer wait for a \
      missing screen.
      """,
    examples: [
      Example("touchgate screens"),
      Example("touchgate screens --all"),
      Example("touchgate screens --forget 'ILITEK Multi-Touch'"),
      Example("touchgate screens --json | jq -r '.screens[] | select(.state == \"touched\") | .name'"),
    ],
    exits: [
      ExitMeaning(.success, "the service answered"),
      ExitMeaning(.noSuchID, "no screen with this name is missing"),
      ExitMeaning(.notPermitted, "--forget requires the right Admin="),
    ],
    action: Screens.action)

  static let events = Verb(
    name: "events",
    summary: "print events as lines of JSON",
    forms: [Form(optional: [.option(.since)])],
    description: """
      Prints one line of JSON per event, until it is interrupted or the service stops: a touch begins or ends, a \
      screen or an update changes its state. The field seq numbers the events. An event of type gap reports how many \
      events were missed.
      """,
    examples: [
      Example("touchgate events | jq -r 'select(.type == \"touch\") | .touched'"),
      Example("touchgate events --since 0", "All events that the service still remembers, and then new ones."),
    ],
    exits: [ExitMeaning(.unavailable, "the service is not running, or was stopped")],
    action: Events.init)
}
