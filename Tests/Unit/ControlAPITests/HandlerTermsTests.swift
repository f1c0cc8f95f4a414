import Scheduling
import Testing
import Timeline
import TouchgateAPI

@testable import ControlAPI

@Suite("What a handler says about its submissions")
struct HandlerTermsTests {
  private let now = WallTime(millisecondsSinceEpoch: 1_000_000)

  private func submission(_ fields: String = "") throws -> Submission {
    try Submission(body: Array("{\"handler\":\"menu\"\(fields.isEmpty ? "" : ",")\(fields)}".utf8), now: now)
  }

  private func applied(_ terms: HandlerTerms, _ fields: String = "") throws -> Submission {
    var submission = try submission(fields)
    try submission.apply(terms, file: "menu.conf", at: clocks(now))
    return submission
  }

  /// The field that may not be loosened; nil: the submission is accepted.
  private func refused(_ terms: HandlerTerms, _ fields: String) throws -> String? {
    do {
      _ = try applied(terms, fields)
      return nil
    } catch let refusal as CallRefusal {
      #expect(refusal.status == 403 && refusal.problem.code == "loosens")
      return refusal.problem.field
    }
  }

  private let terms = HandlerTerms(
    key: "menu", screen: "Lobby", quietPeriod: .seconds(30), deadline: .seconds(3600), onDeadline: .apply)

  @Test("where the submission is silent, the handler's terms hold, and nothing else changes")
  func defaults() throws {
    let submission = try applied(terms)
    #expect(submission.key == "menu" && submission.screen == "Lobby")
    #expect(submission.deadline == span(to: now + .seconds(3600)) && submission.onDeadline == .apply)
    #expect(submission.quietPeriod == nil, "the scheduler takes the handler's")
    #expect(try applied(HandlerTerms()) == self.submission())
    #expect(try submission.content == self.submission().content, "the same request is the same update")
  }

  @Test(
    "a submission may tighten each of them",
    arguments: [
      #""key":"menu""#, #""screen":"Lobby""#, #""quietPeriod":"30s""#, #""quietPeriod":"1min""#, #""deadline":"1h""#,
      #""deadline":"1min","onDeadline":"expire""#, #""deadline":"1h","onDeadline":"apply""#,
    ])
  func tightens(_ fields: String) throws {
    #expect(try refused(terms, fields) == nil)
  }

  @Test(
    "and loosen only what Override= names",
    arguments: [
      (#""key":"other""#, HandlerTerms.Term.key, "key"), (#""screen":"Door""#, .screen, "screen"),
      (#""quietPeriod":"29s""#, .quietPeriod, "quietPeriod"), (#""deadline":"61min""#, .deadline, "deadline"),
      (#""deadline":"1min","onDeadline":"force""#, .onDeadline, "onDeadline"),
    ])
  func loosens(_ fields: String, _ term: HandlerTerms.Term, _ field: String) throws {
    #expect(try refused(terms, fields) == field)
    var loose = terms
    loose.overridable = [term]
    #expect(try refused(loose, fields) == nil)
    loose.overridable = Set(HandlerTerms.Term.allCases).subtracting([term])
    #expect(try refused(loose, fields) == field)
  }

  @Test("a time of day that cannot be compared with the handler's deadline yet is refused, unless it may be loosened")
  func clockUnset() throws {
    let body = Array(#"{"handler":"menu","deadline":"04:00"}"#.utf8)
    var submission = try Submission(body: body, at: clocks(now, isSet: false), in: FixedZone(.zero))
    var terms = HandlerTerms(deadline: .seconds(3600))
    let refusal = #expect(throws: CallRefusal.self) {
      try submission.apply(terms, file: "menu.conf", at: clocks(now, isSet: false))
    }
    #expect(refusal?.problem.code == "clockUnset")
    terms.overridable = [.deadline]
    try submission.apply(terms, file: "menu.conf", at: clocks(now, isSet: false))
    #expect(submission.deadline == TimeOfDay("04:00").map(Moment.daily))
  }

  @Test("a time to begin at or after the handler's deadline is refused")
  func beginsTooLate() throws {
    #expect(throws: CallRefusal.self) { try applied(terms, #""notBefore":"1h""#) }
    #expect(try applied(terms, #""notBefore":"59min""#).notBefore == span(to: now + .seconds(3540)))
  }

  @Test("a handler's key is only for submissions without one of their own")
  func defaultKey() throws {
    let policy = HandlerPolicy(key: "menu")
    #expect(try submission().key(policy) == "menu" && submission(#""key":"own""#).key(policy) == "own")
    #expect(try submission().key(HandlerPolicy()) == nil)
  }
}
