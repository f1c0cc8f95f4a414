import Testing
import TouchgateAPI

@testable import TouchgateCommands

private let seven = ChosenUpdate(id: "7", user: nil)

@Suite("Arguments")
struct InvocationTests {
  @Test("submit takes a handler, parameters, payload and ID, and options may be anywhere")
  func submit() throws {
    let arguments = ["--socket", "/s", "submit", "--id=7", "reload", "url=a=b", "--payload", "-", "empty=", "--json"]
    let invocation = try Invocation(parsing: arguments)
    #expect(invocation.socket == "/s")
    #expect(invocation.json)
    #expect(
      isSame(
        invocation.action,
        Submit(
          request: SubmitRequest(handler: "reload", parameters: ["url": "a=b", "empty": ""], clientId: "7"),
          payload: "-")))
  }

  @Test("after -- nothing is an option")
  func operandsOnly() throws {
    #expect(
      isSame(
        try Invocation(parsing: ["submit", "--", "reload", "--x=1"]).action,
        Submit(request: SubmitRequest(handler: "reload", parameters: ["--x": "1"]))))
  }

  @Test("options of submit that need no value, or only may have one")
  func submitOptions() throws {
    let request = SubmitRequest(handler: "reload")
    #expect(
      isSame(
        try Invocation(parsing: ["submit", "--wait", "reload", "--if-quiet"]).action,
        Submit(request: request, wait: "", ifQuiet: true)))
    #expect(
      isSame(
        try Invocation(parsing: ["--wait=10min", "submit", "reload", "--dry-run"]).action,
        Submit(request: request, wait: "10min", dryRun: true)))
  }

  @Test(
    "each verb asks for its action",
    arguments: [
      (["status"], Status()), (["status", "--watch"], Watch()), (["status", "7"], Show(update: seven)),
      (["show", "7", "--payload"], ShowPayload(update: seven)),
      (["show", "--payload", "7"], ShowPayload(update: seven)),
      (["show", "7", "--param", "url"], ShowParameter(update: seven, name: "url")),
      (["show", "7"], Show(update: seven)),
      (["list"], List(state: nil, limit: nil)),
      (["list", "--state", "waiting", "--limit", "5"], List(state: "waiting", limit: 5)), (["version"], PrintVersion()),
      (["why"], WhyAll()), (["show", "7", "--user", "1000"], Show(update: ChosenUpdate(id: "7", user: 1000))),
      (["retry", "7", "--user=root"], Change(kind: .retry, update: ChosenUpdate(id: "7", user: 0))),
      (["why", "7"], Why(update: seven)), (["cancel", "7"], Change(kind: .cancel, update: seven)),
      (["apply", "7"], Change(kind: .apply, update: seven)), (["force", "7"], Change(kind: .force, update: seven)),
      (["retry", "7"], Change(kind: .retry, update: seven)), (["cancel", "-h"], Help(verb: "cancel")),
      (["pause"], Pause(reason: nil)), (["pause", "--why", "x"], Pause(reason: "x")), (["resume"], Resume()),
      (["wait", "7", "--timeout", "1s"], Wait(update: seven, timeout: "1s")),
      (["wait"], WaitForQuiet(quietPeriod: nil, screen: nil, timeout: nil)),
      (["wait", "--quiet=1s", "--screen", "till"], WaitForQuiet(quietPeriod: "1s", screen: "till", timeout: nil)),
      (["run", "--", "ls", "-l"], RunInTurn(turn: TurnRequest(), timeout: nil, command: ["ls", "-l"])),
      (
        ["run", "--guard", "--quiet", "1s", "--timeout", "1h", "--", "ls"],
        RunInTurn(turn: TurnRequest(quietPeriod: "1s", guard: "grab"), timeout: "1h", command: ["ls"])
      ),
      (["hold", "--why", "x"], Hold(request: HoldRequest(reason: "x"), command: [])),
      (["hold", "--why", "x", "--for", "1h"], Hold(request: HoldRequest(reason: "x", ttl: "1h"), command: [])),
      (
        ["hold", "--why", "x", "--screen", "till", "--", "ls"],
        Hold(request: HoldRequest(reason: "x", screen: "till"), command: ["ls"])
      ),
      (["holds"], Holds()), (["release", "7"], Release(id: "7")), (["screens"], Screens()),
      (["screens", "--all"], AllNodes()), (["screens", "--forget", "Lobby 2"], ForgetScreen(name: "Lobby 2")),
      (["events"], Events(since: nil)), (["events", "--since", "0"], Events(since: 0)),
      (["completion", "bash"], Completion()),
      (["--version"], PrintVersion()), (["help"], Help(verb: nil)), (["--help"], Help(verb: nil)),
      (["help", "list"], Help(verb: "list")), (["list", "-h"], Help(verb: "list")),
      (["submit", "--help"], Help(verb: "submit")),
    ] as [([String], any Action)])
  func verbs(arguments: [String], action: any Action) throws {
    #expect(isSame(try Invocation(parsing: arguments).action, action))
  }

  @Test(
    "each wrong argument has its error",
    arguments: [
      (
        [],
        "a verb is required: submit, status, list, show, why, cancel, apply, force, retry, wait, run, hold, holds, "
          + "release, pause, resume, screens, events, feedback, completion, help, version"
      ),
      (["stauts"], "unknown verb 'stauts'; did you mean 'status'?"),
      (["lst"], "unknown verb 'lst'; did you mean 'list'?"),
      (["frobnicate"], "unknown verb 'frobnicate'"),
      (["list", "--limt", "3"], "unknown option '--limt'; did you mean --limit?"),
      (["list", "-x"], "unknown option '-x'"),
      (["list", "--watch"], "'list' has no option --watch"),
      (["list", "--limit", "0"], "invalid --limit '0': expected a whole number, 1 or more"),
      (["list", "--limit"], "--limit requires a value"),
      (["list", "--json=1"], "--json does not take a value"),
      (["list", "--state", "a", "--state", "b"], "duplicate option --state"),
      (["list", "a"], "unexpected argument 'a'"),
      (["show", "7", "--payload", "--param", "url"], "--payload and --param cannot be combined"),
      (["show"], "ID is required: touchgate show ID"),
      (["cancel"], "ID is required: touchgate cancel ID"),
      (["apply"], "ID is required: touchgate apply ID"),
      (["cancel", "7", "--user", "no one"], "there is no user 'no one' on this machine"),
      (["why", "--user", "root"], "ID is required: touchgate why ID"),
      (["cancel", "7", "8"], "unexpected argument '8'"),
      (["why", "7", "8"], "unexpected argument '8'"),
      (["apply", "7", "--quiet", "1s"], "'apply' has no option --quiet"),
      (["submit", "reload", "--priority", "high"], priority("high")),
      (["submit", "reload", "--priority=1.5"], priority("1.5")),
      (
        ["submit", "reload", "--on-deadlin", "apply"], "unknown option '--on-deadlin'; did you mean --on-deadline?"
      ),
      (["status", "7", "--watch"], "ID and --watch cannot be combined"),
      (["submit"], "HANDLER is required: touchgate submit HANDLER"),
      (["submit", "url=x"], "HANDLER is required before the parameter 'url=x'"),
      (["submit", "reload", "url"], "invalid parameter 'url': expected NAME=VALUE"),
      (["submit", "reload", "=x"], "invalid parameter '=x': expected NAME=VALUE"),
      (["submit", "reload", "a=1", "a=2"], "duplicate parameter 'a'"),
      (["help", "sumbit"], "unknown verb 'sumbit'; did you mean 'submit'?"),
      (["--limit", "3"], "--limit requires a verb"),
      (["wait", "7", "--quiet", "1s"], "ID and --quiet cannot be combined"),
      (["run"], "COMMAND is required: touchgate run -- COMMAND…"),
      (["run", "--"], "COMMAND is required: touchgate run -- COMMAND…"),
      (["run", "ls"], "unexpected argument 'ls'; a command is written after --"),
      (["hold"], "--why is required: touchgate hold --why TEXT"),
      (["hold", "--", "ls"], "--why is required: touchgate hold --why TEXT -- COMMAND…"),
      (["hold", "--why", "x", "--for", "1h", "--", "ls"], "--for and COMMAND cannot be combined"),
      (["release"], "ID is required: touchgate release ID"),
      (["events", "--since", "-1"], "invalid --since '-1': expected a whole number, 0 or more"),
      (["completion", "zsh"], "invalid SHELL 'zsh': expected bash"),
    ])
  func usage(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try Invocation(parsing: arguments) }
    #expect(error?.reason.description == message)
  }

  @Test("the hint names the verb whose arguments are wrong")
  func hint() {
    #expect(UsageError(.duplicateParameter("x"), verb: "list").hint == "Try: touchgate list --help")
    #expect(UsageError(.duplicateParameter("x")).hint == "Try: touchgate --help")
  }

  @Test("every verb has a help text that begins with how it is called and shows what every verb takes")
  func help() {
    for verb in Verb.all {
      #expect(HelpText.of(verb).hasPrefix("touchgate \(verb.name)"))
      #expect(HelpText.of(verb).contains("--socket PATH"))
    }
    #expect(HelpText.overview.hasPrefix("touchgate"))
    #expect(HelpText.overview.contains("--socket PATH"))
  }
}

private func priority(_ text: String) -> String {
  "invalid --priority '\(text)': expected a whole number from -100 to 100"
}
