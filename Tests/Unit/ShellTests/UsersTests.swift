import HTTPTypes
import Handlers
import Scheduling
import Testing
import Timeline
import TouchgateAPI

@testable import Service
@testable import ServiceConfiguration

@Suite("Calls: one user's updates and another's")
struct UsersTests {
  private static let menu = #"{"handler": "menu", "clientId": "a", "parameters": {"page": "secret"}}"#
  private static let guess = #"{"handler": "menu", "clientId": "a", "parameters": {"page": "guess"}}"#

  // MARK: Ids

  @Test("two users call their updates the same: two updates, and neither learns of the other's")
  func sameName() throws {
    let bench = try CallsBench()
    let first = bench.answer("POST", "/v1/updates", Self.menu)
    let second = bench.answer("POST", "/v1/updates", Self.guess, uid: 1001)
    #expect(first?.status == 202 && second?.status == 202)
    #expect(bench.engine.scheduler.waitingCount == 2)
    let ids = (try #require(bench.id("a")), try #require(bench.id("a", uid: 1001)))
    #expect(ids.0 != ids.1 && ids.0.utf8.count == 26 && first?["id"] as? String == ids.0)
    // The right parameters are answered as wrong ones are.
    #expect(bench.answer("POST", "/v1/updates", Self.menu, uid: 1002)?.status == 202)
    #expect(bench.answer("POST", "/v1/updates", Self.guess, uid: 1003)?.status == 202)
    #expect(bench.answer("POST", "/v1/updates", Self.menu)?["id"] as? String == ids.0, "its own is found again")
    #expect(bench.answer("POST", "/v1/updates", Self.guess)?.code == "idInUse")
  }

  @Test("a name is the caller's own; another's update is found by its id only, and changed by nobody else")
  func lookup() throws {
    let bench = try CallsBench()
    _ = bench.ask("POST", "/v1/updates", Self.menu)
    let id = try #require(bench.id("a"))
    #expect(bench.answer("GET", "/v1/updates/a", uid: 1001)?.status == 404)
    #expect(bench.answer("GET", "/v1/updates/a?user=1000", uid: 1001)?.status == 403)
    #expect(bench.answer("GET", "/v1/updates/\(id)", uid: 1001)?.status == 200)
    #expect(bench.answer("GET", "/v1/updates/\(id)/parameters", uid: 1001)?.status == 403)
    #expect(bench.answer("DELETE", "/v1/updates/\(id)", uid: 1001)?.status == 403)
    #expect(bench.answer("DELETE", "/v1/updates/a", uid: 1001)?.status == 404)
    #expect(bench.answer("GET", "/v1/updates/a?user=1000")?["id"] as? String == id)
    #expect(bench.answer("GET", "/v1/updates/a?user=me")?.status == 400)
  }

  @Test("an administrator finds the own update first, else the only one of that name, else is told the candidates")
  func administrator() throws {
    let bench = try CallsBench()
    _ = bench.ask("POST", "/v1/updates", Self.menu)
    let id = try #require(bench.id("a"))
    #expect(bench.id("a", uid: 500) == id)
    _ = bench.ask("POST", "/v1/updates", Self.guess, uid: 1001)
    let other = try #require(bench.id("a", uid: 1001))
    let refusal = bench.answer("DELETE", "/v1/updates/a", uid: 500)
    #expect(refusal?.status == 409 && refusal?.code == "ambiguousID")
    let candidates = (refusal?["error"] as? [String: Any])?["candidates"] as? [[String: Any]]
    #expect(candidates?.map { $0["id"] as? String } == [id, other])
    #expect(bench.answer("DELETE", "/v1/updates/a?user=1001", uid: 500)?["state"] as? String == "cancelled")
    #expect(bench.state(id) == "waiting" && bench.state(other) == "cancelled")
    _ = bench.ask("POST", "/v1/updates", Self.menu, uid: 500)
    #expect(bench.answer("DELETE", "/v1/updates/a", uid: 500)?["uid"] as? Int == 500)
    #expect(bench.state(id) == "waiting")
  }

  @Test("the id of an update is no name for another, whoever asks")
  func idOfUpdate() throws {
    let bench = try CallsBench()
    _ = bench.ask("POST", "/v1/updates", Self.menu)
    let id = try #require(bench.id("a"))
    for uid in [1000, 1001] as [UInt32] {
      let refusal = bench.answer("POST", "/v1/updates", #"{"handler": "menu", "clientId": "\#(id)"}"#, uid: uid)
      #expect(refusal?.status == 409 && refusal?.code == "idInUse")
    }
  }

  // MARK: Keys

  @Test("a key is its user's: another user supersedes nothing with it, also by a retry")
  func keys() throws {
    let bench = try CallsBench()
    let keyed = #"{"handler": "menu", "clientId": "a", "key": "k"}"#
    _ = bench.ask("POST", "/v1/updates", keyed)
    _ = bench.ask("DELETE", "/v1/updates/a")
    _ = bench.ask("POST", "/v1/updates", keyed, uid: 1001)
    #expect(bench.answer("POST", "/v1/updates/a/retry")?["state"] as? String == "waiting")
    #expect(bench.engine.scheduler.waitingCount == 2)
  }

  @Test("with SharedKeys=yes the users of a handler supersede each other's updates")
  func sharedKeys() throws {
    let bench = try CallsBench {
      $0.handlers["menu"] = HandlerDefinition(
        name: "menu", file: "menu.conf", kind: .delivery, policy: HandlerPolicy(sharesKeys: true))
    }
    let keyed = #"{"handler": "menu", "clientId": "a", "key": "k"}"#
    _ = bench.ask("POST", "/v1/updates", keyed)
    _ = bench.ask("POST", "/v1/updates", keyed, uid: 1001)
    #expect(bench.state("a") == "superseded")
    #expect(bench.answer("POST", "/v1/updates/a/retry")?.code == "superseded")
  }

  // MARK: Limits

  @Test("a user has at most 16 holds, and root as many as there may be")
  func holdsPerUser() throws {
    let bench = try CallsBench()
    let body = #"{"reason": "demo"}"#
    for _ in 0..<Limits.holds.perUser { _ = bench.ask("POST", "/v1/holds", body) }
    #expect(bench.answer("POST", "/v1/holds", body)?.code == "tooManyHolds")
    for _ in 0..<Limits.holds.perUser + 1 { _ = bench.ask("POST", "/v1/holds", body, uid: 0) }
    #expect(bench.engine.scheduler.activeHolds.count == 2 * Limits.holds.perUser + 1)
  }

  @Test("at 64 holds the last one of the user who has most ends, and its stream; then another user may hold")
  func holdsInTotal() throws {
    let bench = try CallsBench()
    let body = #"{"reason": "demo"}"#
    var last: RequestToken?
    for uid in 1000..<1004 as Range<UInt32> {
      for _ in 0..<Limits.holds.perUser { last = bench.ask("POST", "/v1/holds", body, uid: uid) }
    }
    let victim = try #require(last)
    #expect(bench.socket.streams.contains(victim))
    #expect(bench.answer("POST", "/v1/holds", #"{"reason": "mine", "ttl": "1min"}"#, uid: 0)?.status == 201)
    let holds = bench.engine.scheduler.activeHolds
    #expect(holds.count == Limits.holds.all && holds.contains { $0.owner.uid == 0 })
    #expect(holds.count { $0.owner.uid == 1003 } == Limits.holds.perUser - 1 && !bench.socket.streams.contains(victim))
    #expect(bench.answer("POST", "/v1/holds", body, uid: 1003)?.code == "tooManyHolds")
  }

  @Test("the hold that ends at the limit is of the user who has most, although another's is newer")
  func newerHoldOfOther() throws {
    let bench = try CallsBench()
    let body = #"{"reason": "demo"}"#
    var newest: RequestToken?
    for (uid, count) in [(1000, 16), (1001, 16), (1002, 16), (1003, 15), (1004, 1)] as [(UInt32, Int)] {
      for _ in 0..<count { newest = bench.ask("POST", "/v1/holds", body, uid: uid) }
    }
    try #require(bench.engine.scheduler.activeHolds.count == Limits.holds.all)
    _ = bench.ask("POST", "/v1/holds", body, uid: 1005)
    let owners = bench.engine.scheduler.activeHolds.map(\.owner.uid)
    #expect(owners.count == Limits.holds.all && owners.suffix(2) == [1004, 1005])
    #expect(bench.socket.streams.contains(try #require(newest)))
  }

  @Test("submissions that come at the same moment count for each other at the limit of the queue")
  func sameMoment() throws {
    let bench = try CallsBench(touched: true) { $0.maxWaiting = 2 }
    let tokens = (1...3).map {
      bench.socket.request("POST", "/v1/updates", body: #"{"handler": "menu", "clientId": "u\#($0)"}"#)
    }
    bench.calls.takeRequests(bench.now)
    bench.finish()
    #expect(tokens.map { bench.socket.answer($0)?.status } == [202, 202, 429])
  }

  // MARK: A configuration that became narrower

  @Test("a narrowed Param= reaches what was accepted before: it is refused at its start, with all attempts left")
  func narrowedParameter() throws {
    let bench = try CallsBench {
      $0.handlers["menu"] = HandlerDefinition(
        name: "menu", file: "menu.conf", kind: .delivery, parameters: [ParameterDefinition(name: "page", pattern: nil)],
        policy: HandlerPolicy(attempts: 3))
    }
    _ = bench.ask("POST", "/v1/updates", Self.menu)
    bench.reload {
      $0.handlers["menu"] = HandlerDefinition(
        name: "menu", file: "menu.conf", kind: .delivery,
        parameters: [ParameterDefinition(name: "page", pattern: "^public$")], policy: HandlerPolicy(attempts: 3))
    }
    let receiver = bench.ask("GET", "/v1/deliveries?handler=menu")
    #expect(bench.state("a") == "failed" && bench.socket.answer(receiver)?.text == "")
    let shown = bench.answer("GET", "/v1/updates/a")
    #expect(shown?.text.contains("parameter page must match") == true)
    #expect(bench.answer("POST", "/v1/updates/a/retry")?.code == "notPermitted", "nor may it be retried")
    #expect(bench.state("a") == "failed")
  }

  @Test("a narrowed AllowUsers= reaches what was accepted before, also after a failure and for a forced update")
  func narrowedUsers() throws {
    let bench = try CallsBench()
    _ = bench.ask("POST", "/v1/updates", Self.menu)
    _ = bench.ask("POST", "/v1/updates", Self.menu, uid: 500)
    bench.reload { $0.handlers["menu"] = Self.only("1001") }
    let receiver = bench.ask("GET", "/v1/deliveries?handler=menu", uid: 1001)
    #expect(bench.state("a") == "failed")
    #expect(bench.answer("GET", "/v1/updates/a")?.text.contains("user 1000 is no longer allowed") == true)
    #expect(bench.socket.answer(receiver)?["clientId"] as? String == "a", "an administrator uses every handler")
    #expect(bench.runner.delivery?.update.submitter.uid == 500)
    #expect(bench.answer("POST", "/v1/updates/a/retry")?.code == "notPermitted")
  }

  private static func only(_ user: String) -> HandlerDefinition {
    HandlerDefinition(
      name: "menu", file: "menu.conf", kind: .delivery, parameters: [ParameterDefinition(name: "page", pattern: nil)],
      allowed: try? Principals(users: user))
  }

  // MARK: Grab

  @Test("a turn that grabs the screens requires the right Grab=; handlers of the administrator do not")
  func grab() throws {
    let bench = try CallsBench { $0.rights.grab = try Principals(users: "1001") }
    let refusal = bench.answer("POST", "/v1/turns", #"{"guard": "grab"}"#)
    #expect(refusal?.status == 403 && refusal?.text.contains("Grab=") == true)
    #expect(bench.engine.scheduler.inProgress == nil)
    #expect(bench.answer("POST", "/v1/turns", #"{"guard": "verify"}"#)?["startedAt"] != nil)
    _ = bench.ask("POST", "/v1/turns", #"{"guard": "grab"}"#, uid: 1001)
    #expect(bench.engine.scheduler.isAnythingWaiting)
  }
}
