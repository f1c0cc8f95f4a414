import Scheduling
import Testing
import Timeline

@Suite("A deadline")
struct DeadlineTests {
  private static let policies = ["flaky": HandlerPolicy(attempts: 5, backoff: .seconds(100))]
  private var bench = Bench(interval: .forever, policies: policies)

  private func state(_ text: String) -> FinalState? {
    if case .finished(let result)? = bench.store[id(text)]?.state { result.state } else { nil }
  }

  private func starts() -> Int { bench.said.count { $0.hasPrefix("start") } }

  // MARK: expire

  @Test("expire: what still waits then ends, at that millisecond, and never runs")
  mutating func expire() {
    bench.touch()
    bench.submit("a", deadline: wall(60.5))
    #expect(bench.scheduler.nextDeadline == at(60.5))
    bench.oversleep(until: 60.499)
    #expect(state("a") == nil)
    _ = bench.news()
    bench.pass(until: 60.5)
    #expect(bench.news() == ["store finish a", "ended a: expired"])
    #expect(
      bench.store[id("a")]?.state
        == .finished(
          UpdateResult(
            state: .expired, exitCode: nil, message: "still waiting at its deadline", finishedAt: wall(60.5),
            releaseToStartMilliseconds: nil, blocked: BlockedTimes(milliseconds: ["touched": 60_500]))))
    #expect(bench.scheduler.nextDeadline == nil && bench.scheduler.waitingCount == 0)
    bench.release()
    #expect(bench.running == nil)
    #expect(bench.violations == [])
  }

  @Test("expire: whatever it waits for: the screen, its quiet period, a backoff, its turn", arguments: 0..<4)
  mutating func anyReason(_ reason: Int) {
    switch reason {
    case 0:
      bench.touch()
      bench.submit("a", deadline: wall(60))
    case 1:
      bench.submit("a", quiet: .seconds(70), deadline: wall(60))
    case 2:
      bench.submit("a", to: "flaky", deadline: wall(60))
      bench.handlerEnds(.failed)
    default:
      bench.submit("b")
      bench.submit("a", deadline: wall(60))
    }
    bench.pass(until: 1000)
    bench.release()
    bench.handlerEnds()
    #expect(state("a") == .expired)
    #expect(bench.running == nil)
    #expect(bench.violations == [])
  }

  @Test("expire: an update that is being applied at its deadline continues; if it fails it does not wait again")
  mutating func applying() {
    bench.submit("a", deadline: wall(60))
    bench.pass(until: 70)
    bench.handlerEnds()
    #expect(state("a") == .applied)
    bench.submit("b", to: "flaky", deadline: wall(80))
    bench.pass(until: 90)
    #expect(bench.running == id("b"))
    bench.handlerEnds(.failed)
    #expect(state("b") == .expired)
    #expect(bench.scheduler.nextDeadline == nil)
    #expect(bench.violations == [])
  }

  @Test("expire: a start in the same instant as the deadline does not happen")
  mutating func sameInstant() {
    bench.submit("a", quiet: .seconds(60), deadline: wall(60))
    bench.submit("b", notBefore: wall(60))
    bench.pass(until: 60)
    #expect(state("a") == .expired)
    #expect(bench.running == id("b"))
  }

  @Test("expire: many at once")
  mutating func many() {
    bench.touch()
    for number in 0..<100 { bench.submit("u\(number)", deadline: wall(Double(60 + number % 2))) }
    bench.submit("b")
    bench.pass(until: 60)
    #expect(bench.scheduler.waitingCount == 51)
    #expect(bench.scheduler.nextDeadline == at(61))
    bench.pass(until: 61)
    #expect(bench.scheduler.waitingCount == 1)
    #expect(bench.scheduler.nextDeadline == .distantFuture)
    #expect(bench.violations == [])
  }

  @Test("expire: passed while the service was down: it ends before anything is started")
  mutating func whileDown() {
    bench.touch()
    bench.submit("a", deadline: wall(60))
    bench.submit("b")
    bench.world = [.machine: .clear(since: at(0))]
    bench.sleep(until: at(61))
    bench.restart(handlerLives: false)
    #expect(state("a") == .expired)
    #expect(bench.running == id("b"))
    #expect(bench.violations == [])
  }

  @Test("expire: on a full disk it is tried once a second, does not run, and ends when there is room")
  func fullDisk() {
    var bench = Bench()
    bench.touch()
    bench.submit("a", deadline: wall(60))
    bench.failing = [.finish]
    bench.pass(until: 59.5)
    _ = bench.news()
    bench.pass(until: 63.5)
    let tries = bench.news().count { $0 == "cannot store finish a" }
    #expect((3...5).contains(tries), "tried \(tries) times")
    bench.release()
    #expect(bench.running == nil)
    bench.failing = []
    bench.pass(until: 65)
    #expect(bench.said.last == "ended a: expired")
    #expect(bench.scheduler.nextDeadline == nil)
    #expect(bench.violations == [])
  }

  // MARK: apply

  @Test("apply: from then on its quiet period does not count, but the screen does")
  mutating func apply() {
    bench.submit("a", quiet: .seconds(1000), deadline: wall(60), onDeadline: .apply)
    bench.pass(until: 50)
    bench.touch()
    bench.pass(until: 70)
    #expect(bench.running == nil)
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.touched])
    bench.release()
    #expect(bench.running == id("a"))
    bench.handlerEnds()
    bench.submit("b", quiet: .seconds(1000), deadline: wall(80), onDeadline: .apply)
    #expect(bench.scheduler.nextDeadline == at(80))
    bench.pass(until: 80)
    #expect(bench.running == id("b"))
    #expect(bench.violations == [])
  }

  @Test("apply: before it, nothing is different")
  mutating func applyBefore() {
    bench.submit("a", quiet: .seconds(20), deadline: wall(60), onDeadline: .apply)
    bench.pass(until: 19.999)
    #expect(bench.running == nil)
    bench.pass(until: 20)
    #expect(bench.running == id("a"))
  }

  @Test("apply: a backoff ends with it")
  mutating func applyInPause() {
    bench.submit("a", to: "flaky", deadline: wall(60), onDeadline: .apply)
    bench.handlerEnds(.failed)
    bench.pass(until: 59.999)
    #expect(bench.running == nil)
    bench.pass(until: 60)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("apply: a deadline that has passed sets no timer while the screen is touched")
  mutating func noSpin() {
    bench.touch()
    bench.submit("a", deadline: wall(60), onDeadline: .apply)
    bench.pass(until: 60)
    #expect(bench.scheduler.nextDeadline == .distantFuture)
    bench.oversleep(until: 61)
    #expect(bench.scheduler.nextDeadline == .distantFuture)
    bench.release()
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("apply: a failure after it is followed by a backoff like any other")
  mutating func failsAfter() {
    bench.touch()
    bench.submit("a", to: "flaky", deadline: wall(60), onDeadline: .apply)
    bench.pass(until: 70)
    bench.release()
    bench.handlerEnds(.failed)
    #expect(bench.running == nil)
    bench.pass(until: 149)
    #expect(bench.running == nil)
    bench.pass(until: 190)
    #expect(bench.running == id("a"))
    #expect(starts() == 2)
    #expect(bench.violations == [])
  }

  @Test("apply: after it, a handler that asks to be tried later has a backoff")
  mutating func laterAfter() {
    bench.submit("a", to: "flaky", deadline: wall(1), onDeadline: .apply)
    bench.pass(until: 2)
    for _ in 0..<100 { bench.handlerEnds(.failed, tryLater: true) }
    #expect(starts() == 1)
    #expect(bench.violations == [])
  }

  @Test("apply: after a touch in the last look it waits again, and starts at the release")
  mutating func aborted() {
    bench.submit("a", quiet: .seconds(1000), deadline: wall(60), onDeadline: .apply)
    bench.duringLastLook = { $0.touch() }
    bench.pass(until: 70)
    #expect(bench.running == nil && bench.said.last == "store backToWaiting a")
    bench.release()
    #expect(bench.said.last == "start a, attempt 1, 0 ms after the release")
    #expect(bench.violations == [])
  }

  @Test("apply: it counts over a restart")
  mutating func applyRestart() {
    bench.submit("a", quiet: .seconds(1000), deadline: wall(60), onDeadline: .apply)
    bench.pass(until: 50)
    bench.touch()
    bench.pass(until: 70)
    bench.restart(handlerLives: false)
    bench.release()
    #expect(bench.running == id("a"))
  }

  // MARK: The clock is set

  @Test(
    "the clock set forward a year: it has passed; set back a year: it is a year away",
    arguments: OnDeadline.allCases)
  mutating func clock(_ onDeadline: OnDeadline) {
    bench.submit("a", quiet: .seconds(200), deadline: wall(100), onDeadline: onDeadline)
    bench.clockSet = .zero - year
    bench.wake()
    #expect(bench.scheduler.nextDeadline == at(200), "only the quiet period")
    bench.pass(until: 150)
    #expect(bench.running == nil && state("a") == nil)
    bench.clockSet = year
    bench.wake()
    #expect(state("a") == (onDeadline == .expire ? .expired : nil))
    #expect(bench.running == (onDeadline == .expire ? nil : id("a")))
    #expect(bench.violations == [])
  }

  @Test("the clock set back a year: the deadline comes when the clock says so")
  mutating func clockBack() {
    bench.touch()
    bench.submit("a", deadline: wall(100))
    bench.clockSet = .zero - year
    bench.wake()
    #expect(bench.scheduler.nextDeadline == at(100) + year)
    bench.oversleep(until: 1000)
    #expect(state("a") == nil)
    bench.sleep(until: at(100) + year)
    bench.wake()
    #expect(state("a") == .expired)
    #expect(bench.violations == [])
  }

  @Test("set forward past notBefore and deadline at once: it has expired, and does not run")
  mutating func pastBoth() {
    bench.submit("a", notBefore: wall(100), deadline: wall(200))
    bench.clockSet = year
    bench.wake()
    #expect(state("a") == .expired)
    #expect(starts() == 0)
  }
}
