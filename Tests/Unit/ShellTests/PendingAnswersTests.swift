import HTTPTypes
import Scheduling
import Testing
import Timeline

@testable import Service

@Suite("Pending answers")
struct PendingAnswersTests {
  var answers = PendingAnswers()
  let menu = UpdateID("menu")
  let page = UpdateID("page")

  private func id<Subject>(_ text: String) throws -> Identifier<Subject> { try #require(Identifier(text)) }

  @Test("a submission is answered once, when the update is durable")
  mutating func acceptance() throws {
    let id: UpdateID = try id("menu")
    answers.awaitAcceptance(id, token(1))
    #expect(answers.arriving == [id])
    #expect(answers.accepted(id) == token(1))
    #expect(answers.accepted(id) == nil && answers.refused(id) == nil && answers.ended(id) == [])
    #expect(answers.arriving == [])
  }

  @Test("a submission that waits for the end is answered then, or at its timeout as accepted")
  mutating func waiting() throws {
    let (menu, page): (UpdateID, UpdateID) = (try id("menu"), try id("page"))
    answers.awaitAcceptance(menu, waitUntil: at(10), token(1))
    answers.awaitAcceptance(page, waitUntil: at(20), token(2))
    #expect(answers.nextDeadline == nil, "its time counts once it is durable")
    #expect(answers.accepted(menu) == nil && answers.accepted(page) == nil)
    #expect(answers.nextDeadline == at(10))
    #expect(answers.timedOut(at: at(9.9)) == [])
    #expect(answers.ended(page) == [token(2)])
    #expect(answers.timedOut(at: at(10)) == [.init(token: token(1), id: menu, accepted: true)])
    #expect(answers.nextDeadline == nil && answers.ended(menu) == [])
  }

  @Test("a submission that could not be stored is answered as refused, with or without wait")
  mutating func refused() throws {
    let id: UpdateID = try id("menu")
    answers.awaitAcceptance(id, waitUntil: at(10), token(1))
    #expect(answers.refused(id) == token(1))
    #expect(answers.nextDeadline == nil)
  }

  @Test("the end of an update answers its cancellation and the requests that wait for it, each once, and no others")
  mutating func ends() throws {
    let (menu, page): (UpdateID, UpdateID) = (try id("menu"), try id("page"))
    answers.awaitEnd(menu, until: nil, accepted: false, token(1))
    answers.awaitRequestedEnd(menu, token(2))
    answers.awaitEnd(page, until: nil, accepted: false, token(3))
    #expect(answers.ended(menu) == [token(1), token(2)])
    #expect(answers.ended(menu) == [])
    #expect(answers.ended(page) == [token(3)])
  }

  @Test("a cancellation that could not be stored is answered, and requests that wait for the end still wait")
  mutating func notEnded() throws {
    let id: UpdateID = try id("menu")
    answers.awaitEnd(id, until: at(5), accepted: false, token(1))
    answers.awaitRequestedEnd(id, token(2))
    #expect(answers.notEnded(id) == token(2))
    #expect(answers.nextDeadline == at(5))
  }

  @Test("of two requests for the same change, the first write answers the first")
  mutating func changes() throws {
    let change = StoreWrite.release(try id("menu"))
    answers.awaitChange(change, token(1))
    answers.awaitChange(change, token(2))
    #expect(answers.changed(.pause(nil)) == nil)
    #expect(answers.changed(change) == token(1))
    #expect(answers.changed(change) == token(2))
    #expect(answers.changed(change) == nil)
  }

  @Test("a client that has disconnected gets no answer")
  mutating func gone() throws {
    let id: UpdateID = try id("menu")
    answers.awaitAcceptance(id, token(1))
    answers.awaitEnd(id, until: at(1), accepted: false, token(2))
    answers.gone(token(1))
    answers.gone(token(2))
    answers.gone(token(3))
    #expect(answers.accepted(id) == nil && answers.ended(id) == [] && answers.nextDeadline == nil)
  }
}
