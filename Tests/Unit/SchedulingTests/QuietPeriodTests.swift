import Scheduling
import Testing
import Timeline

@Suite("The quiet period")
struct QuietPeriodTests {
  @Test("it starts exactly when the period is over, between two rechecks, and never a nanosecond before")
  func edge() {
    var bench = Bench(quiet: .milliseconds(1700))
    bench.touch()
    bench.submit("a")
    bench.pass(until: 0.25)
    bench.release()
    #expect(bench.scheduler.nextDeadline == at(1))
    bench.pass(until: 1)
    #expect(bench.scheduler.nextDeadline == at(1.95))
    bench.oversleep(until: 1.949_999_999)
    #expect(bench.running == nil)
    bench.pass(until: 1.95)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("each touch restarts it")
  func anew() {
    var bench = Bench(quiet: .seconds(5))
    bench.submit("a")
    for second in [4.0, 8, 12] {
      bench.pass(until: second)
      bench.touch()
      bench.pass(until: second + 1)
      bench.release()
    }
    #expect(bench.running == nil)
    bench.pass(until: 17.999)
    #expect(bench.running == nil)
    bench.pass(until: 18)
    #expect(bench.running == id("a"))
  }

  @Test("of several screens the one that was touched last counts")
  func severalScreens() {
    var bench = Bench(quiet: .seconds(2))
    bench.world = [
      .machine: .clear(since: at(0)), .screen("door"): .clear(since: at(3)), .screen("panel"): .clear(since: at(1)),
    ]
    bench.tell()
    bench.submit("a")
    #expect(bench.scheduler.nextDeadline == at(1))
    bench.pass(until: 4.999)
    #expect(bench.running == nil)
    bench.pass(until: 5)
    #expect(bench.running == id("a"))
  }

  @Test("a screen whose time of clearness moves on while it is waited for moves the start")
  func activity() {
    var bench = Bench(quiet: .seconds(2))
    bench.submit("a")
    bench.pass(until: 1.5)
    bench.world[.screen("panel")] = .clear(since: at(1.5))
    bench.tell()
    bench.pass(until: 3.499)
    #expect(bench.running == nil)
    bench.pass(until: 3.5)
    #expect(bench.running == id("a"))
  }

  @Test("none: the instant of the release")
  func none() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.pass(until: 0.123)
    bench.release()
    #expect(bench.said.last == "start a, attempt 1, 0 ms after the release")
  }

  @Test("one of infinity is never over")
  func never() {
    var bench = Bench(quiet: .forever)
    bench.submit("a")
    bench.oversleep(until: 9_000_000_000)
    #expect(bench.running == nil)
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.settling])
  }

  @Test("one of forever with a late wake-up does not overflow")
  func edgeOfTime() {
    var scheduler = Scheduler(quietPeriod: .forever, interval: .forever)
    _ = scheduler.screens([.machine: .clear(since: .distantFuture)], at: at(0))
    _ = scheduler.submit(update("a"), payload: [], at: at(0))
    _ = scheduler.stored(.accept(update("a"), payload: []), at: at(1))
    #expect(scheduler.timePassed(at(100)) == [])
    #expect(scheduler.nextDeadline == .distantFuture)
  }
}
