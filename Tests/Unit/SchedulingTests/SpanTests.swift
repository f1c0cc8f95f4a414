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

  @Test(
    "spans that were counted before the machine was off go on by that time once it is known, and no others; that is stored"
  )
  func off() {
    var bench = Bench()
    bench.release()
    bench.submit("a", from: bench.after(100))
    bench.hold("h", seconds: 90)
    bench.pass(until: 10)
    let before = bench.steady
    bench.restart(handlerLives: false, reboot: true)
    bench.pass(until: 15)
    bench.submit("later", from: bench.after(100), until: bench.after(200), onDeadline: .force)
    bench.hold("g", seconds: 90)
    bench.failing = [.retime]
    bench.learns(off: 60, before: before)
    bench.failing = []
    bench.pass(until: 17)
    #expect(bench.store[id("a")]?.update.notBefore == .steady(SteadyTime(milliseconds: 5_040_000)))
    #expect(bench.holds[id("h")]?.until == SteadyTime(milliseconds: 5_030_000))
    bench.restart(handlerLives: false)
    #expect(bench.scheduler.activeHolds.count == 2)
    bench.letGo("g")
    bench.pass(until: 29.9)
    #expect(bench.scheduler.activeHolds.count == 1 && bench.running == nil)
    bench.pass(until: 30)
    #expect(bench.scheduler.activeHolds == [])
    bench.pass(until: 39.9)
    #expect(bench.running == nil)
    bench.pass(until: 40)
    #expect(bench.running == id("a"))
    bench.handlerEnds()
    bench.pass(until: 114)
    #expect(bench.running == nil)
    bench.pass(until: 115)
    #expect(bench.running == id("later"))
    #expect(bench.violations == [])
  }

  @Test("a deadline 04:00 after notBefore 22:00 is the one of the next day, also if both are resolved later")
  func night() throws {
    let (evening, morning) = (try #require(TimeOfDay("22:00")), try #require(TimeOfDay("04:00")))
    let update = Update(
      id: id("a"), handler: "page", parameters: [:], createdAt: someDay, submitter: Submitter(uid: 0, pid: 1),
      sequence: 1, notBefore: .daily(evening), deadline: .daily(morning))
    let zone = FixedZone(.zero)
    for hours in 0..<48 {
      let now = someDay + .seconds(hours * 3600)
      let resolved = update.resolved(after: now, in: zone)
      guard case .wall(let first) = resolved.notBefore, case .wall(let last) = resolved.deadline else {
        Issue.record("not resolved")
        return
      }
      #expect(first == zone.next(evening, after: now) && last - first == .seconds(6 * 3600))
    }
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
    bench.failing = [.retime]
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
