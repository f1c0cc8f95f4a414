import HTTPTypes
import Handlers
import Scheduling
import ServiceConfiguration
import Testing
import Timeline

@testable import Service

@Suite("Calls: updates")
struct CallsTests {
  private let menu = #"{"handler": "menu", "id": "a"}"#

  @Test("a submission is answered when it is durable, and not before")
  func durable() throws {
    let bench = try CallsBench()
    let token = bench.socket.request("POST", "/v1/updates", body: menu)
    bench.calls.takeRequests(bench.now)
    #expect(bench.socket.answer(token) == nil)
    bench.finish()
    #expect(bench.socket.answer(token)?.status == 202)
    #expect(bench.socket.answer(token)?["clientId"] as? String == "a")
    #expect((bench.socket.answer(token)?["id"] as? String)?.count == 26)
    #expect(bench.state("a") == "waiting" && bench.blocker("a") == "noReceiver")
  }

  @Test("the same id again is the same update; with another content it is refused, also within one wake-up")
  func sameID() throws {
    let bench = try CallsBench()
    let other = #"{"handler": "menu", "id": "a", "key": "k"}"#
    let tokens = [menu, menu, other].map { bench.socket.request("POST", "/v1/updates", body: $0) }
    bench.calls.takeRequests(bench.now)
    bench.finish()
    #expect(tokens.map { bench.socket.answer($0)?.status } == [202, 202, 409])
    #expect(bench.socket.answer(tokens[2])?.code == "idInUse")
    #expect(bench.engine.scheduler.waitingCount == 1)
  }

