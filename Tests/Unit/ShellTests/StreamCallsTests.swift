import HTTPTypes
import Handlers
import Scheduling
import ServiceConfiguration
import Testing
import Timeline
import TouchgateAPI
import UpdateStore

@testable import Service

@Suite("Calls: pauses, holds, turns, deliveries, events")
struct StreamCallsTests {
  private let menu = #"{"handler": "menu", "id": "a"}"#

  @Test("only an operator pauses and resumes, and each is answered when it is durable")
  func pause() throws {
    let bench = try CallsBench()
    #expect(bench.answer("POST", "/v1/pause")?.status == 403)
    #expect(bench.answer("POST", "/v1/resume", uid: 500)?.code == "notPaused")
    #expect(bench.answer("POST", "/v1/pause", #"{"reason": "open day"}"#, uid: 500)?["reason"] as? String == "open day")
    #expect(bench.engine.scheduler.isPaused)
    #expect(bench.answer("POST", "/v1/resume", uid: 500)?.status == 200)
    #expect(!bench.engine.scheduler.isPaused)
  }

  @Test("a hold without an end of its own lasts as long as its client's connection")
  func boundHold() throws {
    let bench = try CallsBench()
    let token = bench.ask("POST", "/v1/holds", #"{"reason": "demo"}"#)
    #expect(bench.socket.streams == [token] && bench.socket.answer(token)?["reason"] as? String == "demo")
    #expect(bench.engine.scheduler.activeHolds.count == 1)
    bench.disconnect(token)
    #expect(bench.engine.scheduler.activeHolds.isEmpty)
  }

  @Test(
    "after a restart an owner takes its hold again by its id; nobody else does, and an unknown id is an ordinary hold")
  func takenAgain() throws {
    let hold = Hold(
      id: try #require(HoldID("h")), owner: Submitter(uid: 1000, pid: 1), reason: "flashing", since: wall(1), until: nil
    )
    let bench = try CallsBench(stored: [.bind(BoundHold(hold: hold, startTicks: nil, boot: "boot"))])
    let again = #"{"reason": "flashing", "resumes": "h"}"#
    let listed = (bench.answer("GET", "/v1/holds")?["holds"] as? [[String: Any]])?.first
    #expect(listed?["id"] as? String == "h" && listed?["until"] != nil)
    #expect(bench.answer("POST", "/v1/holds", again, uid: 1001)?.status == 403)
    let token = bench.ask("POST", "/v1/holds", again)
    #expect(bench.socket.answer(token)?["id"] as? String == "h")
    #expect(bench.socket.answer(token)?["since"] as? String == wall(1).rfc3339)
    #expect(bench.engine.scheduler.activeHolds.map(\.until) == [nil])
    let other = bench.ask("POST", "/v1/holds", again)
    #expect(bench.socket.answer(other)?["id"] as? String != "h" && bench.engine.scheduler.activeHolds.count == 2)
    for open in [token, other] { bench.disconnect(open) }
    #expect(
      bench.engine.scheduler.activeHolds.map(\.id.text) == ["h"],
      "the connection may be of an attempt that was given up")
    bench.pass(until: 31)
    #expect(bench.engine.scheduler.activeHolds == [] && (try? bench.engine.store.boundHolds()) == [])
    for body in [#"{"reason": "x", "resumes": "-"}"#, #"{"reason": "x", "resumes": "h", "ttl": "1s"}"#] {
      #expect(bench.answer("POST", "/v1/holds", body)?.code == "badID")
    }
  }

