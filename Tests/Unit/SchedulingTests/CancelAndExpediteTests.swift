import Scheduling
import Testing
import Timeline

@Suite("Requests about a waiting update: cancel and apply")
struct CancelAndExpediteTests {
  private static let policies = ["flaky": HandlerPolicy(attempts: 9, backoff: .seconds(100))]
  private var bench = Bench(interval: .forever, policies: policies)

  // MARK: cancel

  @Test("one that waits ends as cancelled, with the reason, once that is stored; it never runs")
  mutating func cancel() {
    bench.touch()
    bench.submit("a", key: "k")
    bench.submit("b")
    _ = bench.news()
    bench.cancel("a")
    #expect(bench.news() == ["store finish a", "ended a: cancelled"])
    #expect(
      bench.store[id("a")]?.state
        == .finished(
          UpdateResult(
            state: .cancelled, exitCode: nil, message: "cancelled by a test", finishedAt: wall(0),
            releaseToStartMilliseconds: nil)))
    #expect(!bench.scheduler.isWaiting(id("a")) && bench.scheduler.isWaiting(id("b")))
    #expect(bench.scheduler.waiting(handler: "page", key: "k") == nil)
    bench.release()
    #expect(bench.running == id("b"))
    #expect(bench.violations == [])
  }

  @Test("whatever it waits for, and then no timer runs", arguments: 0..<5)
  mutating func anyReason(_ reason: Int) {
    switch reason {
    case 0: bench.touch()
    case 1: bench.submit("a", quiet: .seconds(100))
    case 2: bench.submit("a", notBefore: wall(100))
    case 3:
      bench.submit("a", to: "flaky")
      bench.handlerEnds(.failed)
    default: bench.submit("a", quiet: .seconds(100), deadline: wall(100), onDeadline: .apply)
    }
    if reason == 0 { bench.submit("a") }
    #expect(bench.scheduler.isWaiting(id("a")) && bench.scheduler.nextDeadline != nil)
    bench.cancel("a")
    #expect(bench.said.last == "ended a: cancelled")
    #expect(bench.scheduler.nextDeadline == nil && bench.scheduler.waitingCount == 0)
    bench.release()
    bench.oversleep(until: 1000)
    #expect(bench.running == nil)
    #expect(bench.violations == [])
  }

  @Test("an update that is being applied, has ended, is not stored yet, or is unknown cannot be cancelled")
  mutating func notWaiting() {
    bench.duringLastLook = { bench in
      _ = bench.news()
      bench.cancel("a")
      #expect(bench.said == [], "marked")
    }
    bench.submit("a")
    _ = bench.news()
    bench.cancel("a")
    #expect(bench.news() == [], "running")
    bench.handlerEnds()
    _ = bench.news()
    bench.cancel("a")
    bench.cancel("never")
    #expect(bench.news() == [])
    var scheduler = Scheduler(quietPeriod: .zero, interval: .seconds(1))
    _ = scheduler.submit(update("x"), payload: [], at: at(0))
    #expect(scheduler.cancel(id("x"), reason: "", at: at(0)) == [])
    #expect(scheduler.expedite(id("x")) == [])
    #expect(bench.violations == [])
  }

  @Test("a second cancel, or a start, while the first is being stored does nothing")
  func twice() {
    var scheduler = Scheduler(quietPeriod: .zero, interval: .seconds(1))
    _ = scheduler.screens([.screen("panel"): touched(since: 0)], at: at(0))
    _ = scheduler.submit(update("a"), payload: [], at: at(0))
    _ = scheduler.stored(.accept(update("a"), payload: []), at: at(0))
    #expect(scheduler.cancel(id("a"), reason: "one", at: at(1)).count == 1)
    #expect(scheduler.cancel(id("a"), reason: "two", at: at(1)) == [])
    #expect(scheduler.expedite(id("a")) == [])
    #expect(scheduler.screens([.screen("panel"): .clear(since: at(1))], at: at(1)) == [])
    #expect(!scheduler.isWaiting(id("a")))
  }

  @Test("if a cancel cannot be stored, the update still waits in its place with its key, and can be cancelled again")
  func cannotStore() {
    var bench = Bench()
    bench.touch()
    bench.submit("a", key: "k")
    bench.submit("b")
    bench.failing = [.finish]
    _ = bench.news()
    bench.cancel("a")
    #expect(bench.news() == ["cannot store finish a", "not ended a: disk full"])
    #expect(bench.scheduler.isWaiting(id("a")) && bench.scheduler.oldestWaiting == id("a"))
    #expect(bench.scheduler.waiting(handler: "page", key: "k") == id("a"))
    #expect(bench.scheduler.nextDeadline != nil)
    bench.failing = []
    bench.cancel("a")
    #expect(bench.said.last == "ended a: cancelled")
    bench.submit("c")
    bench.failing = [.finish]
    bench.cancel("c")
    bench.failing = []
    bench.release()
    bench.pass(until: 1)
    #expect(bench.running == id("b"))
    bench.handlerEnds()
    #expect(bench.running == id("c"))
    #expect(bench.violations == [])
  }

  // MARK: apply

  @Test("it no longer waits for its quiet period")
  mutating func quiet() {
    bench.submit("a", quiet: .seconds(100))
    bench.pass(until: 1)
    bench.expedite("a")
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("nor for notBefore")
  mutating func notBefore() {
    bench.submit("a", notBefore: wall(100))
    bench.expedite("a")
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("nor after a failure")
  mutating func backoff() {
    bench.submit("a", to: "flaky")
    bench.handlerEnds(.failed)
    bench.expedite("a")
    #expect(bench.said.last == "start a, attempt 2")
    #expect(bench.violations == [])
  }

  @Test("but for the screen it does, and for nothing else after that")
  mutating func screen() {
    bench.touch()
    bench.submit("a", to: "flaky", quiet: .seconds(100), notBefore: wall(1000), deadline: wall(2000))
    bench.expedite("a")
    #expect(bench.running == nil)
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.touched])
    bench.pass(until: 5)
    bench.release()
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("and for its turn: priority and arrival stay")
  mutating func order() {
    bench.touch()
    bench.submit("high", priority: 1)
    bench.submit("a", quiet: .seconds(100))
    bench.submit("b")
    bench.expedite("a")
    #expect(bench.scheduler.blockers(of: id("b"), at: bench.now).last?.owner == "high")
    bench.release()
    bench.handlerEnds()
    #expect(bench.running == id("a"))
    bench.handlerEnds()
    #expect(bench.running == id("b"))
    #expect(bench.violations == [])
  }

  @Test("after a touch in the last look it waits again and is still expedited")
  mutating func aborted() {
    bench.submit("a", quiet: .seconds(100))
    bench.duringLastLook = { $0.touch() }
    bench.expedite("a")
    #expect(bench.running == nil)
    bench.pass(until: 1)
    bench.release()
    #expect(bench.said.last == "start a, attempt 1, 0 ms after the release")
    #expect(bench.violations == [])
  }

  @Test("a failure ends that: the backoff, and the quiet period after it, count again")
  mutating func failure() {
    bench.submit("a", to: "flaky", quiet: .seconds(500))
    bench.expedite("a")
    bench.handlerEnds(.failed)
    #expect(bench.running == nil)
    bench.pass(until: 499)
    #expect(bench.running == nil)
    bench.pass(until: 500)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("it does not outlive its deadline")
  mutating func deadline() {
    bench.touch()
    bench.submit("a", deadline: wall(10))
    bench.expedite("a")
    bench.pass(until: 10)
    #expect(bench.said.last == "ended a: expired")
    #expect(bench.violations == [])
  }

  @Test("an update that is being applied, has ended or is unknown cannot be expedited; twice is the same as once")
  mutating func notExpedited() {
    bench.submit("a")
    _ = bench.news()
    bench.expedite("a")
    bench.expedite("never")
    bench.handlerEnds()
    bench.expedite("a")
    #expect(bench.news() == ["store finish a", "ended a: applied"])
    bench.touch()
    bench.submit("b")
    bench.expedite("b")
    bench.expedite("b")
    #expect(bench.scheduler.waitingCount == 1 && bench.scheduler.waitingCount(of: 0) == 1)
    #expect(bench.violations == [])
  }

  @Test("an update expedited while another is being applied, on a clear screen, is next, not simultaneous")
  mutating func beside() {
    bench.submit("a")
    bench.submit("b", quiet: .seconds(100))
    bench.expedite("b")
    #expect(bench.running == id("a"))
    bench.handlerEnds()
    #expect(bench.running == id("b"))
    #expect(bench.violations == [])
  }
}
