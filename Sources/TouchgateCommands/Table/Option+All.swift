/// The options of all verbs, each once. A verb takes those that its forms list.
extension Option {
  /// What every verb takes.
  static let common = [json, socket, help]

  static let json = Option(name: "json", help: "print one line of JSON; fields may be added, but are never renamed")
  static let socket = Option(
    name: "socket", value: .required("PATH", .files),
    help: "connect to this socket; default: $TOUCHGATE_SOCKET or /run/touchgate/touchgate.sock")
  static let help = Option(name: "help", help: "explain the verb with examples")

  static let payload = Option(
    name: "payload", value: .required("FILE", .files),
    help: "pass this file to the handler on standard input; - reads standard input; at most 1 MiB of any bytes")
  static let id = Option(
    name: "id", value: .required("ID"),
    help: "your own ID for the update, which makes retries safe: the same ID with the same content is one update; 1 to "
      + "64 characters of A-Z a-z 0-9 . _ -, the first a letter or a digit. Other verbs take it as well as the printed ID"
  )
  static let key = Option(
    name: "key", value: .required("KEY"),
    help:
      "what the update is about; at most 200 bytes. A newer update of yours with the same handler and key supersedes "
      + "the waiting one, unless the handler's Coalesce= or SharedKeys= says otherwise")
  static let priority = Option(
    name: "priority", value: .required("N"), help: "-100 to 100, default 0; higher is applied first")
  static let quiet = Option(
    name: "quiet", value: .required("TIME"),
    help: "quiet period: how long nobody may have touched; at most 1h; default: as configured")
  static let notBefore = Option(name: "not-before", value: .required("WHEN"), help: "apply no earlier than this")
  static let deadline = Option(
    name: "deadline", value: .required("WHEN"), help: "do what --on-deadline says if the update is still waiting then")
  static let onDeadline = Option(
    name: "on-deadline", value: .required("ACTION", .words(["expire", "apply", "force"])),
    help: "expire: drop the update (default); apply: skip the quiet period and the backoff; force: apply even while "
      + "touched, which requires the right Force=")
  static let screen = Option(
    name: "screen", value: .required("SCREEN"), help: "only this screen counts; default: all screens")
  static let wait = Option(
    name: "wait", value: .optional("TIME"),
    help: "return when the update has ended, as the verb wait does, or after TIME with status 75; default: 1d")
  static let dryRun = Option(name: "dry-run", help: "store nothing; print what the update would wait for")
  static let ifQuiet = Option(
    name: "if-quiet", help: "apply now or not at all: fail with status 75 if the update would have to wait")

  static let watch = Option(
    name: "watch",
    help: "repeat every second. A terminal is redrawn; otherwise each second prints one line: not touched, "
      + "touched (2 contacts on lobby), unknown (REASON) or not running")
  static let state = Option(
    name: "state",
    value: .required(
      "STATE", .words(["waiting", "applying", "applied", "failed", "superseded", "cancelled", "expired"])),
    help: "only updates in this state: waiting, applying, applied, failed, superseded, cancelled or expired")
  static let limit = Option(
    name: "limit", value: .required("N"), help: "print at most N updates: 1 to 1000, default 100")
  /// Has the name of `payload` of `submit`, but no value.
  static let showPayload = Option(name: "payload", help: "print the payload, byte for byte, and nothing else")
  static let param = Option(
    name: "param", value: .required("NAME"), help: "print the value of this parameter and nothing else")

  static let user = Option(
    name: "user", value: .required("USER"),
    help: "ID is this user's own, a name or a number; other users' IDs are for users with the right Admin=")

  static let timeout = Option(
    name: "timeout", value: .required("TIME"),
    help: "stop waiting after TIME and exit with status 75; at most 1d; default: no limit")
  static let max = Option(
    name: "max", value: .required("TIME"),
    help: "end the turn after TIME if the command still runs; at most and by default MaxTurn= in touchgate.conf")
  static let `guard` = Option(
    name: "guard", help: "grab the touchscreens while the command starts, so that no other program receives touches")
  static let orRun = Option(
    name: "or-run", help: "run the command without a hold if the service is down or refuses; standard error says so")
  static let why = Option(
    name: "why", value: .required("TEXT"),
    help: "reason, shown to everybody who asks what an update is waiting for; at most 200 bytes")
  static let `for` = Option(
    name: "for", value: .required("TIME"),
    help: "hold for TIME, even after touchgate has exited; at most MaxHold= of touchgate.conf")
  static let since = Option(
    name: "since", value: .required("N"),
    help: "start with the event after number N; default: with the next event")
  static let all = Option(name: "all", help: "list every input device: adopted as a touchscreen or not, and why")
  static let forget = Option(
    name: "forget", value: .required("SCREEN"),
    help: "no longer wait for this missing screen, now and after a restart; requires the right Admin=")
  static let selfTest = Option(
    name: "self-test",
    help: "play each kind five times and print, as median and worst, the time to prepare, the time to fire and the "
      + "delay between pulse and reply")
}

/// The operands of all verbs.
extension Operand {
  static let handler = Operand(name: "HANDLER", help: "name of a handler in handlers.d of touchgate.conf(5)")
  static let parameter = Operand(
    name: "NAME=VALUE", help: "value of a parameter that the handler declares", repeats: true)
  static let updateID = Operand(
    name: "ID", help: "ID of the update, as printed by submit and list", candidates: .printed(by: "list"))
  static let waitingID = Operand(
    name: "ID", help: "ID of the update, as printed by submit and list",
    candidates: .printed(by: "list --state waiting"))
  static let holdID = Operand(
    name: "ID", help: "ID of the hold, as printed by hold and holds", candidates: .printed(by: "holds"))
  static let kind = Operand(
    name: "KIND", help: "success, warning, error, light, medium, heavy or selection",
    candidates: .words(feedbackKinds))
  static let verb = Operand(name: "VERB", help: "verb to explain; default: list all verbs", candidates: .verbs)
  static let shell = Operand(name: "SHELL", help: "bash", candidates: .words(["bash"]))
}

/// The kinds of haptic feedback that the service has.
let feedbackKinds = ["success", "warning", "error", "light", "medium", "heavy", "selection"]
