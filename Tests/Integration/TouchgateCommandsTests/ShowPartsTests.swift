import Testing
import TouchgateAPI
import TouchgateClient

@testable import TouchgateCommands

@Suite("Payload and parameters of an update")
struct ShowPartsTests {
  @Test("show --payload prints the bytes of the answer and nothing else")
  func payload() throws {
    let service = try OneAnswer("as it came")
    let (printed, ended) = try outcome(service, "show", "a b", "--payload")
    #expect(printed == "\"as it came\"" && ended == .success(.success))
    #expect(service.asked() == "GET /v1/updates/a%20b/payload")
  }

  @Test("show --param prints the value of one parameter, and reports a missing one")
  func parameter() throws {
    let service = try OneAnswer(["url": "https://example.org", "other": "x"])
    let (printed, ended) = try outcome(service, "show", "7", "--param", "url")
    #expect(printed == "https://example.org\n" && ended == .success(.success))
    #expect(service.asked() == "GET /v1/updates/7/parameters")
    let missing = try outcome(try OneAnswer(["other": "x"]), "show", "7", "--param", "url")
    #expect(
      missing.ended == .failure(Failure(message: "the update has no parameter 'url'", code: .failure)))
  }

  @Test("permission denied has its own exit status")
  func refused() throws {
    let service = try OneAnswer(status: 403, ProblemReply(Problem(code: "notYours", message: "no, because")))
    let (_, ended) = try outcome(service, "show", "7", "--payload")
    #expect(ended == .failure(Failure(message: "no, because", code: .notPermitted)))
  }
}
