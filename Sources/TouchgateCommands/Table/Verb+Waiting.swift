extension Verb {
  static let wait = Verb(
    name: "wait",
    summary: "wait for the end of an update, or for quiet",
    forms: [
      Form(.operand(.waitingID), optional: [.option(.user), .option(.timeout)]),
      Form(optional: [.option(.quiet), .option(.screen), .option(.timeout)]),
    ],
    description: """
      With an ID, waits until the update has ended; if it is superseded, until its successor has ended. Without an \
      ID, waits until an update with this quiet period would be applied: nobody touches, nobody holds, and no update \
      is being applied.
      """,
    examples: [
      Example("touchgate wait menu-2026-11-30 && echo applied"),
      Example("touchgate wait --quiet 30s --timeout 0 || exit 21", "Is it quiet? In a Mender state script."),
    ],
    exits: [
      ExitMeaning(.success, "the update was applied, or it is quiet"),
      ExitMeaning(.failure, "the update ended, but was not applied"),
      ExitMeaning(.noSuchID, "there is no update with this ID"),
      ExitMeaning(.tryAgain, "timed out"),
    ],
    action: Wait.action)

  static let run = Verb(
    name: "run",
    summary: "run a command in the first quiet moment",
    forms: [
      Form(
        .command,
        optional: [.option(.quiet), .option(.screen), .option(.guard), .option(.timeout), .option(.why), .option(.max)])
    ],
    description: """
      Waits for a moment in which an update with this quiet period would be applied, and runs the command, with your \
      permissions and in your session. No update is applied while it runs. Like flock(1), for human attention. If the \
      turn ends first (--max, MaxTurn= in touchgate.conf, touchgate release or force), the command is not stopped, and a \
      line on standard error says so. If touchgated is restarted meanwhile, a hold takes the place of the turn.
      """,
    examples: [
      Example("touchgate run --quiet 30s -- systemctl reboot"),
      Example("touchgate run --quiet 5s --guard -- systemctl restart kiosk"),
      Example("touchgate run --timeout 1h -- ./install || echo not now"),
      Example("touchgate run --why 'firmware update' --max 20min -- ./flash"),
    ],
    exits: [
      ExitMeaning("N", "exit status of the command; 128 + N if signal N ended it"),
      ExitMeaning(.tryAgain, "timed out"),
      ExitMeaning(.notStarted, "the service did not answer, or refused"),
      ExitMeaning("126", "the command cannot be executed"),
      ExitMeaning("127", "the command was not found"),
    ],
    action: RunInTurn.init)

  static let hold = Verb(
    name: "hold",
    summary: "keep updates from being applied",
    forms: [
      Form(.option(.why), optional: [.option(.screen), .option(.for)]),
      Form(.option(.why), .command, optional: [.option(.screen), .option(.orRun)]),
    ],
    description: """
      Keeps updates from being applied while the command runs or, with --for, for that time; with neither, until \
      touchgate is interrupted. Without a command, prints the ID of the hold. If touchgated is restarted meanwhile, the \
      hold goes on: touchgate asks for it again for 30 s.
      """,
    examples: [
      Example("touchgate hold --why payment -- ./take-payment"),
      Example("touchgate hold --why payment --or-run -- ./take-payment", "A till sells although touchgated is down."),
      Example("touchgate hold --why 'on stage' --for 2h"),
    ],
    exits: [
      ExitMeaning("N", "with a command: its exit status; 126, 127 and 128 + N as for run"),
      ExitMeaning(.tryAgain, "the hold was released, or the service was stopped"),
      ExitMeaning(.notStarted, "with a command: the service did not answer, or refused"),
    ],
    action: Hold.init)

  static let holds = Verb(
    name: "holds",
    summary: "list holds and turns",
    forms: [Form()],
    description: "Prints one line per hold and per turn: ID, owner, age, end and reason.",
    examples: [Example("touchgate holds")],
    exits: [],
    action: Holds.init)

  static let release = Verb(
    name: "release",
    summary: "end a hold or a turn",
    forms: [Form(.operand(.holdID))],
    description: """
      Ends a hold or a turn: your own or, with the right Admin=, any. A command that runs in the turn is not stopped.
      """,
    examples: [Example("touchgate release 01JDXYZ0000000000000000000")],
    exits: [
      ExitMeaning(.noSuchID, "there is no hold or turn with this ID"),
      ExitMeaning(.notPermitted, "the hold or turn belongs to another user"),
    ],
    action: Release.init)
}
