import Scheduling
import Testing
import Timeline

@Suite("Attempts and the backoff between them")
struct AttemptTests {
  private static let policies = ["flaky": HandlerPolicy(attempts: 3, backoff: .seconds(10))]
  private var bench = Bench(interval: .forever, policies: policies)

  private func starts() -> [String] { bench.said.filter { $0.hasPrefix("start") } }

  /// The backoff that the timer is set for, and over it.
  private static func backoff(_ bench: inout Bench) -> Duration {
    guard let due = bench.scheduler.nextDeadline else { return .zero }
    let backoff = due - bench.now
    bench.sleep(until: due - .nanoseconds(1))
    bench.wake()
    if bench.running != nil { return .zero }
    bench.sleep(until: due)
    bench.wake()
    return backoff
  }

  private static func backoffs(_ count: Int, seed: UInt64, tryLater: Bool = false) -> [Duration] {
    let policy = HandlerPolicy(attempts: 100, backoff: .seconds(10))
    var bench = Bench(interval: .forever, policies: ["flaky": policy], seed: seed)
    bench.submit("a", to: "flaky")
    return (0..<count).map { _ in
      bench.handlerEnds(.failed, tryLater: tryLater)
      return backoff(&bench)
    }
  }

  @Test("as many starts as the handler has attempts, then it has failed")
  mutating func attempts() {
    bench.submit("a", to: "flaky")
    for number in 1...3 {
      #expect(bench.running == id("a"))
      #expect(bench.scheduler.attempts(of: id("a")) == number)
      bench.handlerEnds(.failed)
      bench.pass(until: Double(number) * 1000)
    }
    #expect(starts() == ["start a, attempt 1", "start a, attempt 2", "start a, attempt 3"])
    #expect(bench.store[id("a")]?.state.name == "failed" && bench.store[id("a")]?.attempts == 3)
    #expect(bench.said.last == "ended a: failed")
    #expect(bench.scheduler.nextDeadline == nil)
    #expect(bench.violations == [])
  }

  @Test("a success ends them")
  mutating func success() {
    bench.submit("a", to: "flaky")
    bench.handlerEnds(.failed)
    bench.pass(until: 100)
    bench.handlerEnds(.applied)
    #expect(bench.said.last == "ended a: applied")
    #expect(bench.store[id("a")]?.attempts == 2)
    #expect(bench.scheduler.nextDeadline == nil)
  }

  @Test("one attempt by default: the first failure is final")
  mutating func one() {
    bench.submit("a")
    bench.handlerEnds(.failed)
    #expect(bench.said.last == "ended a: failed")
  }

  @Test("a touch in the last look never counts and adds no backoff, however often")
  mutating func aborted() {
    bench.submit("a", to: "flaky")
    bench.handlerEnds(.failed)
    bench.touch()
    bench.pass(until: 100)
    for second in 100..<150 {
      bench.pass(until: Double(second))
      bench.duringLastLook = { $0.world[.screen("panel")] = touched(since: 0) }
      bench.release()
      #expect(bench.running == nil)
      #expect(bench.store[id("a")]?.attempts == 1)
    }
    bench.release()
    #expect(starts().last == "start a, attempt 2, 0 ms after the release")
    #expect(bench.violations == [])
  }

  @Test("waiting for the screen uses up no attempt and does not stretch the backoff")
  mutating func waiting() {
    bench.submit("a", to: "flaky")
    bench.touch()
    bench.handlerEnds(.failed)
    bench.pass(until: 100_000)
    bench.release()
    #expect(starts().last == "start a, attempt 2, 0 ms after the release")
    bench.handlerEnds(.failed)
    #expect((16.0...24).contains(AttemptTests.backoff(&bench) / .seconds(1)))
  }

  // MARK: The backoff

  @Test("it doubles with every failure up to 10 minutes, plus or minus a fifth", arguments: [1, 2, 3, 99] as [UInt64])
  func doubling(_ seed: UInt64) {
    let expected = [10.0, 20, 40, 80, 160, 320, 600, 600, 600, 600, 600, 600]
    for (backoff, whole) in zip(Self.backoffs(12, seed: seed), expected) {
      #expect((whole * 0.8...whole * 1.2).contains(backoff / .seconds(1)), "\(backoff) instead of \(whole) s")
    }
  }

  @Test("the same seed gives the same backoffs, another seed others, and they spread over the whole fifth")
  func seeds() {
    #expect(Self.backoffs(8, seed: 5) == Self.backoffs(8, seed: 5))
    #expect(Self.backoffs(8, seed: 5) != Self.backoffs(8, seed: 6))
    let first = (0..<200).compactMap { Self.backoffs(1, seed: $0).first }.map { $0 / .seconds(10) }
    #expect(first.allSatisfy { (0.8...1.2).contains($0) })
    #expect((first.min() ?? 1) < 0.82 && (first.max() ?? 1) > 1.18)
  }

  @Test("the longest backoff that can be configured does not overflow")
  func longest() {
    for backoff in [Duration.forever, .seconds(601), .milliseconds(100)] {
      let policy = HandlerPolicy(attempts: 100, backoff: backoff)
      var bench = Bench(interval: .forever, policies: ["flaky": policy])
      bench.submit("a", to: "flaky")
      for _ in 0..<99 {
        bench.handlerEnds(.failed)
        #expect(Self.backoff(&bench) <= .seconds(720))
      }
      bench.handlerEnds(.failed)
      #expect(bench.said.last == "ended a: failed")
      #expect(bench.violations == [])
    }
  }

