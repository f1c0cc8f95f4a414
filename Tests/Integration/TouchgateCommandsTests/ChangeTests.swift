import Testing
import TouchgateAPI
import TouchgateClient

@testable import TouchgateCommands

@Suite("submit, cancel, apply and why against a service")
struct ChangeTests {
  @Test("submit hands over every option as it was written, and prints the id")
  func submitted() throws {
    let service = try OneAnswer(status: 202, update("7"))
    let arguments = [
      "submit", "reload", "--key", "menu", "--priority", "-5", "--quiet", "30s", "--not-before", "30min",
      "--deadline=2026-11-30T02:00:00Z", "--on-deadline", "apply", "--id", "7",
    ]
    guard case .submit(let submission) = try Invocation(parsing: arguments).verb else {
      Issue.record("not a submission")
      return
    }
    let (printed, ended) = try outcome(service) { session throws(Failure) in try submit(submission, session) }
    #expect(printed == "7\n" && ended == .success(.done))
    #expect(service.asked() == "POST /v1/updates")
    #expect(
      try service.askedBody(SubmitRequest.self)
        == SubmitRequest(
          handler: "reload", id: "7", key: "menu", priority: -5, quietPeriod: "30s", notBefore: "30min",
          deadline: "2026-11-30T02:00:00Z", onDeadline: "apply"))
  }

  /// Everything that changes one update, as the command line does it.
  private func changing(_ verb: String, _ id: String, _ session: Session) throws(Failure) -> ExitCode {
    try change(session) { service throws(ClientError) in
      switch verb {
      case "cancel": try service.cancel(id)
      case "apply": try service.apply(id)
      case "force": try service.force(id)
      default: try service.retry(id)
      }
    }
  }

  @Test(
    "each change of an update asks for it and prints nothing",
    arguments: [
      ("cancel", "DELETE /v1/updates/a%20b"), ("apply", "POST /v1/updates/a%20b/apply"),
      ("force", "POST /v1/updates/a%20b/force"), ("retry", "POST /v1/updates/a%20b/retry"),
    ])
  func changed(verb: String, request: String) throws {
    let service = try OneAnswer(update("a b"))
    let (printed, ended) = try outcome(service) { session throws(Failure) in try changing(verb, "a b", session) }
    #expect(printed.isEmpty && ended == .success(.done))
    #expect(service.asked() == request)
  }

  @Test("with --json a change prints the update")
  func json() throws {
    let cancelled = try outcome(try OneAnswer(update("7", state: "cancelled")), json: true) {
      session throws(Failure) in try changing("cancel", "7", session)
    }
    #expect(cancelled.printed.contains(#""state":"cancelled""#) && cancelled.printed.hasSuffix("}\n"))
  }

  @Test("pause hands over why, and resume ends it")
  func pausing() throws {
    let service = try OneAnswer(PauseReply(since: "2026-11-30T02:00:00Z", uid: 7, reason: "inventory"))
    let (printed, ended) = try outcome(service) { session throws(Failure) in try pause("inventory", session) }
    #expect(printed.isEmpty && ended == .success(.done))
    #expect(service.asked() == "POST /v1/pause")
    #expect(try service.askedBody(PauseRequest.self) == PauseRequest(reason: "inventory"))
    let resuming = try OneAnswer(AboutReply(name: "touchgate", version: "1"))
    let resumed = try outcome(resuming) { session throws(Failure) in try resume(session) }
    #expect(resumed.ended == .success(.done) && resuming.asked() == "POST /v1/resume")
  }

  @Test(
    "a refusal of a change and of why has its exit code and the service's words",
    arguments: [(404, .noSuchID), (409, .badRequest), (403, .notPermitted)] as [(Int, ExitCode)])
  func refused(status: Int, code: ExitCode) throws {
    let problem = ProblemReply(Problem(code: "x", message: "no, because"))
    let failure = Result<ExitCode, Failure>.failure(Failure(message: "no, because", code: code))
    for verb in ["cancel", "apply", "force", "retry", "why"] {
      let service = try OneAnswer(status: status, problem)
      let (printed, ended) = try outcome(service) { session throws(Failure) in
        try verb == "why" ? why("7", session) : changing(verb, "7", session)
      }
      #expect(printed.isEmpty && ended == failure)
    }
  }

  @Test("why of one update prints its blockers")
  func whyOne() throws {
    let service = try OneAnswer(update("7"))
    let (printed, ended) = try outcome(service) { session throws(Failure) in try why("7", session) }
    #expect(printed == "touched: clears when the last contact ends\n" && ended == .success(.done))
    #expect(service.asked() == "GET /v1/updates/7")
  }

  @Test(
    "why of all prints what waits in the order of the service, then what ended unapplied", arguments: [false, true])
  func whyEverything(json: Bool) throws {
    let service = try OneAnswer(
      WhyReply(waiting: [update("old"), update("new")], unapplied: [update("lost", state: "failed")]))
    let (printed, ended) = try outcome(service, json: json) { session throws(Failure) in try whyAll(session) }
    #expect(ended == .success(.done))
    #expect(service.asked() == "GET /v1/why")
    let old = try #require(printed.firstRange(of: "old"))
    let new = try #require(printed.firstRange(of: "new"))
    let lost = try #require(printed.firstRange(of: "lost"))
    #expect(json || old.lowerBound < new.lowerBound && new.lowerBound < lost.lowerBound)
    #expect(printed.hasPrefix("{") == json)
  }
}

private func update(_ id: String, state: String = "waiting") -> UpdateReply {
  let blocker = BlockerReply(code: "touched", since: "", clears: "when the last contact ends")
  return UpdateReply(
    id: id, handler: "reload", state: state, createdAt: "", attempts: 0, checks: nil,
    blockers: state == "waiting" ? [blocker] : [], result: nil)
}
