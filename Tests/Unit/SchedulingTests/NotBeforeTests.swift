import Scheduling
import Testing
import Timeline

@Suite("Not before its time")
struct NotBeforeTests {
  /// Rechecks are so rare that every other wake-up is visible.
  private var bench = Bench(interval: .forever)

  @Test("it starts when the wall clock says so, to the millisecond, and the timer is set for it")
  mutating func onTime() {
    bench.pass(until: 3)
    bench.submit("a", notBefore: wall(100.25))
    #expect(bench.running == nil)
    #expect(bench.scheduler.nextDeadline == at(100.25))
    bench.oversleep(until: 100.249)
    #expect(bench.running == nil)
    bench.pass(until: 100.25)
    #expect(bench.running == id("a"))
    #expect(bench.scheduler.nextDeadline == nil)
    #expect(bench.violations == [])
  }

  @Test("what blocks is named, with the time")
  mutating func blocker() {
    bench.pass(until: 3)
    bench.submit("a", notBefore: wall(100.25))
    #expect(
      bench.scheduler.blockers(of: id("a"), at: bench.now) == [
        Blocker(code: .notBefore, since: at(3), clears: .at(wall(100.25)))
      ])
  }

  @Test("one that has come already does not matter")
  mutating func past() {
    bench.pass(until: 3)
    bench.submit("a", notBefore: wall(3))
    #expect(bench.running == id("a"))
    bench.submit("b", notBefore: wall(-1000))
    bench.handlerEnds()
    #expect(bench.running == id("b"))
  }

  @Test("no update waits behind it, whatever its priority; from its time on it has its place in the order")
  mutating func place() {
    bench.submit("a", priority: 5, notBefore: wall(100))
    bench.submit("b")
    #expect(bench.running == id("b"))
    bench.submit("c")
    #expect(bench.scheduler.blockers(of: id("c"), at: bench.now).map(\.code) == [.applying])
    bench.pass(until: 100)
    bench.handlerEnds()
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("the quiet period runs at the same time, not afterwards")
  mutating func quiet() {
    bench.submit("a", quiet: .seconds(30), notBefore: wall(100))
    bench.pass(until: 100)
    #expect(bench.running == id("a"))
    bench.handlerEnds()
    bench.submit("b", quiet: .seconds(30), notBefore: wall(150))
    bench.pass(until: 140)
    bench.touch()
    bench.release()
    bench.pass(until: 169.999)
    #expect(bench.running == nil)
    bench.pass(until: 170)
    #expect(bench.running == id("b"))
    #expect(bench.violations == [])
  }

  @Test("while the screen is touched it comes and goes; the update starts with the release")
  mutating func touched() {
    bench.touch()
    bench.submit("a", notBefore: wall(100))
    bench.pass(until: 150)
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.touched])
    bench.release()
    #expect(bench.running == id("a"))
  }

  @Test("of several the earliest sets the timer, and after its cancellation the next")
  mutating func several() {
    for (text, time) in [("c", 300.0), ("a", 100), ("b", 200)] { bench.submit(text, notBefore: wall(time)) }
    #expect(bench.scheduler.nextDeadline == at(100))
    bench.cancel("a")
    #expect(bench.scheduler.nextDeadline == at(200))
    bench.cancel("c")
    #expect(bench.scheduler.nextDeadline == at(200))
    bench.cancel("b")
    #expect(bench.scheduler.nextDeadline == nil)
  }

  // MARK: The clock is set

  @Test("set forward a year: it may go as soon as that is noticed, at the next recheck at the latest")
  func forward() {
    var bench = Bench()
    bench.submit("a", notBefore: wall(100))
    bench.pass(until: 10.5)
    bench.clockSet = year
    bench.pass(until: 10.999)
    #expect(bench.running == nil)
    bench.pass(until: 11)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("set back a year: it waits a year longer")
  mutating func back() {
    bench.submit("a", notBefore: wall(100))
    bench.pass(until: 10)
    bench.clockSet = .zero - year
    bench.wake()
    #expect(bench.scheduler.nextDeadline == at(100) + year)
    bench.oversleep(until: 200)
    #expect(bench.running == nil)
    bench.sleep(until: at(100) + year)
    bench.wake()
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("set back and right again: it goes when it should")
  mutating func backAndRight() {
    bench.submit("a", notBefore: wall(100))
    for set in [Duration.zero - year, year * 0, .zero - year, .zero] {
      bench.clockSet = set
      bench.wake()
    }
    #expect(bench.scheduler.nextDeadline == at(100))
    bench.pass(until: 100)
    #expect(bench.running == id("a"))
  }

  @Test("set forward a year by mistake while the screen is touched, and right again: its time has not come")
  mutating func forwardAndRight() {
    bench.touch()
    bench.submit("a", notBefore: wall(100))
    bench.submit("b", notBefore: wall(50))
    bench.clockSet = year
    bench.wake()
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.touched])
    bench.clockSet = .zero
    bench.wake()
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.touched, .notBefore])
    bench.release()
    #expect(bench.running == nil)
    bench.pass(until: 50)
    #expect(bench.running == id("b"))
    bench.handlerEnds()
    bench.pass(until: 100)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("a clock that is adjusted by a millisecond does not make the timer fire endlessly")
  mutating func slewed() {
    bench.touch()
    bench.submit("a", notBefore: wall(10))
    bench.pass(until: 10)
    bench.clockSet = .milliseconds(-1)
    bench.wake()
    bench.pass(until: 11)
    bench.release()
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("the end of all time neither traps nor comes")
  mutating func never() {
    bench.submit("a", notBefore: WallTime(millisecondsSinceEpoch: .max))
    #expect(bench.scheduler.nextDeadline == .distantFuture)
    bench.oversleep(until: 1_000_000_000)
    #expect(bench.running == nil)
  }

  @Test("it is kept over a restart")
  mutating func restart() {
    bench.submit("a", notBefore: wall(100))
    bench.pass(until: 50)
    bench.restart(handlerLives: false)
    #expect(bench.running == nil && bench.scheduler.nextDeadline == at(100))
    bench.sleep(until: at(200))
    bench.restart(handlerLives: false)
    #expect(bench.running == id("a"))
  }
}