  @Test("what the configuration does not know or allow is refused")
  func refused() throws {
    let bench = try CallsBench()
    #expect(bench.answer("POST", "/v1/updates", #"{"handler": "other"}"#)?.code == "unknownHandler")
    #expect(
      bench.answer("POST", "/v1/updates", #"{"handler": "menu", "parameters": {"x": "1"}}"#)?.code == "badParameter")
    #expect(bench.answer("POST", "/v1/updates", #"{"handler": "sign"}"#, uid: 1001)?.status == 403)
    #expect(bench.answer("POST", "/v1/updates", #"{"handler": "sign"}"#)?.status == 202)
    #expect(bench.answer("GET", "/v1/nothing")?.status == 404)
    #expect(bench.engine.scheduler.waitingCount == 1)
  }

  @Test("a bound also counts what is still being stored; what supersedes does not make the queue longer")
  func bounds() throws {
    let bench = try CallsBench { $0.maxWaitingPerUser = 2 }
    let tokens = ["1", "2", "3"].map { key in
      bench.socket.request("POST", "/v1/updates", body: #"{"handler": "menu", "key": "\#(key)"}"#)
    }
    bench.calls.takeRequests(bench.now)
    bench.finish()
    #expect(tokens.map { bench.socket.answer($0)?.status } == [202, 202, 429])
    #expect(bench.socket.answer(tokens[2])?.headers == ["Retry-After"])
    #expect(bench.answer("POST", "/v1/updates", #"{"handler": "menu", "key": "1"}"#)?.status == 202)
    #expect(bench.answer("POST", "/v1/updates", #"{"handler": "menu", "key": "3"}"#, uid: 1001)?.status == 202)
    #expect(bench.engine.scheduler.waitingCount == 3)
  }

  @Test("a dry run leaves nothing; what may not wait is refused with what it would wait for")
  func dryRun() throws {
    let bench = try CallsBench(touched: true)
    let reply = bench.answer("POST", "/v1/updates?dryRun=1", menu)
    #expect(reply?.status == 200 && reply?.text.contains("noReceiver") == true)
    let refusal = bench.answer("POST", "/v1/updates?ifQuiet=1", menu)
    #expect(refusal?.status == 423 && refusal?.text.contains("touched") == true)
    #expect(bench.answer("GET", "/v1/updates/a")?.status == 404)
  }

  @Test("a submission that waits for the end hears that it was accepted when its time is over")
  func waits() throws {
    let bench = try CallsBench()
    let token = bench.ask("POST", "/v1/updates?wait=5s", menu)
    #expect(bench.calls.nextDeadline == at(6))
    bench.pass(until: 5.9)
    #expect(bench.socket.answer(token) == nil)
    bench.pass(until: 6)
    #expect(bench.socket.answer(token)?.status == 202 && bench.calls.nextDeadline == nil)
  }

  @Test("waiting for an end is answered with it, or with what blocks when its time is over")
  func waitForEnd() throws {
    let bench = try CallsBench()
    _ = bench.ask("POST", "/v1/updates", menu)
    let (short, long) = (bench.ask("GET", "/v1/updates/a/wait?timeout=1s"), bench.ask("GET", "/v1/updates/a/wait"))
    bench.pass(until: 2)
    #expect(
      bench.socket.answer(short)?.status == 408 && bench.socket.answer(short)?.text.contains("noReceiver") == true)
    #expect(bench.socket.answer(long) == nil)
    _ = bench.ask("DELETE", "/v1/updates/a")
    #expect(bench.socket.answer(long)?.status == 200 && bench.socket.answer(long)?["state"] as? String == "cancelled")
    #expect(bench.answer("GET", "/v1/updates/a/wait")?.status == 200, "it has ended already")
  }

  @Test("a client that is gone is owed no answer")
  func gone() throws {
    let bench = try CallsBench()
    let token = bench.ask("POST", "/v1/updates?wait=5s", menu)
    bench.disconnect(token)
    #expect(bench.calls.nextDeadline == nil)
    bench.pass(until: 7)
    #expect(bench.socket.answer(token) == nil && bench.state("a") == "waiting")
  }

  @Test("an update is changed by its submitter and with the right Admin=, and only while it waits")
  func rights() throws {
    let bench = try CallsBench()
    _ = bench.ask("POST", "/v1/updates", menu)
    let id = try #require(bench.id("a"))
    #expect(bench.answer("GET", "/v1/updates/\(id)/payload", uid: 1001)?.status == 403)
    #expect(bench.answer("DELETE", "/v1/updates/\(id)", uid: 1001)?.status == 403)
    #expect(bench.answer("POST", "/v1/updates/a/force")?.status == 403)
    #expect(bench.state("a") == "waiting")
    #expect(bench.answer("DELETE", "/v1/updates/a", uid: 500)?["state"] as? String == "cancelled")
    #expect(bench.answer("DELETE", "/v1/updates/a")?.code == "notWaiting")
    #expect(bench.answer("DELETE", "/v1/updates/b")?.code == "noSuchID")
  }

  @Test("what has ended as not applied can be tried again, unless a newer one has its key")
  func retry() throws {
    let bench = try CallsBench()
    #expect(bench.answer("POST", "/v1/updates", #"{"handler": "menu", "id": "a", "key": "k"}"#)?.status == 202)
    #expect(bench.answer("POST", "/v1/updates/a/retry")?.code == "notEnded")
    _ = bench.ask("DELETE", "/v1/updates/a")
    #expect(bench.answer("POST", "/v1/updates/a/retry")?.status == 200)
    #expect(bench.state("a") == "waiting")
    _ = bench.ask("POST", "/v1/updates", #"{"handler": "menu", "id": "b", "key": "k"}"#)
    #expect(bench.state("a") == "superseded")
    #expect(bench.answer("POST", "/v1/updates/a/retry")?.code == "superseded")
  }

  @Test("after the stop nothing is accepted, and streams end, but for the one that has an update")
  func stop() throws {
    let bench = try CallsBench()
    let (idle, events) = (bench.ask("GET", "/v1/deliveries?handler=sign"), bench.ask("GET", "/v1/events"))
    let busy = bench.ask("GET", "/v1/deliveries?handler=menu")
    _ = bench.ask("POST", "/v1/updates", menu)
    #expect(bench.runner.delivery?.receiver == busy)
    bench.calls.stop(bench.now)
    bench.engine.feed {
      $0.stop(at: bench.now)
      return []
    }
    #expect(bench.socket.streams == [busy] && idle != busy && events != busy)
    #expect(bench.answer("POST", "/v1/updates", #"{"handler": "menu"}"#)?.status == 503)
  }
}