  @Test("others do not wait for it")
  mutating func others() {
    bench.submit("a", to: "flaky", priority: 1)
    bench.submit("b", to: "flaky")
    bench.handlerEnds(.failed)
    #expect(bench.running == id("b"))
    bench.submit("c")
    #expect(bench.scheduler.blockers(of: id("c"), at: bench.now).map(\.code) == [.applying])
    bench.handlerEnds()
    #expect(bench.running == id("c"))
    bench.pass(until: 20)
    bench.handlerEnds()
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("each update has its own; one that fails first is not tried before its time because of another")
  mutating func own() {
    bench.submit("a", to: "flaky")
    bench.submit("b", to: "flaky")
    bench.handlerEnds(.failed)
    bench.pass(until: 5)
    bench.handlerEnds(.failed)
    #expect(bench.running == nil)
    let due = bench.scheduler.nextDeadline ?? .distantPast
    #expect(due >= at(8) && due <= at(12), "that of a")
    bench.sleep(until: due)
    bench.wake()
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("setting the wall clock does not change it", arguments: [year, .zero - year])
  mutating func wallClock(_ set: Duration) {
    bench.submit("a", to: "flaky")
    bench.handlerEnds(.failed)
    let due = bench.scheduler.nextDeadline
    bench.clockSet = set
    bench.oversleep(until: 1)
    #expect(bench.scheduler.nextDeadline == due)
    #expect(bench.running == nil)
    bench.sleep(until: due ?? .distantPast)
    bench.wake()
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("a backoff blocks since the failure, with its message, its end and the number of setbacks")
  mutating func blocker() {
    bench.pass(until: 3)
    bench.submit("a", to: "flaky")
    bench.pass(until: 7)
    bench.handlerEnds(.failed)
    let due = bench.scheduler.nextDeadline ?? .distantPast
    bench.pass(until: 8)
    #expect(
      bench.scheduler.blockers(of: id("a"), at: bench.now) == [
        Blocker(
          code: .backoff, since: at(7), reason: .words(""),
          clears: .backoffEnds(due, setbacks: 1))
      ])
    bench.pass(until: 100)
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now) == [])
  }

  @Test("quiet period and notBefore count again after it")
  mutating func quiet() {
    bench.submit("a", to: "flaky", quiet: .seconds(5))
    bench.pass(until: 5)
    bench.handlerEnds(.failed)
    bench.touch()
    bench.pass(until: 100)
    bench.release()
    bench.pass(until: 104.999)
    #expect(bench.running == nil)
    bench.pass(until: 105)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  // MARK: Later

  @Test("a handler that asks to be tried later has not failed: no attempt is used, but the backoffs grow")
  mutating func tryLater() {
    bench.submit("a", to: "flaky")
    for _ in 0..<50 {
      #expect(bench.running == id("a"))
      #expect(bench.scheduler.attempts(of: id("a")) == 1)
      bench.handlerEnds(.failed, tryLater: true)
      #expect(bench.store[id("a")]?.state == .waiting && bench.store[id("a")]?.attempts == 0)
      #expect(bench.running == nil)
      bench.sleep(until: bench.scheduler.nextDeadline ?? .distantPast)
      bench.wake()
    }
    #expect(bench.now > at(40 * 480), "most of the backoffs are the longest")
    for _ in 0..<3 {
      bench.handlerEnds(.failed)
      bench.sleep(until: bench.scheduler.nextDeadline ?? .distantPast)
      bench.wake()
    }
    #expect(bench.said.last == "ended a: failed", "all three attempts were left")
    #expect(bench.violations == [])
  }

  @Test("a handler with a single attempt may also ask to be tried later")
  mutating func laterWithOne() {
    bench.submit("a")
    bench.handlerEnds(.failed, tryLater: true)
    #expect(bench.unfinished.map(\.attempts) == [0])
    bench.pass(until: 12)
    bench.handlerEnds(.failed)
    #expect(bench.said.last == "ended a: failed")
    #expect(bench.violations == [])
  }

  @Test("its backoffs are those of failures")
  func laterPauses() {
    #expect(Self.backoffs(9, seed: 3, tryLater: true) == Self.backoffs(9, seed: 3))
  }

  // MARK: Over a restart

  @Test("failures are counted across a restart, and a start whose end was not seen is not a failure")
  mutating func restart() {
    bench.submit("a", to: "flaky")
    bench.handlerEnds(.failed)
    bench.restart(handlerLives: false)
    bench.pass(until: 20)
    #expect(bench.running == id("a"))
    bench.restart(handlerLives: false)
    bench.pass(until: 40)
    #expect(starts().last == "start a, attempt 2")
    bench.handlerEnds(.failed)
    bench.pass(until: 80)
    #expect(starts().last == "start a, attempt 3")
    bench.handlerEnds(.failed)
    #expect(bench.said.last == "ended a: failed")
    #expect(bench.violations == [])
  }
}
