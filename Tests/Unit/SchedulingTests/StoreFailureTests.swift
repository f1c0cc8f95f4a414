import Scheduling
import Testing
import Timeline

@Suite("A store that cannot be written")
struct StoreFailureTests {
  @Test("a request that cannot be stored is refused with the reason, and nothing of it is kept")
  func accept() {
    var bench = Bench()
    bench.failing = [.accept]
    bench.submit("a")
    #expect(bench.news() == ["cannot store accept a", "refused a: disk full"])
    #expect(bench.scheduler.waitingCount == 0 && bench.scheduler.attempts(of: id("a")) == nil)
    #expect(bench.scheduler.nextDeadline == nil)
    // The same id may be tried again.
    bench.failing = []
    bench.submit("a")
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("a refused request does not hold up what waits")
  func acceptBesideOthers() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.failing = [.accept]
    bench.submit("b")
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.touched])
    bench.release()
    #expect(bench.running == id("a"))
  }

  @Test("a mark that cannot be written starts nothing; each recheck tries again, and the first failure dates it")
  func beginApplying() {
    var bench = Bench()
    bench.failing = [.beginApplying]
    bench.submit("a")
    #expect(bench.news() == ["store accept a", "accepted a", "cannot store beginApplying a"])
    #expect(bench.scheduler.applying == nil && bench.scheduler.waitingCount == 1)
    let blocker = bench.scheduler.blockers(of: id("a"), at: bench.now).first
    #expect(blocker?.code == .storeFull && blocker?.since == at(0) && blocker?.reason == .words("disk full"))
    bench.pass(until: 3.5)
    #expect(bench.news() == Array(repeating: ["recheck", "cannot store beginApplying a"], count: 3).flatMap { $0 })
    #expect(bench.scheduler.nextDeadline == at(4), "one recheck per second, no more")
    bench.failing = []
    bench.pass(until: 4)
    #expect(bench.news() == ["recheck", "store beginApplying a", "last look a", "start a, attempt 1"])
    #expect(bench.violations == [])
  }

  @Test("a full disk is tried once a second, not at every touch")
  func notAtEveryTouch() {
    var bench = Bench()
    bench.failing = [.beginApplying]
    bench.submit("a")
    _ = bench.news()
    for tenth in 1..<10 {
      bench.pass(until: Double(tenth) / 10)
      bench.touch()
      bench.release()
    }
    #expect(bench.news() == [])
    bench.pass(until: 1)
    #expect(bench.news() == ["recheck", "cannot store beginApplying a"])
  }

  @Test("a return to waiting that cannot be written is tried at each recheck; meanwhile nothing starts")
  func backToWaiting() {
    var bench = Bench()
    bench.failing = [.backToWaiting]
    bench.duringLastLook = { $0.touch() }
    bench.submit("a")
    bench.submit("b")
    bench.pass(until: 1.5)
    bench.release()
    bench.pass(until: 3.5)
    #expect(bench.running == nil)
    #expect(bench.scheduler.applying == id("a"))
    #expect(bench.news().count { $0 == "cannot store backToWaiting a" } == 4)
    bench.failing = []
    bench.pass(until: 4)
    #expect(bench.running == id("a"), "first come, first served, as before")
    #expect(bench.store[id("a")]?.attempts == 1)
    #expect(bench.violations == [])
  }

  @Test("a result that cannot be written is tried at each recheck, and announced once it is; no handler starts before")
  func finish() {
    var bench = Bench()
    bench.submit("a")
    bench.submit("b")
    bench.failing = [.finish]
    _ = bench.news()
    bench.handlerEnds(.failed)
    #expect(bench.scheduler.isRunning)
    bench.pass(until: 2.5)
    #expect(
      bench.news() == ["cannot store finish a", "recheck", "cannot store finish a", "recheck", "cannot store finish a"])
    bench.failing = []
    bench.pass(until: 3)
    #expect(bench.news().prefix(3) == ["recheck", "store finish a", "ended a: failed"])
    #expect(bench.running == id("b"))
    #expect(bench.violations == [])
  }

  @Test("a result that cannot be written is tried again though nothing else waits, and then no timer runs")
  func finishAlone() {
    var bench = Bench()
    bench.submit("a")
    bench.failing = [.finish]
    bench.handlerEnds()
    bench.touch()
    bench.release()
    bench.pass(until: 5.5)
    bench.failing = []
    bench.pass(until: 6.5)
    #expect(bench.news().last == "ended a: applied")
    #expect(bench.scheduler.nextDeadline == nil)
    #expect(bench.unfinished == [])
  }

  @Test("a result that could not be written is tried again although another write succeeded before the recheck")
  func finishAfterAnotherWrite() {
    var bench = Bench()
    bench.submit("a")
    bench.failing = [.finish]
    bench.handlerEnds()
    bench.failing = []
    bench.pauseAll()
    #expect(bench.scheduler.nextDeadline == at(1))
    bench.pass(until: 1)
    #expect(bench.said.last == "ended a: applied")
    #expect(bench.scheduler.nextDeadline == nil)
    #expect(bench.violations == [])
  }

  @Test("a service that dies with an unwritten result applies again: at least once")
  func diesUnwritten() {
    var bench = Bench()
    bench.submit("a")
    bench.failing = [.finish]
    bench.handlerEnds()
    bench.failing = []
    bench.restart(handlerLives: false)
    #expect(bench.said.last == "start a, attempt 1")
    #expect(bench.violations == [])
  }
}
