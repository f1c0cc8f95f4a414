import Scheduling
import Testing
import Timeline

@Suite("Stopping")
struct StoppingTests {
  @Test("nothing is started any longer, and waiting updates stay in the store")
  func nothingStarts() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.stop()
    #expect(bench.scheduler.isStopping)
    bench.release()
    bench.pass(until: 60)
    #expect(bench.running == nil)
    #expect(bench.unfinished.map(\.state) == [.waiting])
    bench.restart(handlerLives: false)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("an update that was already marked waits again, and no attempt is used")
  func marked() {
    var bench = Bench()
    bench.duringLastLook = { $0.stop() }
    bench.submit("a")
    #expect(bench.news().suffix(2) == ["last look a", "store backToWaiting a"])
    #expect(bench.store[id("a")]?.attempts == 0)
    #expect(bench.running == nil)
  }

  @Test("a handler that runs may end, and its result is stored; the next one is not started")
  func running() {
    var bench = Bench()
    bench.submit("a")
    bench.submit("b")
    bench.stop()
    #expect(bench.scheduler.isRunning)
    bench.handlerEnds(.failed)
    #expect(bench.news().suffix(2) == ["store finish a", "ended a: failed"])
    #expect(!bench.scheduler.isRunning && bench.scheduler.applying == nil)
    bench.pass(until: 10)
    #expect(bench.running == nil)
  }

  @Test("the first word to stop counts")
  func twice() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.pass(until: 1)
    bench.stop()
    bench.pass(until: 9)
    bench.stop()
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).first?.since == at(1))
  }
}
