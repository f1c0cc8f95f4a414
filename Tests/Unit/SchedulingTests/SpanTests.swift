import Scheduling
import Testing
import Timeline

private let steps: [Duration] = [
  .seconds(3600), .seconds(-3600), .seconds(86_400), .seconds(-86_400), year, .zero - year, .zero - year * 56,
]

@Suite("Spans, and times while the clock is not known to be right")
struct SpanTests {
  private let daily = TimeOfDay("01:00").map(Moment.daily)

  @Test("no step of the clock makes a span due, early or late", arguments: steps)
  func notBefore(_ step: Duration) {
    var bench = Bench()
    bench.release()
    bench.submit("a", from: bench.after(100))
    bench.pass(until: 50)
    bench.clockSet = step
    bench.pass(until: 99.9)
    #expect(bench.running == nil)
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).first?.clears == .passed(at(100)))
    bench.pass(until: 100)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test(
    "no step of the clock lets a deadline come, early or late, and nothing is forced under a finger", arguments: steps)
  func deadline(_ step: Duration) {
    for policy in OnDeadline.allCases {
      var bench = Bench()
      bench.touch()
      bench.submit("a", from: nil, until: bench.after(100), onDeadline: policy)
      bench.pass(until: 50)
      bench.clockSet = step
      bench.pass(until: 99.9)
      #expect(bench.running == nil && bench.store[id("a")]?.state == .waiting, "\(policy)")
      bench.pass(until: 100)
      #expect((bench.running == id("a")) == (policy == .force))
      #expect((bench.store[id("a")]?.state.name == "expired") == (policy == .expire))
      #expect(bench.violations == [])
    }
  }

  @Test("a span goes on while the machine is off, as far as the steady clock knows, and over a restart")
  func off() {
    var bench = Bench()
    bench.release()
    bench.submit("a", from: bench.after(100))
    bench.hold("h", seconds: 90)
    bench.pass(until: 10)
    bench.timeOff = .seconds(60)
    bench.restart(handlerLives: false, reboot: true)
    #expect(bench.scheduler.activeHolds.count == 1)
    bench.pass(until: 29.9)
    #expect(bench.scheduler.activeHolds.count == 1 && bench.running == nil)
    bench.pass(until: 30)
    #expect(bench.scheduler.activeHolds == [])
    bench.pass(until: 39.9)
    #expect(bench.running == nil)
    bench.pass(until: 40)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("a time waits until the clock is known to be right, and that is named; apply does not wait for it")
  func unset() {
    var bench = Bench()
    bench.release()
    bench.isClockSet = false
    bench.wake()
    bench.submit("a", notBefore: wall(-1000))
    bench.submit("b", notBefore: wall(-1000))
    bench.pass(until: 10)
    #expect(bench.running == nil)
    #expect(
      bench.scheduler.blockers(of: id("a"), at: bench.now) == [
        Blocker(code: .clockUnset, since: at(0), clears: .clockIsSet)
      ])
    bench.expedite("b")
    #expect(bench.running == id("b"))
    bench.handlerEnds()
    bench.isClockSet = true
    bench.pass(until: 11)
    #expect(bench.running == id("a"))
    #expect(
      bench.store[id("a")].map { _ in bench.scheduler.blockedTimes(of: id("a"), at: bench.now) }??.milliseconds[
        "clockUnset"] == 11_000)
    #expect(bench.violations == [])
  }

  @Test("a deadline that is a time does not come before the clock is known to be right; a boot in 1970 forces nothing")
  func deadlineUnset() {
    for policy in OnDeadline.allCases {
      var bench = Bench()
      bench.touch()
      bench.isClockSet = false
      bench.wake()
      bench.submit("a", deadline: wall(100), onDeadline: policy)
      bench.clockSet = year
      bench.pass(until: 1000)
      #expect(bench.running == nil && bench.store[id("a")]?.state == .waiting, "\(policy)")
      bench.clockSet = .zero
      bench.isClockSet = true
      bench.pass(until: 1001)
      #expect((bench.running == id("a")) == (policy == .force))
      #expect((bench.store[id("a")]?.state.name == "expired") == (policy == .expire))
      #expect(bench.violations == [])
    }
  }

  @Test("a time without a day is the next one once the clock is known to be right, and remains so over a restart")
  func resolved() throws {
    var bench = Bench()
    bench.release()
    bench.isClockSet = false
    bench.wake()
    bench.submit("a", from: daily, until: nil)
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.clockUnset])
    bench.failing = [.resolve]
    bench.isClockSet = true
    bench.pass(until: 3)
    #expect(bench.store[id("a")]?.update.notBefore == daily, "the disk is full")
    bench.failing = []
    bench.pass(until: 5)
    let time = FixedZone(.zero).next(try #require(TimeOfDay("01:00")), after: wall(4))
    #expect(bench.store[id("a")]?.update.notBefore == .wall(time))
    bench.touch()
    bench.clockSet = time - wall(5) + .seconds(60)
    bench.restart(handlerLives: false)
    bench.pass(until: 6)
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.touched], "not tomorrow's")
    bench.release()
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("a machine that learns the time while nothing else happens is noticed at the next recheck")
  func noticed() {
    var bench = Bench()
    bench.release()
    bench.isClockSet = false
    bench.wake()
    bench.submit("a", notBefore: wall(5))
    bench.pass(until: 20)
    bench.isClockSet = true
    bench.pass(until: 21)
    #expect(bench.running == id("a"))
  }
}
