import Testing
import TouchgateAPI

@testable import TouchgateCommands

@Suite("Arguments")
struct InvocationTests {
  @Test("submit takes a handler, parameters, payload and id, and options may stand anywhere")
  func submit() throws {
    let arguments = ["--socket", "/s", "submit", "--id=7", "reload", "url=a=b", "--payload", "-", "empty=", "--json"]
    let invocation = try Invocation(parsing: arguments)
    #expect(invocation.socket == "/s")
    #expect(invocation.json)
    #expect(
      invocation.verb
        == .submit(
          Submission(
            SubmitRequest(handler: "reload", parameters: ["url": "a=b", "empty": ""], id: "7"), payload: "-")))
  }

  @Test("after -- nothing is an option")
  func operandsOnly() throws {
    #expect(
      try Invocation(parsing: ["submit", "--", "reload", "--x=1"]).verb
        == .submit(Submission(SubmitRequest(handler: "reload", parameters: ["--x": "1"]))))
  }

  @Test(
    "every other verb",
    arguments: [
      (["status"], .status), (["status", "--watch"], .watch), (["status", "7"], .show(id: "7")),
      (["show", "7", "--payload"], .payload(id: "7")),
      (["show", "7", "--param", "url"], .parameter(id: "7", name: "url")), (["show", "7"], .show(id: "7")),
      (["list"], .list(state: nil, limit: nil)),
      (["list", "--state", "waiting", "--limit", "5"], .list(state: "waiting", limit: 5)), (["version"], .version),
      (["why"], .why(id: nil)), (["why", "7"], .why(id: "7")), (["cancel", "7"], .cancel(id: "7")),
      (["apply", "7"], .apply(id: "7")), (["cancel", "-h"], .help(.cancel)),
      (["--version"], .version), (["help"], .help(nil)), (["--help"], .help(nil)), (["help", "list"], .help(.list)),
      (["list", "-h"], .help(.list)), (["submit", "--help"], .help(.submit)),
    ] as [([String], Invocation.Verb)])
  func verbs(arguments: [String], verb: Invocation.Verb) throws {
    #expect(try Invocation(parsing: arguments).verb == verb)
  }

  @Test(
    "what is wrong is named",
    arguments: [
      (
        [],
        "say what to do: submit, status, list, show, why, cancel, apply, force, retry, wait, run, hold, holds, release, "
          + "pause, resume, screens, events, feedback, help, version"
      ),
      (["stauts"], "there is no 'stauts'; did you mean 'status'?"),
      (["lst"], "there is no 'lst'; did you mean 'list'?"),
      (["frobnicate"], "there is no 'frobnicate'"),
      (["list", "--limt", "3"], "there is no option '--limt'; did you mean --limit?"),
      (["list", "-x"], "there is no option '-x'"),
      (["list", "--watch"], "'list' has no option --watch"),
      (["list", "--limit", "0"], "--limit '0' is not a number of updates; write 1 or more"),
      (["list", "--limit"], "--limit needs a value"),
      (["list", "--json=1"], "--json takes no value"),
      (["list", "--state", "a", "--state", "b"], "--state is given twice"),
      (["list", "a"], "'a' is one argument too many"),
      (["show", "7", "--payload", "--param", "url"], "--payload and --param are two questions; ask one"),
      (["show"], "say which update: show ID"),
      (["cancel"], "say which update: cancel ID"),
      (["apply"], "say which update: apply ID"),
      (["cancel", "7", "8"], "'8' is one argument too many"),
      (["why", "7", "8"], "'8' is one argument too many"),
      (["apply", "7", "--quiet", "1s"], "'apply' has no option --quiet"),
      (["submit", "reload", "--priority", "high"], priority("high")),
      (["submit", "reload", "--priority=1.5"], priority("1.5")),
      (
        ["submit", "reload", "--on-deadlin", "apply"], "there is no option '--on-deadlin'; did you mean --on-deadline?"
      ),
      (["status", "7", "--watch"], "--watch is about the screens and takes no id"),
      (["submit"], "say which handler: submit HANDLER [NAME=VALUE…]"),
      (["submit", "url=x"], "the handler comes first, and 'url=x' is a parameter"),
      (["submit", "reload", "url"], "'url' is not a parameter; write NAME=VALUE"),
      (["submit", "reload", "=x"], "'=x' is not a parameter; write NAME=VALUE"),
      (["submit", "reload", "a=1", "a=2"], "parameter 'a' is given twice"),
      (["help", "sumbit"], "there is no 'sumbit'; did you mean 'submit'?"),
    ])
  func usage(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try Invocation(parsing: arguments) }
    #expect(error?.message == message)
  }

  @Test("the hint names the verb that went wrong")
  func hint() {
    #expect(UsageError("x", verb: .list).hint == "Try: touchgate list --help")
    #expect(UsageError("x").hint == "Try: touchgate --help")
  }

  @Test("every verb has a help text that begins with how it is called and shows what every verb takes")
  func help() {
    for verb in VerbName.allCases {
      #expect(helpText(verb).hasPrefix("touchgate"))
      #expect(helpText(verb).contains("--socket PATH"))
    }
  }
}

private func priority(_ text: String) -> String {
  "--priority '\(text)' is not a whole number; write -100 to 100, higher is first"
}
