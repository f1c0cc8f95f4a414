import Scheduling
import Testing
import Timeline

@Suite("retry, and what was interrupted")
struct RetryTests {
  @Test("one that failed waits again at its old place, with all its attempts")
  func failed() {
    var bench = Bench(policies: ["flaky": HandlerPolicy(attempts: 2, backoff: .seconds(1))])
    bench.submit("a", to: "flaky")
    bench.handlerEnds(.failed)
    bench.pass(until: 2)
    bench.handlerEnds(.failed)
    #expect(bench.store[id("a")]?.state.name == "failed")
    bench.touch()
    bench.submit("b")
    bench.retry("a")
    #expect(bench.said.last == "done reopen")
    #expect(bench.scheduler.oldestWaiting == id("a"))
    bench.release()
    #expect(bench.running == id("a") && bench.store[id("a")]?.attempts == 1)
    bench.handlerEnds()
    #expect(bench.store[id("a")]?.state.name == "applied")
    #expect(bench.violations == [])
  }

  @Test("one that expired waits without its deadline; one whose deadline is still to come keeps it")
  func expired() {
    var bench = Bench()
    bench.touch()
    bench.submit("a", deadline: wall(10))
    bench.submit("b", deadline: wall(100))
    bench.cancel("b")
    bench.pass(until: 20)
    #expect(bench.store[id("a")]?.state.name == "expired")
    bench.retry("a")
    bench.retry("b")
    #expect(bench.store[id("a")]?.update.deadline == nil)
    #expect(bench.store[id("b")]?.update.deadline == .wall(wall(100)))
    bench.pass(until: 100)
    #expect(bench.store[id("a")]?.state == .waiting)
    #expect(bench.store[id("b")]?.state.name == "expired")
    #expect(bench.violations == [])
  }

  @Test("an update that is waiting or not stored yet cannot be retried")
  func notEnded() {
    var scheduler = Scheduler(quietPeriod: .zero, interval: .seconds(1))
    _ = scheduler.submit(update("a"), payload: [], at: at(0))
    #expect(scheduler.reopen(update("a"), at: at(0)) == [])
    _ = scheduler.stored(.accept(update("a"), payload: []), at: at(0))
    #expect(scheduler.reopen(update("a"), at: at(0)) == [])
  }

  @Test("that cannot be stored: it stays ended, and may be asked for again")
  func cannotStore() {
    var bench = Bench()
    bench.submit("a")
    bench.handlerEnds(.failed)
    bench.failing = [.reopen]
    bench.retry("a")
    #expect(bench.said.last == "not done reopen: disk full")
    #expect(bench.scheduler.waitingCount == 0)
    bench.failing = []
    bench.retry("a")
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  // MARK: Interruptions

  @Test("OnInterrupted=fail: the service dies under its handler: it has failed, and never runs again by itself")
  func atMostOnce() {
    var bench = Bench(policies: ["once": HandlerPolicy(attempts: 5, onInterrupted: .fail)])
    bench.submit("a", to: "once")
    bench.restart(handlerLives: false)
    bench.pass(until: 100)
    #expect(bench.running == nil)
    guard case .finished(let result)? = bench.store[id("a")]?.state else {
      Issue.record("has not ended")
      return
    }
    #expect(result.state == .failed && result.message.contains("OnInterrupted=fail"))
    #expect(bench.violations == [])
  }

  @Test("OnInterrupted=retry: again, and no attempt is used; but a handler that kills the service comes to an end")
  func atLeastOnce() {
    var bench = Bench(policies: ["retry": HandlerPolicy(attempts: 1)])
    bench.submit("a", to: "retry")
    for _ in 1..<HandlerPolicy.mostInterruptions {
      #expect(bench.running == id("a") && bench.store[id("a")]?.attempts == 1)
      bench.restart(handlerLives: false)
    }
    #expect(bench.running == id("a"))
    bench.restart(handlerLives: false)
    #expect(bench.running == nil)
    guard case .finished(let result)? = bench.store[id("a")]?.state else {
      Issue.record("has not ended")
      return
    }
    #expect(result.state == .failed && result.message.contains("Reboots=yes"))
    #expect(bench.violations == [])
  }

  @Test("a backoff survives a restart, and so does an expedite by `apply`")
  func backoffIsStored() {
    var bench = Bench(policies: ["flaky": HandlerPolicy(attempts: 3, backoff: .seconds(100))])
    bench.submit("a", to: "flaky")
    bench.handlerEnds(.failed)
    bench.sleep(until: at(40))
    bench.restart(handlerLives: false)
    bench.release()
    let blocker = bench.scheduler.blockers(of: id("a"), at: bench.now).first
    guard blocker?.code == .backoff, case .backoffEnds(_, setbacks: 1)? = blocker?.clears else {
      Issue.record("\(String(describing: blocker))")
      return
    }
    bench.pass(until: 79)
    #expect(bench.running == nil)
    bench.pass(until: 121)
    #expect(bench.running == id("a"))

    var other = Bench(quiet: .seconds(3600))
    other.touch()
    other.submit("b", notBefore: wall(7200))
    other.expedite("b")
    other.restart(handlerLives: false)
    other.release()
    #expect(other.running == id("b"))
    #expect(bench.violations == [] && other.violations == [])
  }
}
