import Scheduling
import Seeded
import Testing
import Timeline

@Suite("Whose turn it is")
struct PriorityTests {
  private func starts(_ bench: Bench) -> [String] {
    bench.said.filter { $0.hasPrefix("start") }.compactMap { $0.split(separator: " ")[1].split(separator: ",").first }
      .map(String.init)
  }

  @Test("higher priority first, then arrival, whatever the ids")
  func priority() {
    var bench = Bench()
    bench.touch()
    bench.submit("z", priority: 0)
    bench.submit("low", priority: -100)
    bench.submit("y", priority: 5)
    bench.submit("a", priority: 0)
    bench.submit("x", priority: 5)
    bench.submit("high", priority: 100)
    bench.release()
    for _ in 0..<6 { bench.handlerEnds() }
    #expect(starts(bench) == ["high", "y", "x", "z", "a", "low"])
    #expect(bench.violations == [])
  }

  @Test("one that comes later goes before all of lower priority, but never stops the one that is being applied")
  func later() {
    var bench = Bench()
    bench.submit("a")
    bench.submit("b")
    bench.submit("c", priority: 1)
    #expect(bench.running == id("a"))
    for _ in 0..<3 { bench.handlerEnds() }
    #expect(starts(bench) == ["a", "c", "b"])
  }

  @Test("a thousand in any order come out by priority and arrival")
  func many() {
    var bench = Bench()
    var dice = Dice(seed: 7)
    bench.touch()
    let priorities = (0..<1000).map { _ in dice.roll(5) - 2 }
    for (number, priority) in priorities.enumerated() { bench.submit("u\(number)", priority: priority) }
    bench.release()
    for _ in priorities { bench.handlerEnds() }
    let expected = priorities.enumerated().sorted { (-$0.element, $0.offset) < (-$1.element, $1.offset) }
    #expect(starts(bench) == expected.map { "u\($0.offset)" })
  }

  // MARK: Quiet periods of their own

  private static let kiosk = [
    "reload": HandlerPolicy(quietPeriod: .seconds(1)), "reboot": HandlerPolicy(quietPeriod: .seconds(30)),
    "now": HandlerPolicy(),
  ]

  @Test("a reboot that needs 30 s of quiet never delays a reload that needs none, though it is older and more urgent")
  func lanes() {
    var bench = Bench(policies: Self.kiosk)
    bench.touch()
    bench.submit("reboot", to: "reboot", priority: 100)
    bench.submit("reload", to: "reload")
    bench.submit("now", to: "now")
    bench.pass(until: 10)
    bench.release()
    #expect(bench.running == id("now"))
    bench.handlerEnds()
    bench.pass(until: 10.999)
    #expect(bench.running == nil)
    bench.pass(until: 11)
    #expect(bench.running == id("reload"))
    bench.handlerEnds()
    bench.pass(until: 39.999)
    #expect(bench.running == nil)
    bench.pass(until: 40)
    #expect(bench.running == id("reboot"))
    #expect(bench.violations == [])
  }

  @Test("once all are quiet long enough, priority and arrival decide between the lanes")
  func acrossLanes() {
    var bench = Bench(policies: Self.kiosk)
    bench.touch()
    bench.submit("first", to: "now")
    bench.release()
    bench.submit("reload", to: "reload")
    bench.submit("reboot", to: "reboot", priority: 1)
    bench.submit("now", to: "now")
    bench.pass(until: 100)
    for _ in 0..<4 { bench.handlerEnds() }
    #expect(starts(bench) == ["first", "reboot", "reload", "now"])
    #expect(bench.violations == [])
  }

  @Test("an update's own quiet period counts over the handler's, and the handler's over the service's")
  func whose() {
    var bench = Bench(quiet: .seconds(3), policies: Self.kiosk)
    bench.touch()
    bench.submit("service", to: "other")
    bench.submit("handler", to: "reload")
    bench.submit("longer", to: "reload", quiet: .seconds(5))
    bench.submit("none", to: "reboot", quiet: .zero)
    bench.release()
    var times: [String: Double] = [:]
    for half in 0..<12 {
      bench.pass(until: Double(half) / 2)
      if let id = bench.running { times[id.text] = Double(half) / 2 }
      bench.handlerEnds()
    }
    #expect(times == ["none": 0, "handler": 1, "service": 3, "longer": 5])
    #expect(bench.violations == [])
  }

