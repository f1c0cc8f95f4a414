import Testing
import TouchgateAPI
import TouchgateClient

@testable import TouchgateCommands

@Suite("touchgate feedback")
struct FeedbackTests {
  @Test("feedback takes a kind, and after -- the command with everything that looks like an option")
  func arguments() throws {
    #expect(isSame(try Invocation(parsing: ["feedback", "light"]).action, Feedback(kind: "light", command: [])))
    let running = try Invocation(parsing: ["feedback", "success", "--json", "--", "ls", "--json", "-h"])
    #expect(isSame(running.action, Feedback(kind: "success", command: ["ls", "--json", "-h"])) && running.json)
    #expect(isSame(try Invocation(parsing: ["feedback", "--self-test"]).action, FeedbackSelfTest()))
    #expect(isSame(try Invocation(parsing: ["feedback", "--help"]).action, Help(verb: "feedback")))
  }

  @Test(
    "each wrong argument has its error",
    arguments: [
      (["feedback"], "KIND is required: success, warning"), (["feedback", "sucess"], "did you mean 'success'?"),
      (["feedback", "light", "ls"], "unexpected argument 'ls'"),
      (["feedback", "light", "--self-test"], "KIND and --self-test cannot be combined"),
      (["feedback", "--self-test", "--", "ls"], "--self-test and COMMAND cannot be combined"),
      (["status", "--self-test"], "'status' has no option --self-test"),
    ])
  func wrong(_ arguments: [String], _ words: String) {
    let error = #expect(throws: UsageError.self) { try Invocation(parsing: arguments) }
    #expect(error?.reason.description.contains(words) == true, "\(error?.reason.description ?? "")")
  }

  @Test("the client sends the name of the kind")
  func asked() throws {
    let service = try OneAnswer(FeedbackReply(kind: "error", skewMs: 0.4))
    #expect(try TouchgateConnection(path: service.path).play("error").skewMs == 0.4)
    #expect(service.asked() == "POST /v1/feedback")
    #expect(try service.askedBody(FeedbackRequest.self) == FeedbackRequest(kind: "error"))
  }

  @Test("the action runs once and returns its result: after the answer, after a refusal, and without a service")
  func action() throws {
    var ran = 0
    let service = try OneAnswer(FeedbackReply(kind: "light"))
    let seven = TouchgateConnection(path: service.path).feedback("light") {
      ran += 1
      return 7
    }
    #expect(seven == 7)
    #expect(service.asked() == "POST /v1/feedback" && ran == 1)
    let refusing = try OneAnswer(status: 503, ProblemReply(Problem(code: "stopping", message: "stops")))
    TouchgateConnection(path: refusing.path).feedback("light") { ran += 1 }
    TouchgateConnection(path: "/tmp/no-such-touchgate").feedback("light") { ran += 1 }
    #expect(ran == 3)
  }

  @Test("the self-test prints median and worst, and how often nothing was felt")
  func selfTest() {
    var test = SelfTest()
    test.device = "drv260x"
    for number in [3.0, 1, 2] { test.add(FeedbackReply(kind: "light", fireMs: number / 10, skewMs: number)) }
    test.add(FeedbackReply(kind: "light", silentBecause: "late"))
    #expect(
      test.text == """
        device    drv260x
        plays     3 of 4
        silent    late
        fire      median 0.2 ms, worst 0.3 ms
        skew      median 2.0 ms, worst 3.0 ms

        """)
    #expect(test.wasFelt)
    var silent = SelfTest()
    silent.add(FeedbackReply(kind: "light", silentBecause: "no device has force feedback"))
    #expect(silent.text == "device    none\nplays     0 of 1\nsilent    no device has force feedback\n")
    #expect(!silent.wasFelt)
  }
}
