import Scheduling
import Testing
import Timeline

@Suite("The order of actions")
struct OrderTests {
  var scheduler = Scheduler(quietPeriod: .seconds(5), interval: .seconds(1))

  private let open: [GateScope: GateState] = [.machine: .clear(since: at(0)), .screen("panel"): .clear(since: at(0))]

  @Test("one update from its request to its end: each step waits for the write before it")
  mutating func oneUpdate() {
    let a = update("a")
    #expect(scheduler.screens(open, at: at(0)) == [])
    // Stored, and only then accepted.
    #expect(scheduler.submit(a, payload: [1, 2], at: at(10)) == [.store(.accept(a, payload: [1, 2]))])
    #expect(scheduler.waitingCount == 0)
    // Marked in the store, and only then verified.
    #expect(
      scheduler.stored(.accept(a, payload: [1, 2]), at: at(10.1)) == [
        .accepted(a.id), .store(.beginApplying(a.id, attempt: 1)),
      ])
    #expect(scheduler.applying == a.id)
    #expect(!scheduler.isRunning)
    #expect(scheduler.stored(.beginApplying(a.id, attempt: 1), at: at(10.2)) == [.lastLook(.update(a.id))])
    // Verified, and only then started.
    #expect(scheduler.lastLookDone(.update(a.id), at: at(10.3)) == [.start(a, attempt: 1, releasedAt: nil)])
    #expect(scheduler.isRunning)
    #expect(scheduler.attempts(of: a.id) == 1)
    // Its end is stored, and only then announced.
    let applied = result(.applied)
    #expect(scheduler.handlerEnded(a.id, applied, at: at(12)) == [.store(.finish(a.id, applied))])
    #expect(scheduler.isRunning)
    #expect(scheduler.stored(.finish(a.id, applied), at: at(12.1)) == [.ended(a.id, applied)])
    #expect(!scheduler.isRunning)
    #expect(scheduler.applying == nil && scheduler.attempts(of: a.id) == nil && scheduler.rechecks(of: a.id) == nil)
    #expect(scheduler.nextDeadline == nil)
  }

  @Test("the end of one marks the next in the same breath, after it was announced")
  mutating func next() {
    let (a, b) = (update("a", 1), update("b", 2))
    _ = scheduler.screens(open, at: at(0))
    _ = scheduler.submit(a, payload: [], at: at(10))
    _ = scheduler.stored(.accept(a, payload: []), at: at(10))
    _ = scheduler.submit(b, payload: [], at: at(10))
    #expect(scheduler.stored(.accept(b, payload: []), at: at(10)) == [.accepted(b.id)])
    _ = scheduler.stored(.beginApplying(a.id, attempt: 1), at: at(10))
    _ = scheduler.lastLookDone(.update(a.id), at: at(10))
    _ = scheduler.handlerEnded(a.id, result(.failed), at: at(11))
    #expect(
      scheduler.stored(.finish(a.id, result(.failed)), at: at(11)) == [
        .ended(a.id, result(.failed)), .store(.beginApplying(b.id, attempt: 1)),
      ])
  }

  @Test("nothing is marked before the first word of the screens")
  mutating func noWord() {
    let a = update("a")
    _ = scheduler.submit(a, payload: [], at: at(10))
    #expect(scheduler.stored(.accept(a, payload: []), at: at(10)) == [.accepted(a.id)])
    #expect(scheduler.timePassed(at(11)) == [.recheck])
    #expect(scheduler.rechecked(at: at(11)) == [])
    #expect(scheduler.screens(open, at: at(11.5)) == [.store(.beginApplying(a.id, attempt: 1))])
  }

  @Test("a start reports the time since the release if the update waited for it, and not if it came before the request")
  func releasedAt() {
    var bench = Bench(quiet: .seconds(2))
    bench.touch()
    bench.pass(until: 10)
    bench.submit("a")
    bench.pass(until: 20)
    bench.release()
    bench.pass(until: 30)
    bench.handlerEnds()
    bench.submit("b")
    #expect(
      bench.said.filter { $0.hasPrefix("start") } == [
        "start a, attempt 1, 2000 ms after the release", "start b, attempt 1",
      ])
    #expect(bench.violations == [])
  }

  @Test("updates are applied in the order of their arrival, whatever their ids")
  func arrival() {
    var bench = Bench()
    bench.touch()
    for text in ["m", "z", "a", "q", "b"] { bench.submit(text) }
    #expect(bench.scheduler.oldestWaiting == id("m"))
    #expect(bench.scheduler.waitingCount == 5)
    bench.pass(until: 3)
    bench.release()
    for _ in 0..<5 { bench.handlerEnds() }
    let starts = bench.said.filter { $0.hasPrefix("start") }
    #expect(starts.map { $0.dropFirst(6).first } == ["m", "z", "a", "q", "b"])
    #expect(bench.unfinished == [])
    #expect(bench.violations == [])
  }

  @Test("input about another update than the current one changes nothing")
  mutating func strangers() {
    let a = update("a")
    _ = scheduler.screens(open, at: at(0))
    _ = scheduler.submit(a, payload: [], at: at(10))
    _ = scheduler.stored(.accept(a, payload: []), at: at(10))
    let x = id("x")
    func nothing(_ scheduler: inout Scheduler) -> [[Scheduler.Action]] {
      [
        scheduler.handlerEnded(x, result(.applied), at: at(10)), scheduler.lastLookDone(.update(x), at: at(10)),
        scheduler.probed(x, stillRunning: false, at: at(10)),
        scheduler.stored(.beginApplying(x, attempt: 1), at: at(10)),
        scheduler.stored(.backToWaiting(x, attempts: 0), at: at(10)),
        scheduler.stored(.finish(x, result(.applied)), at: at(10)),
        // Right id, wrong moment: it is only marked.
        scheduler.handlerEnded(a.id, result(.applied), at: at(10)), scheduler.lastLookDone(.update(a.id), at: at(10)),
        scheduler.probed(a.id, stillRunning: false, at: at(10)),
        scheduler.stored(.finish(a.id, result(.applied)), at: at(10)),
      ]
    }
    #expect(nothing(&scheduler).allSatisfy { $0.isEmpty })
    #expect(scheduler.stored(.beginApplying(a.id, attempt: 1), at: at(10)) == [.lastLook(.update(a.id))])
    #expect(scheduler.lastLookDone(.update(a.id), at: at(10)) == [.start(a, attempt: 1, releasedAt: nil)])
    #expect(scheduler.lastLookDone(.update(a.id), at: at(10)) == [], "not twice")
    #expect(scheduler.handlerEnded(x, result(.applied), at: at(11)) == [])
    #expect(scheduler.handlerEnded(a.id, result(.applied), at: at(11)) == [.store(.finish(a.id, result(.applied)))])
    #expect(scheduler.handlerEnded(a.id, result(.failed), at: at(11)) == [], "the first word counts")
  }
}