  @Test("the timer is set for the shortest quiet period that is not over")
  func timer() {
    var bench = Bench(interval: .seconds(1000), policies: Self.kiosk)
    bench.touch()
    bench.submit("reboot", to: "reboot")
    bench.submit("reload", to: "reload")
    #expect(bench.scheduler.nextDeadline == at(1000), "blocked: only the next recheck")
    bench.release()
    #expect(bench.scheduler.nextDeadline == at(1))
    bench.pass(until: 1)
    #expect(bench.scheduler.nextDeadline == at(1000), "nothing is started while one is being applied")
    bench.handlerEnds()
    #expect(bench.scheduler.nextDeadline == at(30))
  }

  // MARK: What is said of it

  private func blockers(_ bench: Bench, _ text: String) -> [Blocker] {
    bench.scheduler.blockers(of: id(text), at: bench.now)
  }

  @Test("each settles by its own quiet period")
  func settling() {
    var bench = Bench(policies: Self.kiosk)
    bench.touch()
    bench.submit("reload", to: "reload")
    bench.submit("reboot", to: "reboot")
    bench.pass(until: 10)
    bench.release()
    bench.pass(until: 10.25)
    #expect(
      blockers(bench, "reload") == [
        Blocker(code: .settling, since: at(10), clears: .quietPeriodEnds(at(11)))
      ])
    #expect(
      blockers(bench, "reboot") == [
        Blocker(code: .settling, since: at(10), clears: .quietPeriodEnds(at(40))),
        Blocker(code: .order, since: at(0), owner: "reload", clears: .turnComes),
      ])
  }

  @Test("in the order only behind one that needs no longer a quiet period")
  func order() {
    var bench = Bench(policies: Self.kiosk)
    bench.touch()
    bench.submit("reboot", to: "reboot", priority: 1)
    bench.submit("reload", to: "reload")
    bench.submit("now", to: "now")
    #expect(blockers(bench, "reboot").map(\.code) == [.touched], "it has the highest priority")
    #expect(blockers(bench, "reload").map(\.code) == [.touched])
    #expect(blockers(bench, "now").map(\.code) == [.touched])
    bench.submit("higher", to: "reload", priority: 2)
    #expect(blockers(bench, "reboot").last?.owner == "higher")
    #expect(blockers(bench, "reload").last?.owner == "higher")
    #expect(blockers(bench, "now").map(\.code) == [.touched])
    #expect(blockers(bench, "higher").map(\.code) == [.touched])
  }

  @Test("a restart keeps priorities, quiet periods and places")
  func restart() {
    var bench = Bench(policies: Self.kiosk)
    bench.touch()
    bench.submit("a")
    bench.submit("b", quiet: .seconds(2))
    bench.submit("old", key: "k")
    bench.submit("c")
    bench.submit("d", priority: 1)
    bench.submit("new", key: "k")
    bench.restart(handlerLives: false)
    bench.release()
    for _ in 0..<4 { bench.handlerEnds() }
    bench.pass(until: 1.999)
    #expect(bench.running == nil)
    bench.pass(until: 2)
    #expect(starts(bench) == ["d", "a", "new", "c", "b"])
    #expect(bench.violations == [])
  }

  // MARK: Counts

  @Test("the number of waiting updates per user is right, however they end")
  func users() {
    var bench = Bench(policies: ["flaky": HandlerPolicy(attempts: 2), "page": HandlerPolicy(sharesKeys: true)])
    func counts() -> [Int] { [1, 2, 3].map { bench.scheduler.waitingCount(of: $0) } }
    bench.touch()
    bench.submit("a", user: 1)
    bench.submit("b", user: 1)
    bench.submit("c", key: "k", user: 2)
    #expect(counts() == [2, 1, 0])
    bench.submit("d", key: "k", user: 1)
    #expect(counts() == [3, 0, 0], "it took the place of another user's")
    bench.cancel("a")
    #expect(counts() == [2, 0, 0])
    bench.submit("e", to: "flaky", priority: 1, user: 2)
    bench.submit("f", notBefore: wall(100), user: 2)
    bench.submit("g", deadline: wall(50), user: 3)
    #expect(counts() == [2, 2, 1])
    bench.release()
    #expect(counts() == [2, 1, 1], "one that is being applied does not wait")
    bench.handlerEnds(.failed)
    #expect(counts() == [1, 2, 1], "a failed one waits again, and the next is applied")
    bench.touch()
    bench.pass(until: 50)
    #expect(counts() == [1, 2, 0])
    #expect(bench.scheduler.waitingCount == 3)
    bench.restart(handlerLives: true)
    #expect(counts() == [1, 2, 0])
  }
}
