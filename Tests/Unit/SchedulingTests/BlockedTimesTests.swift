import Scheduling
import Testing
import Timeline

@Suite("How long each blocker has blocked an update")
struct BlockedTimesTests {
  private func blocked(_ bench: Bench, _ text: String = "a") -> [String: Int64]? {
    if case .finished(let result)? = bench.store[id(text)]?.state { return result.blocked.milliseconds }
    return bench.scheduler.blockedTimes(of: id(text), at: bench.now)?.milliseconds
  }

  @Test("touched for 41 s, settling for 3 s, also after its end")
  func touchedThenSettling() {
    var bench = Bench(quiet: .seconds(3))
    bench.touch()
    bench.submit("a")
    bench.pass(until: 41)
    #expect(blocked(bench) == ["touched": 41_000])
    bench.release()
    bench.pass(until: 42)
    #expect(blocked(bench) == ["touched": 41_000, "settling": 1000])
    bench.touch()
    bench.pass(until: 44)
    bench.release()
    bench.pass(until: 47)
    #expect(bench.running == id("a"))
    bench.pass(until: 60)
    bench.handlerEnds()
    #expect(blocked(bench) == ["touched": 43_000, "settling": 4000])
    #expect(bench.violations == [])
  }

  @Test("the time counts from the update's acceptance, whatever blocked others before")
  func fromAcceptance() {
    var bench = Bench(quiet: .seconds(3))
    bench.touch()
    bench.submit("old")
    bench.pass(until: 10)
    bench.submit("a")
    bench.pass(until: 12)
    bench.release()
    bench.pass(until: 13)
    bench.submit("young")
    bench.submit("urgent", quiet: .seconds(1))
    bench.pass(until: 14)
    #expect(blocked(bench, "old") == ["touched": 12_000, "settling": 2000, "applying": 1000])
    #expect(blocked(bench, "a") == ["touched": 2000, "settling": 2000, "applying": 1000])
    #expect(blocked(bench, "young") == ["settling": 1000, "applying": 1000])
    #expect(bench.violations == [])
  }

  @Test("backoff, notBefore, pause, holds, the store and other updates are each counted under their code")
  func each() {
    var bench = Bench(policies: ["flaky": HandlerPolicy(attempts: 2, backoff: .seconds(10))], seed: 1)
    bench.release()
    bench.submit("a", to: "flaky", notBefore: wall(5))
    bench.pass(until: 5)
    bench.handlerEnds(.failed)
    let until = bench.store[id("a")]?.backoff?.until ?? bench.steady
    let pause = (until - SteadyTime(milliseconds: 5_005_000)).wholeMilliseconds
    bench.pauseAll()
    bench.pass(until: 7)
    bench.hold("h")
    bench.pass(until: 8)
    bench.resumeAll()
    bench.letGo("h")
    bench.pass(until: 9)
    bench.submit("other")
    bench.pass(until: 12)
    bench.handlerEnds()
    bench.pass(until: 30)
    #expect(bench.running == id("a"))
    let expected = ["notBefore": 5000, "backoff": pause, "paused": 3000, "hold": 1000, "applying": 3000]
    var found = blocked(bench) ?? [:]
    // A pause is kept to the nanosecond, and stored to the millisecond.
    let backoff = found["backoff"] ?? 0
    #expect(abs(backoff - pause) <= 1)
    found["backoff"] = pause
    #expect(found == expected)
    #expect(bench.violations == [])
  }

  @Test("of one screen: what happens on another does not count")
  func ofOneScreen() {
    var bench = Bench()
    bench.world[.screen("door")] = .clear(since: at(0))
    bench.touch()
    bench.pauseAll()
    bench.submit("d", screen: "door")
    bench.submit("p", screen: "panel")
    bench.submit("all")
    bench.pass(until: 2)
    #expect(blocked(bench, "d") == ["paused": 2000])
    #expect(blocked(bench, "p") == ["paused": 2000, "touched": 2000])
    #expect(blocked(bench, "all") == ["paused": 2000, "touched": 2000])
    #expect(bench.violations == [])
  }

  @Test("the times continue to add up after a restart of the service")
  func restart() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.pass(until: 5)
    let kept = bench.scheduler.allBlockedTimes(at: bench.now)
    #expect(kept[id("a")]?.milliseconds == ["touched": 5000])
    var stored = bench.unfinished[0]
    stored.blocked = kept[id("a")] ?? BlockedTimes()
    var next = Scheduler(quietPeriod: .zero, interval: .seconds(1))
    _ = next.screens([.screen("panel"): touched(since: 0)], at: at(100))
    _ = next.recover(Recovered(updates: [stored]), at: at(100))
    #expect(next.blockedTimes(of: id("a"), at: at(102))?.milliseconds == ["touched": 7000])
  }

  @Test("times are stored as milliseconds and read back; an unknown code is skipped")
  func stored() {
    let times = BlockedTimes(milliseconds: ["touched": 5, "nonsense": 7, "hold": 0])
    #expect(times.milliseconds == ["touched": 5])
    #expect(times[.touched] == .milliseconds(5) && times[.hold] == .zero)
  }

  @Test("what has blocked for no time is not listed, and no time is taken away")
  func noTime() {
    var times = BlockedTimes()
    times.add(.zero, .touched)
    times.add(.seconds(-1), .hold)
    #expect(times.all.isEmpty)
    times.add(.seconds(2), .hold)
    times.add(.seconds(-1), .hold)
    #expect(times[.hold] == .seconds(2))
  }
}
