import Testing
import TouchgateAPI
import TouchgateClient

@testable import TouchgateCommands

@Suite("submit, cancel, apply and why against a service")
struct ChangeTests {
  @Test("submit sends every option as it was written, and prints the ID")
  func submitted() throws {
    let service = try OneAnswer(status: 202, update("7"))
    let (printed, ended) = try outcome(
      service, "submit", "reload", "--key", "menu", "--priority", "-5", "--quiet", "30s", "--not-before", "30min",
      "--deadline=2026-11-30T02:00:00Z", "--on-deadline", "apply", "--id", "7")
    #expect(printed == "7\n" && ended == .success(.success))
    #expect(service.asked() == "POST /v1/updates")
    #expect(
      try service.askedBody(SubmitRequest.self)
        == SubmitRequest(
          handler: "reload", clientId: "7", key: "menu", priority: -5, quietPeriod: "30s", notBefore: "30min",
          deadline: "2026-11-30T02:00:00Z", onDeadline: "apply"))
  }

  @Test(
    "each change of an update asks for it and prints nothing",
    arguments: [
      ("cancel", "DELETE /v1/updates/a%20b"), ("apply", "POST /v1/updates/a%20b/apply"),
      ("force", "POST /v1/updates/a%20b/force"), ("retry", "POST /v1/updates/a%20b/retry"),
    ])
  func changed(verb: String, request: String) throws {
    let service = try OneAnswer(update("a b"))
    let (printed, ended) = try outcome(service, verb, "a b")
    #expect(printed.isEmpty && ended == .success(.success))
    #expect(service.asked() == request)
  }

  @Test("with --json a change prints the update")
  func json() throws {
    let cancelled = try outcome(try OneAnswer(update("7", state: "cancelled")), "cancel", "7", "--json")
    #expect(cancelled.printed.contains(#""state":"cancelled""#) && cancelled.printed.hasSuffix("}\n"))
  }

  @Test("pause sends the reason, and resume ends the pause")
  func pausing() throws {
    let service = try OneAnswer(PauseReply(since: "2026-11-30T02:00:00Z", uid: 7, reason: "inventory"))
    let (printed, ended) = try outcome(service, "pause", "--why", "inventory")
    #expect(printed.isEmpty && ended == .success(.success))
    #expect(service.asked() == "POST /v1/pause")
    #expect(try service.askedBody(PauseRequest.self) == PauseRequest(reason: "inventory"))
    let resuming = try OneAnswer(AboutReply(name: "touchgate", version: "1"))
    let resumed = try outcome(resuming, "resume")
    #expect(resumed.ended == .success(.success) && resuming.asked() == "POST /v1/resume")
  }

  @Test(
    "a refusal of a change and of why has its exit status and the service's message",
    arguments: [(404, .noSuchID), (409, .badRequest), (403, .notPermitted)] as [(Int, ExitCode)])
  func refused(status: Int, code: ExitCode) throws {
    let problem = ProblemReply(Problem(code: "x", message: "no, because"))
    let failure = Result<ExitCode, Failure>.failure(Failure(message: "no, because", code: code))
    for verb in ["cancel", "apply", "force", "retry", "why"] {
      let service = try OneAnswer(status: status, problem)
      let (printed, ended) = try outcome(service, verb, "7")
      #expect(printed.isEmpty && ended == failure)
    }
  }

  @Test("why of one update prints its blockers")
  func whyOne() throws {
    let service = try OneAnswer(update("7"))
    let (printed, ended) = try outcome(service, "why", "7")
    #expect(printed == "touched: clears when the last contact ends\n" && ended == .success(.success))
    #expect(service.asked() == "GET /v1/updates/7")
  }

  @Test(
    "why without an ID prints the waiting updates in the order of the service, then those that were not applied",
    arguments: [false, true])
  func whyEverything(json: Bool) throws {
    let service = try OneAnswer(
      WhyReply(
        waiting: [update("old"), update("new")], unapplied: [update("lost", state: "failed")],
        warnings: ["the disk is full"]))
    let (printed, ended) = try json ? outcome(service, "why", "--json") : outcome(service, "why")
    #expect(ended == .success(.success))
    #expect(service.asked() == "GET /v1/why")
    let old = try #require(printed.firstRange(of: "old"))
    let new = try #require(printed.firstRange(of: "new"))
    let lost = try #require(printed.firstRange(of: "lost"))
    #expect(json || old.lowerBound < new.lowerBound && new.lowerBound < lost.lowerBound)
    #expect(json || printed.hasSuffix("the disk is full\n"))
    #expect(printed.hasPrefix("{") == json)
  }
}

private func update(_ id: String, state: String = "waiting") -> UpdateReply {
  let blocker = BlockerReply(code: "touched", since: "", clears: "when the last contact ends")
  return UpdateReply(
    id: id, handler: "reload", state: state, createdAt: "", attempts: 0, checks: nil,
    blockers: state == "waiting" ? [blocker] : [], result: nil)
}
