import HTTPTypes
import Scheduling
import ServiceConfiguration
import Testing
import Timeline

@testable import Service

@Suite("Open replies")
struct OpenRepliesTests {
  var replies = OpenReplies()

  private func id<Subject>(_ text: String) throws -> Identifier<Subject> { try #require(Identifier(text)) }

  private func turn(_ number: UInt64, deadline: Instant? = nil, isMoment: Bool = false) -> OpenReplies.OpenTurn {
    OpenReplies.OpenTurn(token: token(number), deadline: deadline, guardKind: .verify, isMoment: isMoment)
  }

  @Test("a bound hold ends with its client, once")
  mutating func hold() throws {
    let id: HoldID = try id("hold")
    replies.open(.hold(id), token(1))
    #expect(replies.gone(token(1)) == .hold(id))
    #expect(replies.gone(token(1)) == nil)
  }

  @Test("releasing a bound hold closes its stream, and the later disconnect of its client has no effect")
  mutating func released() throws {
    let id: HoldID = try id("hold")
    replies.open(.hold(id), token(1))
    #expect(replies.closeHold(id) == token(1))
    #expect(replies.closeHold(id) == nil && replies.gone(token(1)) == nil)
  }

  @Test("a waiting turn ends with its client, before it has a stream and after")
  mutating func turnGone() throws {
    let (first, second): (TurnID, TurnID) = (try id("a"), try id("b"))
    replies.awaitTurn(first, turn(1))
    replies.awaitTurn(second, turn(2))
    #expect(replies.startTurn(second, at: at(1))?.hasStarted == true)
    #expect(replies.gone(token(1)) == .turn(first))
    #expect(replies.gone(token(2)) == .turn(second))
    #expect(replies.endTurn(second)?.hasStarted == true)
    #expect(replies.gone(token(2)) == nil)
  }

  @Test("only a turn that has not begun can time out")
  mutating func overdue() throws {
    let (first, second, third): (TurnID, TurnID, TurnID) = (try id("a"), try id("b"), try id("c"))
    replies.awaitTurn(first, turn(1, deadline: at(5)))
    replies.awaitTurn(second, turn(2, deadline: at(3)))
    replies.awaitTurn(third, turn(3))
    #expect(replies.nextDeadline == at(3))
    _ = replies.startTurn(second, at: at(1))
    #expect(replies.nextDeadline == at(5))
    #expect(replies.overdueTurns(at: at(4.9)) == [])
    #expect(replies.overdueTurns(at: at(5)) == [first])
  }

  @Test("a turn that has begun lasts as long as it may, and one without a limit as its owner wants")
  mutating func overrun() throws {
    let (first, second): (TurnID, TurnID) = (try id("a"), try id("b"))
    var limited = turn(1)
    limited.longest = .seconds(10)
    replies.awaitTurn(first, limited)
    replies.awaitTurn(second, turn(2))
    #expect(replies.nextDeadline == nil, "the time counts from its beginning")
    _ = replies.startTurn(first, at: at(5))
    _ = replies.startTurn(second, at: at(5))
    #expect(replies.nextDeadline == at(15))
    #expect(replies.overrunTurn(at: at(14.9)) == nil && replies.overrunTurn(at: at(15)) == first)
    _ = replies.endTurn(first)
    #expect(replies.nextDeadline == nil && replies.overrunTurn(at: at(1000)) == nil)
  }

  @Test("a turn that only waits for quiet ends as soon as it begins")
  mutating func moment() throws {
    let id: TurnID = try id("a")
    replies.awaitTurn(id, turn(1, isMoment: true))
    #expect(replies.startTurn(id, at: at(1))?.hasStarted == false)
    #expect(replies.turn(id) == nil && replies.gone(token(1)) == nil)
  }

  @Test("receivers are listed in the order in which they connected, and the last one to disconnect is reported")
  mutating func receivers() {
    replies.connect(.init(token: token(1), handler: "notice", user: 7))
    replies.connect(.init(token: token(2), handler: "menu", user: 7))
    replies.connect(.init(token: token(3), handler: "notice", user: 8))
    #expect(replies.receivers(of: "notice").map(\.token) == [token(1), token(3)])
    #expect(replies.gone(token(1)) == .receiver(handler: "notice", isLast: false))
    #expect(replies.receivers(of: "notice").map(\.user) == [8])
    #expect(replies.gone(token(3)) == .receiver(handler: "notice", isLast: true))
    #expect(replies.receiver(token(2))?.handler == "menu")
  }
}
