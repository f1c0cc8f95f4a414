import Testing
import TouchgateAPI
import TouchgateClient

@testable import TouchgateCommands

@Suite("what was submitted with an update, for the unit that applies it")
struct ShowPartsTests {
  @Test("show --payload prints the bytes of the answer and nothing else")
  func payload() throws {
    let service = try OneAnswer("as it came")
    let (printed, ended) = try outcome(service) { session throws(Failure) in try showPayload("a b", session) }
    #expect(printed == "\"as it came\"" && ended == .success(.done))
    #expect(service.asked() == "GET /v1/updates/a%20b/payload")
  }

  @Test("show --param prints the value of one parameter, and says so where there is none")
  func parameter() throws {
    let service = try OneAnswer(["url": "https://example.org", "other": "x"])
    let (printed, ended) = try outcome(service) { session throws(Failure) in try showParameter("7", "url", session) }
    #expect(printed == "https://example.org\n" && ended == .success(.done))
    #expect(service.asked() == "GET /v1/updates/7/parameters")
    let missing = try outcome(try OneAnswer(["other": "x"])) { session throws(Failure) in
      try showParameter("7", "url", session)
    }
    #expect(
      missing.ended == .failure(Failure(message: "the update has no parameter 'url'", code: .otherwise)))
  }

  @Test("who may not is told, by the exit code too")
  func refused() throws {
    let service = try OneAnswer(status: 403, ProblemReply(Problem(code: "notYours", message: "no, because")))
    let (_, ended) = try outcome(service) { session throws(Failure) in try showPayload("7", session) }
    #expect(ended == .failure(Failure(message: "no, because", code: .notPermitted)))
  }
}
