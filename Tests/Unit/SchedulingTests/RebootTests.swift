import Scheduling
import Testing
import Timeline

@Suite("Handlers that reboot the machine")
struct RebootTests {
  private static let policies = [
    "os": HandlerPolicy(attempts: 2, backoff: .seconds(10), coalescing: .all, rebootTimeout: .seconds(60)),
    "restart": HandlerPolicy(quietPeriod: .seconds(5), isSatisfiedByReboot: true),
  ]

  private static func bench() -> Bench { Bench(policies: policies) }

  @Test("applied once the boot id is another: not when the handler succeeds, nor when the service alone restarts")
  func applied() {
    var bench = Self.bench()
    bench.submit("a", to: "os")
    bench.handlerEnds()
    #expect(bench.store[id("a")]?.state == .applying)
    bench.restart(handlerLives: false)
    bench.pass(until: 10)
    #expect(bench.store[id("a")]?.state == .applying && bench.running == nil)
    bench.restart(handlerLives: false, reboot: true)
    #expect(bench.store[id("a")]?.state.name == "applied")
    #expect(bench.said.filter { $0.hasPrefix("start a") } == ["start a, attempt 1"])
    #expect(bench.violations == [])
  }

  @Test("if the machine goes down while the handler runs, the result is the same, however the handler ended")
  func downUnderTheHandler() {
    var bench = Self.bench()
    bench.submit("a", to: "os")
    bench.stop()
    bench.handlerEnds(.failed)
    bench.restart(handlerLives: false, reboot: true)
    #expect(bench.store[id("a")]?.state.name == "applied")
    bench.submit("b", to: "os")
    bench.restart(handlerLives: false, reboot: true)
    #expect(bench.store[id("b")]?.state.name == "applied")
    #expect(bench.violations == [])
  }

  @Test("nothing else is applied until the reboot has come, or its time is over")
  func nothingElse() {
    var bench = Self.bench()
    bench.submit("a", to: "os")
    bench.handlerEnds()
    bench.submit("b")
    #expect(bench.running == nil)
    #expect(bench.scheduler.blockers(of: id("b"), at: bench.now).map(\.code) == [.applying])
    #expect(bench.violations == [])
  }

  @Test("no reboot within RebootTimeout=: a failure, with attempts and pauses as any")
  func noReboot() {
    var bench = Self.bench()
    bench.submit("a", to: "os")
    bench.handlerEnds()
    #expect(bench.scheduler.nextDeadline == at(60))
    bench.pass(until: 59.9)
    #expect(bench.store[id("a")]?.state == .applying)
    bench.pass(until: 60)
    #expect(bench.store[id("a")]?.state == .waiting && bench.store[id("a")]?.attempts == 1)
    bench.pass(until: 72)
    #expect(bench.running == id("a"))
    bench.handlerEnds()
    bench.pass(until: 132)
    guard case .finished(let result)? = bench.store[id("a")]?.state else {
      Issue.record("has not ended")
      return
    }
    #expect(
      result.state == .failed && result.message.contains("did not reboot within \(TimeSpan.describe(.seconds(60)))"))
    #expect(bench.violations == [])
  }

  @Test("a reboot satisfies what says SatisfiedByReboot=yes; if it does not come, nothing is lost")
  func satisfied() {
    for comes in [true, false] {
      var bench = Self.bench()
      bench.touch()
      bench.submit("r", to: "restart")
      bench.submit("page", quiet: .seconds(30))
      bench.submit("a", to: "os", priority: 1)
      bench.release()
      bench.handlerEnds()
      bench.restart(handlerLives: false, reboot: comes)
      if comes {
        guard case .finished(let result)? = bench.store[id("r")]?.state else {
          Issue.record("has not ended")
          return
        }
        #expect(result.state == .superseded && result.successor == id("a"))
      } else {
        #expect(bench.store[id("r")]?.state == .waiting)
      }
      #expect(bench.store[id("page")]?.state == .waiting)
      #expect(bench.violations == [])
    }
  }

  /// Reboots by one handler at these seconds, each for a user and a key of its own, and a further one at the last.
  private func afterReboots(at times: [Double], next: Double) -> Bench {
    var bench = Self.bench()
    bench.release()
    for (number, time) in times.enumerated() {
      bench.sleep(until: at(time))
      bench.submit("a\(number)", to: "os", key: "k\(number)", user: UInt32(number))
      bench.handlerEnds()
      bench.restart(handlerLives: false, reboot: true)
      bench.release()
    }
    bench.sleep(until: at(next))
    bench.submit("next", to: "os", user: 1000)
    return bench
  }

  @Test(
    "after three reboots in an hour by one handler, whoever asked for them, the fourth is blocked, and starts only when expedited"
  )
  func loop() {
    var bench = afterReboots(at: [0, 600, 1200], next: 1800)
    #expect(bench.running == nil)
    let blocker = bench.scheduler.blockers(of: id("next"), at: bench.now).first
    #expect(
      blocker?.code == .rebootLoop
        && blocker?.reason == .rebooted(times: 3, within: .seconds(3600), handler: "os"))
    bench.pass(until: 20_000)
    bench.restart(handlerLives: false)
    bench.release()
    #expect(bench.running == nil, "neither by time nor by a restart")
    bench.submit("other")
    #expect(bench.running == id("other"), "and it holds up nobody")
    bench.handlerEnds()
    bench.expedite("next")
    #expect(bench.running == id("next"))
    #expect(bench.violations == [])
  }

  @Test("three reboots further apart, two only, and an hour later: not stopped")
  func noLoop() {
    #expect(afterReboots(at: [0, 1800, 3601], next: 3700).running == id("next"))
    #expect(afterReboots(at: [0, 600], next: 700).running == id("next"))
    #expect(afterReboots(at: [0, 600, 1200], next: 4801).running == id("next"))
  }
}
