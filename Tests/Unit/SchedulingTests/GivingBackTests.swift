import Scheduling
import Testing
import Timeline

@Suite("A screen that is touched between the mark and the start")
struct GivingBackTests {
  @Test("gives the update back, with its attempt uncounted, and it starts after the next release")
  func givenBack() {
    var bench = Bench()
    bench.duringLastLook = { $0.world[.screen("panel")] = touched(since: 0) }
    bench.submit("a")
    #expect(
      bench.news() == [
        "store accept a", "accepted a", "store beginApplying a", "last look a", "store backToWaiting a",
      ])
    #expect(bench.store[id("a")]?.state == .waiting && bench.store[id("a")]?.attempts == 0)
    #expect(bench.scheduler.attempts(of: id("a")) == 0)
    #expect(bench.scheduler.applying == nil && bench.scheduler.waitingCount == 1)
    #expect(bench.scheduler.nextDeadline == at(1))
    bench.pass(until: 4.5)
    bench.release()
    #expect(bench.news().last == "start a, attempt 1, 0 ms after the release")
    #expect(bench.violations == [])
  }

  @Test("hundreds of times, it is still the first attempt, and it stays in its place")
  func often() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.submit("b")
    for second in 0..<300 {
      bench.pass(until: Double(second) + 0.5)
      bench.duringLastLook = { bench in
        bench.world[.screen("panel")] = touched(since: Double(second) + 0.5)
      }
      bench.release()
      #expect(bench.running == nil)
    }
    bench.pass(until: 400)
    bench.release()
    #expect(bench.news().last == "start a, attempt 1, 0 ms after the release")
    #expect(bench.violations == [])
  }

  @Test("activity in the last look that restarts the quiet period sends the update back too")
  func activity() {
    var bench = Bench(quiet: .seconds(2))
    bench.submit("a")
    bench.duringLastLook = { $0.world[.screen("panel")] = .clear(since: $0.now) }
    bench.pass(until: 2)
    #expect(bench.news().last == "store backToWaiting a")
    bench.pass(until: 3.999)
    #expect(bench.running == nil)
    bench.pass(until: 4)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("a touch after the start changes nothing: the handler runs to its end, the next one waits")
  func afterStart() {
    var bench = Bench()
    bench.submit("a")
    bench.submit("b")
    bench.touch()
    bench.pass(until: 5)
    bench.handlerEnds()
    #expect(bench.said.last == "ended a: applied")
    #expect(bench.running == nil)
    bench.release()
    #expect(bench.running == id("b"))
    #expect(bench.violations == [])
  }
}
