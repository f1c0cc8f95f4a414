import Testing
import TouchgateAPI

@testable import TouchgateCommands

@Suite("wait, run and hold")
struct WaitingTests {
  @Test("wait reports how the update ended", arguments: ["applied", "waiting", "failed"])
  func ended(state: String) throws {
    let result = ResultReply(exitCode: 3, message: "exited with 3\n", finishedAt: "", releaseToStartMs: nil)
    let service = try OneAnswer(
      UpdateReply(
        id: "7", handler: "reload", state: state, createdAt: "", attempts: 1, checks: nil, blockers: [],
        result: state == "failed" ? result : nil))
    let (printed, ended) = try outcome(service, "wait", "7", "--timeout", "1s")
    #expect(printed == "" && service.asked() == "GET /v1/updates/7/wait?timeout=1s")
    switch state {
    case "applied": #expect(ended == .success(.success))
    case "waiting": #expect(ended == .success(.tryAgain))
    default:
      let message = "the update was not applied: failed, exited with 3"
      #expect(ended == .failure(Failure(message: message, code: .failure)))
    }
  }

  @Test("wait without an ID asks for quiet")
  func quiet() throws {
    let service = try OneAnswer(QuietReply())
    let (printed, ended) = try outcome(service, "wait", "--quiet", "30s", "--screen", "till", "--json")
    #expect(printed == "{\"quiet\":true}\n" && ended == .success(.success))
    #expect(service.asked() == "GET /v1/quiet?for=30s&screen=till")
  }

  @Test(
    "before the command runs, a time-out is 75 and every other refusal is 125",
    arguments: [(408, .tryAgain), (403, .notStarted), (503, .notStarted)] as [(Int, ExitCode)])
  func refused(status: Int, code: ExitCode) throws {
    let problem = ProblemReply(Problem(code: "x", message: "no, because"))
    let failure = Result<ExitCode, Failure>.failure(Failure(message: "no, because", code: code))
    let run = try OneAnswer(status: status, problem)
    #expect(try outcome(run, "run", "--guard", "--", "true").ended == failure)
    #expect(run.asked() == "POST /v1/turns")
    #expect(try run.askedBody(TurnRequest.self) == TurnRequest(guard: "grab"))
    let hold = try OneAnswer(status: status, problem)
    #expect(try outcome(hold, "hold", "--why", "x", "--", "true").ended == failure)
    #expect(try hold.askedBody(HoldRequest.self) == HoldRequest(reason: "x"))
  }

  @Test("run does not start the command if the service stops before the turn")
  func noTurn() throws {
    let failure = Failure(message: "the command was not started: touchgated was stopped", code: .notStarted)
    #expect(try outcome(try OneAnswer(""), "run", "--", "true").ended == .failure(failure))
  }

  @Test("hold without a command ends with 75 if the service ends it, and says why")
  func released() throws {
    let failure = Failure(message: "the hold has ended: released by user 0", code: .tryAgain)
    let released = try OneAnswer(TurnEndReply(ended: "released by user 0"), isLine: true)
    #expect(try outcome(released, "hold", "--why", "x").ended == .failure(failure))
    let stopped = Failure(message: "the hold has ended: touchgated was stopped", code: .tryAgain)
    #expect(try outcome(try OneAnswer(""), "hold", "--why", "x").ended == .failure(stopped))
  }

  @Test("hold --for prints the ID, and release sends it")
  func bounded() throws {
    let reply = HoldReply(
      id: "01J", screen: nil, uid: 0, pid: 1, unit: nil, reason: "x", since: "", until: "2026-11-30T02:00:00Z")
    let service = try OneAnswer(reply)
    let (printed, ended) = try outcome(service, "hold", "--why", "x", "--for", "1h")
    #expect(printed == "01J\n" && ended == .success(.success))
    #expect(try service.askedBody(HoldRequest.self) == HoldRequest(reason: "x", ttl: "1h"))
    let releasing = try OneAnswer(AboutReply(name: "touchgate", version: "1"))
    #expect(try outcome(releasing, "release", "01J").ended == .success(.success))
    #expect(releasing.asked() == "DELETE /v1/holds/01J")
    let problem = ProblemReply(Problem(code: "noSuchHold", message: "there is no hold 01J"))
    #expect(
      try outcome(try OneAnswer(status: 404, problem), "release", "01J").ended
        == .failure(Failure(message: "there is no hold 01J", code: .noSuchID)))
  }
}
