import Scheduling
import Testing
import Timeline

@Suite("Recovery from a former run of the service")
struct RecoveryTests {
  @Test("updates that were waiting still wait, in the order of arrival")
  func waiting() {
    var bench = Bench()
    bench.touch()
    for text in ["c", "a", "b"] { bench.submit(text) }
    bench.restart(handlerLives: false)
    #expect(bench.scheduler.oldestWaiting == id("c"))
    #expect(bench.scheduler.nextDeadline == at(1))
    bench.release()
    for _ in 0..<3 { bench.handlerEnds() }
    let starts = bench.said.filter { $0.hasPrefix("start") }
    #expect(starts.map { String($0.prefix(7)) } == ["start c", "start a", "start b"])
    #expect(bench.violations == [])
  }

  @Test("nothing is started before the screens have reported their state")
  func beforeScreens() {
    var scheduler = Scheduler(quietPeriod: .zero, interval: .seconds(1))
    let stored = StoredUpdate(update: update("a"), attempts: 0, state: .waiting)
    #expect(scheduler.recover(Recovered(updates: [stored]), at: at(0)) == [])
    #expect(scheduler.screens([.machine: touched(since: 0, "")], at: at(0)) == [])
    #expect(
      scheduler.screens([.machine: .clear(since: at(0))], at: at(0)) == [.store(.beginApplying(id("a"), attempt: 1))])
  }

  @Test("an empty store leaves nothing to do, and no timer")
  func empty() {
    var scheduler = Scheduler(quietPeriod: .zero, interval: .seconds(1))
    #expect(scheduler.recover(Recovered(updates: []), at: at(0)) == [])
    #expect(scheduler.nextDeadline == nil)
  }

  @Test("one that was being applied is asked for; its handler is over: it waits again, and no attempt is used up")
  func orphanIsOver() {
    var bench = Bench()
    bench.submit("a")
    bench.submit("b")
    _ = bench.news()
    bench.restart(handlerLives: false)
    #expect(
      bench.news() == [
        "probe a", "store backToWaiting a", "store beginApplying a", "last look a", "start a, attempt 1",
      ])
    #expect(bench.violations == [])
  }

  @Test("while the handler of the former run runs, nothing starts; each recheck asks whether it still runs")
  func orphanRuns() {
    var bench = Bench()
    bench.submit("a")
    bench.submit("b")
    _ = bench.news()
    bench.restart(handlerLives: true)
    #expect(bench.scheduler.applying == id("a"))
    #expect(!bench.scheduler.isRunning)
    bench.pass(until: 2.5)
    #expect(bench.news() == ["probe a", "recheck", "probe a", "recheck", "probe a"])
    bench.handlerEnds()  // Heard by nobody: it is not this run's child.
    bench.touch()
    bench.pass(until: 3)
    #expect(bench.news() == ["recheck", "probe a", "store backToWaiting a"])
    #expect(bench.scheduler.waitingCount == 2 && bench.scheduler.oldestWaiting == id("a"))
    bench.release()
    #expect(bench.news().last == "start a, attempt 1, 0 ms after the release")
    #expect(bench.violations == [])
  }

  @Test("it is asked for though nothing else waits")
  func orphanAlone() {
    var bench = Bench()
    bench.submit("a")
    bench.restart(handlerLives: true)
    #expect(bench.scheduler.nextDeadline == at(1))
    bench.pass(until: 1)
    bench.handlerEnds()
    bench.pass(until: 2)
    #expect(bench.said.last == "start a, attempt 1")
  }

  @Test("a service that dies between any two actions loses nothing and applies in order", arguments: 0...8)
  func diesAnywhere(_ actions: Int) {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.submit("b")
    bench.actionsLeft = actions
    bench.release()
    bench.handlerEnds()
    #expect(bench.isDead || actions > 7)
    bench.restart(handlerLives: false)
    bench.handlerEnds()
    bench.handlerEnds()
    #expect(bench.unfinished == [])
    #expect(bench.store.values.allSatisfy { $0.state == .finished(result(.applied)) })
    #expect(bench.violations == [])
  }
}
