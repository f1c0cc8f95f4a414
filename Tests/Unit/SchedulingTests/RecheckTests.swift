import Scheduling
import Testing
import Timeline

@Suite("Rechecks")
struct RecheckTests {
  @Test("once a second while anything waits, on one grid from the moment the first came to wait")
  func everySecond() {
    var bench = Bench()
    bench.touch()
    bench.pass(until: 0.3)
    bench.submit("a")
    #expect(bench.scheduler.nextDeadline == at(1.3))
    bench.pass(until: 0.9)
    bench.submit("b")
    #expect(bench.scheduler.nextDeadline == at(1.3), "the grid does not move")
    bench.pass(until: 1.299_999_999)
    #expect(!bench.said.contains("recheck"))
    bench.pass(until: 5.3)
    #expect(bench.said.filter { $0 == "recheck" }.count == 5)
    #expect(bench.scheduler.nextDeadline == at(6.3))
  }

  @Test("a late wake-up rechecks once and stays on the grid", arguments: [(1.9, 2.0), (2.0, 3.0), (7.7, 8.0)])
  func late(_ wake: Double, _ next: Double) {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.oversleep(until: wake)
    #expect(bench.said.filter { $0 == "recheck" }.count == 1)
    #expect(bench.scheduler.nextDeadline == at(next))
    #expect(bench.scheduler.rechecks(of: id("a")) == 1)
  }

  @Test("a wake-up before it is due rechecks nothing")
  func early() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.oversleep(until: 0.5)
    #expect(!bench.said.contains("recheck"))
    #expect(bench.scheduler.nextDeadline == at(1))
  }

  @Test("an update counts the rechecks since it was accepted")
  func checks() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    #expect(bench.scheduler.rechecks(of: id("a")) == 0)
    bench.pass(until: 2.5)
    bench.submit("b")
    bench.pass(until: 6)
    #expect(bench.scheduler.rechecks(of: id("a")) == 6)
    #expect(bench.scheduler.rechecks(of: id("b")) == 4)
    #expect(bench.scheduler.rechecks(of: id("never")) == nil)
    bench.restart(handlerLives: false)
    #expect(bench.scheduler.rechecks(of: id("a")) == 0, "counted from the start of this run")
  }

  @Test("nothing waiting: no timer")
  func noTimer() {
    var bench = Bench()
    #expect(bench.scheduler.nextDeadline == nil)
    bench.touch()
    bench.release()
    #expect(bench.scheduler.nextDeadline == nil)
    bench.submit("a")
    bench.handlerEnds()
    #expect(bench.said.contains("ended a: applied"))
    #expect(bench.scheduler.nextDeadline == nil)
  }

  @Test("another interval is kept as well")
  func interval() {
    var bench = Bench(interval: .milliseconds(250))
    bench.touch()
    bench.submit("a")
    bench.pass(until: 10)
    #expect(bench.scheduler.rechecks(of: id("a")) == 40)
  }

  @Test("a release that was not reported is found at the recheck")
  func missedWakeUp() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.pass(until: 2.2)
    bench.world[.screen("panel")] = .clear(since: at(2.2))
    bench.pass(until: 2.999)
    #expect(bench.running == nil)
    bench.pass(until: 3)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("while a handler runs and nothing waits, no timer runs")
  func noTimerWhileRunning() {
    var bench = Bench()
    bench.submit("a")
    #expect(bench.running == id("a"))
    #expect(bench.scheduler.nextDeadline == nil)
  }
}