  @Test("streams that end because the service stops leave their holds and turns in the store")
  func keptOverStop() throws {
    let bench = try CallsBench()
    let hold = bench.ask("POST", "/v1/holds", #"{"reason": "demo"}"#)
    let id = bench.socket.answer(hold)?["id"] as? String
    #expect(try bench.engine.store.boundHolds().map(\.hold.id.text) == [id])
    bench.disconnect(bench.ask("POST", "/v1/holds", #"{"reason": "other"}"#))
    bench.engine.feed { scheduler in
      scheduler.stop(at: bench.now)
      return []
    }
    bench.calls.stop(bench.now)
    bench.disconnect(hold)
    #expect(try bench.engine.store.boundHolds().map(\.hold.id.text) == [id])
  }

  @Test(
    "what waits or stays open counts as an open request, a hold with an end of its own does not; too many are refused")
  func openRequests() throws {
    let bench = try CallsBench()
    _ = bench.answer("POST", "/v1/updates", menu)
    let open = [
      bench.ask("GET", "/v1/events"), bench.ask("POST", "/v1/holds", #"{"reason": "demo"}"#),
      bench.ask("GET", "/v1/updates/a/wait"), bench.ask("GET", "/v1/quiet?for=1h"), bench.ask("POST", "/v1/turns"),
      bench.ask("POST", "/v1/updates?wait=1s", #"{"handler": "menu", "id": "b"}"#),
    ]
    #expect(bench.socket.keptOpen == Set(open))
    bench.socket.admitsNone = true
    #expect(
      bench.answer("POST", "/v1/updates?wait=1s", #"{"handler": "menu", "id": "c"}"#)?.code == "tooManyOpenRequests")
    #expect(bench.answer("GET", "/v1/updates/c")?.status == 404, "nothing was stored")
    #expect(bench.answer("POST", "/v1/holds", #"{"reason": "demo"}"#)?.code == "tooManyOpenRequests")
    #expect(bench.answer("POST", "/v1/holds", #"{"reason": "demo", "ttl": "1min"}"#)?.status == 201)
    #expect(bench.answer("POST", "/v1/updates", #"{"handler": "menu", "id": "d"}"#)?.status == 202)
  }

  @Test("a hold is released by its owner and by an operator, which ends its stream")
  func release() throws {
    let bench = try CallsBench()
    let token = bench.ask("POST", "/v1/holds", #"{"reason": "demo"}"#)
    let id = try #require(bench.socket.answer(token)?["id"] as? String)
    #expect(bench.answer("DELETE", "/v1/holds/\(id)", uid: 1001)?.status == 403)
    #expect(bench.socket.streams == [token])
    #expect(bench.answer("DELETE", "/v1/holds/\(id)", uid: 500)?.status == 200)
    #expect(bench.socket.streams == [] && bench.engine.scheduler.activeHolds.isEmpty)
    #expect(bench.answer("DELETE", "/v1/holds/\(id)")?.status == 404)
  }

  @Test("a hold with an end outlives its client; a user has at most 16")
  func lastingHolds() throws {
    let bench = try CallsBench()
    let body = #"{"reason": "demo", "ttl": "10min"}"#
    let first = bench.ask("POST", "/v1/holds", body)
    #expect(bench.socket.answer(first)?.status == 201 && bench.socket.streams == [])
    bench.disconnect(first)
    #expect(bench.engine.scheduler.activeHolds.count == 1)
    for _ in 1..<Limits.holds.perUser { #expect(bench.answer("POST", "/v1/holds", body)?.status == 201) }
    #expect(bench.answer("POST", "/v1/holds", body)?.code == "tooManyHolds")
    #expect(bench.answer("POST", "/v1/holds", #"{"reason": "x", "ttl": "2h"}"#)?.status == 400, "MaxHold= is 1 h")
  }

  @Test("who may hold is a right where Hold= is set")
  func holdRight() throws {
    let bench = try CallsBench { $0.rights.hold = Principals() }
    #expect(bench.answer("POST", "/v1/holds", #"{"reason": "demo"}"#)?.status == 403)
    #expect(bench.answer("POST", "/v1/turns")?.status == 403)
  }

  @Test("a turn begins on a quiet screen, keeps updates waiting, and ends with its client")
  func turn() throws {
    let bench = try CallsBench()
    let receiver = bench.ask("GET", "/v1/deliveries?handler=menu")
    let token = bench.ask("POST", "/v1/turns")
    #expect(bench.socket.streams == [receiver, token] && bench.socket.answer(token)?["startedAt"] != nil)
    _ = bench.ask("POST", "/v1/updates", menu)
    #expect(bench.state("a") == "waiting")
    bench.disconnect(token)
    #expect(bench.state("a") == "applying")
  }

  @Test("a turn says who has it and why, to those who ask what blocks, and for how long at most")
  func turnIsVisible() throws {
    let bench = try CallsBench()
    let token = bench.ask("POST", "/v1/turns", #"{"reason": "firmware", "max": "10min"}"#)
    let id = try #require(bench.socket.answer(token)?["id"] as? String)
    _ = bench.answer("POST", "/v1/updates", menu)
    let why = try #require(bench.answer("GET", "/v1/updates/a/why")?.text)
    #expect(
      why.contains(#""code":"turn""#) && why.contains("firmware") && why.contains("touchgate release \(id)"), "\(why)")
    for path in ["/v1/turns", "/v1/holds", "/v1/status"] {
      #expect(bench.answer("GET", path)?.text.contains(#""reason":"firmware""#) == true, "\(path)")
    }
    let waiting = bench.ask("POST", "/v1/turns", #"{"reason": "later"}"#)
    #expect(bench.answer("GET", "/v1/turns")?.text.contains("later") == true && bench.socket.answer(waiting) == nil)
    #expect(bench.answer("POST", "/v1/turns", #"{"max": "61min"}"#)?.code == "badMax")
    #expect(bench.answer("POST", "/v1/turns", #"{"max": "0"}"#)?.code == "badMax")
  }

  @Test("a turn ends after its longest time, and its owner is told; then the update is applied")
  func turnOverruns() throws {
    let bench = try CallsBench()
    _ = bench.ask("GET", "/v1/deliveries?handler=menu")
    let token = bench.ask("POST", "/v1/turns", #"{"max": "10s"}"#)
    _ = bench.answer("POST", "/v1/updates", menu)
    bench.pass(until: 10)
    #expect(bench.socket.streams.contains(token) && bench.state("a") == "waiting")
    bench.pass(until: 20)
    #expect(!bench.socket.streams.contains(token))
    let words = bench.socket.answer(token)?["ended"] as? String
    #expect(words == "it has lasted 10 s, the longest that its --max or MaxTurn= allows")
    let warnings = bench.answer("GET", "/v1/why")?["warnings"] as? [String] ?? []
    #expect(
      warnings.contains { $0.contains("of user 1000") && $0.contains(words ?? "?") && $0.contains("may still run") })
    #expect(bench.state("a") != "waiting" && bench.engine.scheduler.turns == [])
  }

  @Test("a turn is released by its owner or an administrator, whether it waits or lasts")
  func turnReleased() throws {
    let bench = try CallsBench()
    let token = bench.ask("POST", "/v1/turns")
    let id = try #require(bench.socket.answer(token)?["id"] as? String)
    let waiting = bench.ask("POST", "/v1/turns")
    #expect(bench.answer("DELETE", "/v1/turns/\(id)", uid: 1001)?.code == "notYours")
    #expect(bench.answer("DELETE", "/v1/turns/x")?.status == 404)
    let next = try #require(bench.engine.scheduler.turns.last?.turn.id.text)
    #expect(bench.answer("DELETE", "/v1/turns/\(next)")?.status == 200)
    #expect(bench.socket.answer(waiting)?.code == "turnEnded")
    #expect(bench.answer("DELETE", "/v1/turns/\(id)", uid: 500)?.status == 200)
    #expect((bench.socket.answer(token)?["ended"] as? String)?.hasPrefix("released by user 500") == true)
    #expect(bench.engine.scheduler.turns == [] && !bench.engine.scheduler.isAnythingWaiting)
  }

  @Test("an update that is forced overrules the turn")
  func turnOverruled() throws {
    let bench = try CallsBench()
    _ = bench.ask("GET", "/v1/deliveries?handler=menu")
    let token = bench.ask("POST", "/v1/turns")
    _ = bench.answer("POST", "/v1/updates", menu)
    #expect(bench.answer("POST", "/v1/updates/a/force", uid: 0)?.status == 200)
    #expect((bench.socket.answer(token)?["ended"] as? String)?.hasPrefix("overruled: ") == true)
    #expect(bench.engine.scheduler.turns == [] && bench.state("a") != "waiting")
  }

  @Test("a turn on a touched screen waits; when its time is over it is told what blocks")
  func lateTurn() throws {
    let bench = try CallsBench(touched: true)
    let token = bench.ask("POST", "/v1/turns?timeout=5s")
    #expect(bench.socket.answer(token) == nil && bench.calls.nextDeadline == at(6))
    bench.pass(until: 6)
    #expect(bench.socket.answer(token)?.status == 408 && bench.socket.answer(token)?.text.contains("touched") == true)
    #expect(bench.answer("POST", "/v1/turns?timeout=0")?.status == 408, "now or not at all")
  }

  @Test("an update with the id of a turn or a hold is refused, and neither ends")
  func idInUse() throws {
    let bench = try CallsBench()
    let turn = bench.ask("POST", "/v1/turns", uid: 1001)
    let hold = bench.ask("POST", "/v1/holds", #"{"reason": "a test"}"#, uid: 1001)
    for token in [turn, hold] {
      let id = try #require(bench.socket.answer(token)?["id"] as? String)
      let refusal = bench.answer("POST", "/v1/updates", #"{"handler": "menu", "id": "\#(id)"}"#)
      #expect(refusal?.status == 409 && refusal?.code == "idInUse")
      #expect(bench.answer("DELETE", "/v1/updates/\(id)")?.status == 404)
    }
    #expect(bench.socket.streams == [turn, hold] && bench.engine.scheduler.inProgress?.update == nil)
    #expect(bench.engine.scheduler.inProgress != nil && bench.engine.scheduler.activeHolds.count == 1)
  }

  @Test("waiting for a quiet moment ends as it begins, and leaves no turn")
  func quiet() throws {
    let bench = try CallsBench()
    let receiver = bench.ask("GET", "/v1/deliveries?handler=menu")
    #expect(bench.answer("GET", "/v1/quiet")?.status == 200)
    #expect(bench.socket.streams == [receiver])
    _ = bench.ask("POST", "/v1/updates", menu)
    #expect(bench.state("a") == "applying")
    #expect(bench.answer("GET", "/v1/quiet?screen=other")?.status == 400)
    #expect(try CallsBench(touched: true).answer("GET", "/v1/quiet?timeout=0")?.status == 408)
  }

  @Test("the status reads the tables first: a finger is reported although nothing waits")
  func status() throws {
    let touched = try CallsBench(touched: true).answer("GET", "/v1/status")
    #expect(touched?["touched"] as? Bool == true && touched?["contacts"] as? Int == 1)
    #expect(try CallsBench().answer("GET", "/v1/status")?["touched"] as? Bool == false)
  }

  // MARK: Deliveries

  @Test("an application gets an update, and only its user may acknowledge it")
  func delivery() throws {
    let bench = try CallsBench()
    let receiver = bench.ask("GET", "/v1/deliveries?handler=menu")
    let waiting = bench.ask("POST", "/v1/updates?wait=1min", menu)
    #expect(bench.socket.answer(receiver)?["clientId"] as? String == "a")
    let id = try #require(bench.id("a"))
    #expect(bench.answer("POST", "/v1/deliveries/\(id)/ack", uid: 1001)?.status == 403)
    #expect(bench.answer("POST", "/v1/deliveries/a/ack")?.code == "notOffered", "only its own id names a delivery")
    #expect(bench.state("a") == "applying" && bench.socket.answer(waiting) == nil)
    #expect(bench.answer("POST", "/v1/deliveries/\(id)/ack")?["state"] as? String == "applied")
    #expect(bench.socket.answer(waiting)?["state"] as? String == "applied")
    #expect(bench.answer("POST", "/v1/updates/a/retry")?.code == "applied")
  }

  @Test("an update that is not acknowledged in time has failed")
  func late() throws {
    let bench = try CallsBench()
    _ = bench.ask("GET", "/v1/deliveries?handler=menu")
    _ = bench.ask("POST", "/v1/updates", menu)
    #expect(bench.runner.nextDeadline == at(301))
    bench.pass(until: 300.9)
    #expect(bench.state("a") == "applying")
    bench.pass(until: 301)
    #expect(bench.state("a") == "failed")
  }

  @Test("while one application is connected, another that goes makes nobody wait")
  func oneOfTwo() throws {
    let bench = try CallsBench()
    let (first, second) = (
      bench.ask("GET", "/v1/deliveries?handler=menu"), bench.ask("GET", "/v1/deliveries?handler=menu")
    )
    bench.disconnect(first)
    _ = bench.ask("POST", "/v1/updates", menu)
    #expect(bench.runner.delivery?.receiver == second)
  }

  @Test("an application that refuses ends the update, or lets it be tried later")
  func refusal() throws {
    let bench = try CallsBench()
    _ = bench.ask("GET", "/v1/deliveries?handler=menu")
    _ = bench.ask("POST", "/v1/updates", menu)
    let id = try #require(bench.id("a"))
    #expect(bench.answer("POST", "/v1/deliveries/\(id)/nack", #"{"later": true}"#)?["state"] as? String == "waiting")
    #expect(bench.blocker("a") == "backoff")
    _ = bench.ask("POST", "/v1/updates/a/apply")
    #expect(bench.state("a") == "applying")
    let reply = bench.answer("POST", "/v1/deliveries/\(id)/nack", #"{"reason": "no room"}"#)
    #expect(reply?["state"] as? String == "failed" && reply?.text.contains("no room") == true)
  }

  @Test("an application that is gone gives the update to the next; after the last one it waits again")
  func receiverGone() throws {
    let bench = try CallsBench()
    let (first, second) = (
      bench.ask("GET", "/v1/deliveries?handler=menu"), bench.ask("GET", "/v1/deliveries?handler=menu")
    )
    _ = bench.ask("POST", "/v1/updates", menu)
    #expect(bench.socket.answer(second)?.text == "")
    bench.disconnect(first)
    #expect(bench.socket.answer(second)?["clientId"] as? String == "a" && bench.state("a") == "applying")
    bench.disconnect(second)
    #expect(bench.state("a") == "waiting" && bench.blocker("a") == "noReceiver")
  }

  @Test("an application that reads nothing is passed over")
  func stuckReceiver() throws {
    let bench = try CallsBench()
    let (first, second) = (
      bench.ask("GET", "/v1/deliveries?handler=menu"), bench.ask("GET", "/v1/deliveries?handler=menu")
    )
    bench.socket.stuck = [first]
    _ = bench.ask("POST", "/v1/updates", menu)
    #expect(bench.runner.delivery?.receiver == second)
  }

  @Test("only a handler that delivers has receivers, and a reload that takes this away leaves nobody waiting for one")
  func noDelivery() throws {
    let bench = try CallsBench {
      $0.handlers["program"] = HandlerDefinition(name: "program", file: "p.conf", kind: .program(["/bin/true"]))
    }
    #expect(bench.answer("GET", "/v1/deliveries?handler=program")?.status == 400)
    _ = bench.ask("POST", "/v1/updates", menu)
    bench.reload { $0.handlers["menu"] = HandlerDefinition(name: "menu", file: "menu.conf", kind: .unit("a.service")) }
    #expect(bench.state("a") == "applying")
  }

  // MARK: Events

  @Test("a reader hears what happens from now on, or from the number that it names")
  func events() throws {
    let bench = try CallsBench()
    _ = bench.ask("POST", "/v1/updates", menu)
    let (new, all) = (bench.ask("GET", "/v1/events"), bench.ask("GET", "/v1/events?since=0"))
    #expect(bench.socket.answer(new)?.text == "")
    #expect(bench.socket.answer(all)?["state"] as? String == "waiting")
    _ = bench.ask("DELETE", "/v1/updates/a")
    for reader in [new, all] { #expect(bench.socket.answer(reader)?["state"] as? String == "cancelled") }
    bench.disconnect(new)
    _ = bench.ask("POST", "/v1/updates", #"{"handler": "menu", "id": "b"}"#)
    #expect(bench.socket.answer(new)?["id"] as? String == bench.id("a"))
    #expect(bench.socket.answer(all)?["id"] as? String == bench.id("b"))
  }

  @Test("feedback without a device is answered at once, with the reason for the silence")
  func feedback() throws {
    let bench = try CallsBench()
    #expect(bench.answer("POST", "/v1/feedback", #"{"kind": "success"}"#)?["silentBecause"] as? String == "Device=none")
    #expect(bench.answer("POST", "/v1/feedback", #"{"kind": "loud"}"#)?.status == 400)
  }
}
