import Scheduling
import Testing
import Timeline

@Suite("force")
struct ForceTests {
  @Test("under a finger, in the quiet period, while all is paused and held: it starts at once, and says over what")
  func overAll() {
    var bench = Bench(quiet: .seconds(5))
    bench.touch()
    bench.pauseAll()
    bench.hold("h")
    bench.submit("a", notBefore: wall(100))
    #expect(bench.running == nil)
    _ = bench.news()
    bench.force("a")
    #expect(bench.news() == ["store expedite a", "done expedite", "store beginApplying a", "start a, attempt 1"])
    #expect(bench.store[id("a")]?.overrode == [.touched, .hold, .paused])
    bench.handlerEnds()
    #expect(bench.store[id("a")]?.state.name == "applied")
    #expect(bench.violations == [])
  }

  @Test("an update that nothing blocked overrode nothing")
  func overNothing() {
    var bench = Bench()
    bench.release()
    bench.submit("first")
    bench.submit("a")
    bench.force("a")
    bench.handlerEnds()
    #expect(bench.running == id("a"))
    #expect(bench.store[id("a")]?.overrode == [])
    #expect(bench.violations == [])
  }

  @Test("the one that is being applied it waits for")
  func oneAtATime() {
    var bench = Bench()
    bench.submit("first")
    bench.touch()
    bench.submit("a")
    bench.force("a")
    #expect(bench.running == id("first"))
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.applying])
    bench.handlerEnds()
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("forced updates go before others, by priority and then by arrival")
  func order() {
    var bench = Bench()
    bench.submit("first")
    for name in ["a", "b", "c", "d"] { bench.submit(name, priority: name == "c" ? 1 : 0) }
    for name in ["d", "b"] { bench.force(name) }
    var order: [String] = []
    while let running = bench.running {
      order.append(running.text)
      bench.handlerEnds()
    }
    #expect(order == ["first", "b", "d", "c", "a"])
    #expect(bench.violations == [])
  }

  @Test("over a restart it is still so")
  func restart() {
    var bench = Bench()
    bench.submit("first")
    bench.touch()
    bench.submit("a")
    bench.force("a")
    bench.restart(handlerLives: true)
    #expect(bench.running == id("first"))
    bench.handlerEnds()
    bench.pass(until: 1)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("onDeadline=force: at its deadline it starts under a finger; after a failure it pauses, and is forced again")
  func atDeadline() {
    var bench = Bench(policies: ["flaky": HandlerPolicy(attempts: 2, backoff: .seconds(10))])
    bench.touch()
    bench.submit("a", to: "flaky", deadline: wall(60), onDeadline: .force)
    bench.pass(until: 59.9)
    #expect(bench.running == nil)
    bench.pass(until: 60)
    #expect(bench.running == id("a"))
    bench.handlerEnds(.failed)
    bench.pass(until: 67.9)
    #expect(bench.running == nil)
    bench.pass(until: 72)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("a request that cannot be stored changes nothing")
  func cannotStore() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.failing = [.expedite]
    bench.force("a")
    #expect(bench.said.last == "not done expedite: disk full")
    bench.failing = []
    bench.pass(until: 5)
    #expect(bench.running == nil)
    #expect(bench.violations == [])
  }
}
