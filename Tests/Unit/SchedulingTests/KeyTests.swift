import Scheduling
import Testing
import Timeline

@Suite("Updates about the same thing")
struct KeyTests {
  private static let policies = [
    "page": HandlerPolicy(attempts: 3, backoff: .seconds(10), coalescing: .latest),
    "first": HandlerPolicy(coalescing: .first), "all": HandlerPolicy(coalescing: .all),
    "other": HandlerPolicy(),
  ]
  private var bench = Bench(policies: policies)

  private func state(_ text: String) -> StoredUpdate.State? { bench.store[id(text)]?.state }

  private func successor(_ text: String) -> UpdateID? {
    if case .finished(let result) = state(text), result.state == .superseded { result.successor } else { nil }
  }

  private func starts(_ bench: Bench) -> [String] {
    bench.said.filter { $0.hasPrefix("start") }.map { String($0.dropFirst(6).prefix { $0 != "," }) }
  }

  // MARK: latest

  @Test("latest: the newest takes the place of the one that waits, which ends as superseded and names it")
  mutating func latest() {
    bench.touch()
    bench.submit("a")
    bench.submit("old", key: "k")
    bench.submit("b")
    _ = bench.news()
    bench.submit("new", key: "k")
    #expect(bench.news() == ["store replace new", "ended old: superseded", "accepted new"])
    #expect(successor("old") == id("new"))
    #expect(bench.scheduler.waiting(handler: "page", key: "k") == id("new"))
    #expect(bench.scheduler.waitingCount == 3)
    #expect(bench.scheduler.attempts(of: id("old")) == nil)
    bench.release()
    for _ in 0..<3 { bench.handlerEnds() }
    #expect(starts(bench) == ["a", "new", "b"])
    #expect(bench.violations == [])
  }

  @Test("latest: a hundred times over, one waits, in the first one's place, and each names the next")
  mutating func oftenLatest() {
    bench.touch()
    for number in 0...100 {
      bench.submit("u\(number)", key: "k")
      if number == 0 { bench.submit("b") }
    }
    #expect(bench.scheduler.waitingCount == 2)
    for number in 0..<100 { #expect(successor("u\(number)") == id("u\(number + 1)")) }
    bench.release()
    bench.handlerEnds()
    #expect(starts(bench) == ["u100", "b"])
    #expect(bench.violations == [])
  }

  @Test("latest: the newest is the oldest that waits where the one before it was, also after a restart")
  mutating func age() {
    bench.touch()
    bench.submit("old", key: "k")
    bench.submit("b")
    bench.submit("new", key: "k")
    #expect(bench.scheduler.oldestWaiting == id("new"))
    bench.restart(handlerLives: false)
    #expect(bench.scheduler.oldestWaiting == id("new"))
  }

  @Test("latest: the newest brings its own priority, quiet period and times")
  mutating func ownValues() {
    bench.touch()
    bench.submit("old", key: "k", priority: 9, notBefore: wall(1000), deadline: wall(2000))
    bench.submit("b", priority: 1)
    bench.submit("new", key: "k", quiet: .seconds(2))
    bench.release()
    #expect(bench.running == id("b"))
    bench.handlerEnds()
    #expect(bench.running == nil)
    bench.pass(until: 2)
    #expect(bench.running == id("new"))
    bench.handlerEnds()
    #expect(bench.scheduler.nextDeadline == nil)
    #expect(bench.violations == [])
  }

  @Test("latest: one that is being applied is never replaced; the newer waits until it has ended")
  mutating func applying() {
    bench.submit("a", key: "k")
    _ = bench.news()
    bench.submit("b", key: "k")
    #expect(bench.news() == ["store accept b", "accepted b"])
    bench.submit("c", key: "k")
    #expect(successor("b") == id("c"))
    #expect(bench.running == id("a"))
    bench.handlerEnds()
    #expect(state("a") == .finished(result(.applied)))
    #expect(bench.running == id("c"))
    #expect(bench.violations == [])
  }

  @Test("latest: nor is one that is only marked for it, or that a former run is applying")
  mutating func marked() {
    bench.duringLastLook = { $0.submit("b", key: "k") }
    bench.submit("a", key: "k")
    #expect(bench.running == id("a") && state("b") == .waiting)
    bench.restart(handlerLives: true)
    bench.submit("c", key: "k")
    #expect(state("a") == .applying && successor("b") == id("c"))
    #expect(bench.violations == [])
  }

  @Test("latest: what failed is not tried again over a newer one of its key, which was applied in the pause")
  mutating func failedBehindNewer() {
    bench.submit("a", key: "k")
    bench.submit("b", key: "k")
    bench.handlerEnds(.failed)
    bench.pass(until: 1)
    bench.handlerEnds()
    bench.pass(until: 1000)
    bench.handlerEnds()
    #expect(starts(bench).last == "b", "the newest comes last")
    #expect(successor("a") == id("b"))
    #expect(bench.violations == [])
  }

  @Test("latest: one that a touch gave back ends as superseded where a newer of its key came while the disk was full")
  mutating func abortedBehindNewer() {
    bench.duringLastLook = { $0.touch() }
    bench.failing = [.backToWaiting]
    bench.submit("a", key: "k")
    bench.submit("b", key: "k")
    bench.failing = []
    bench.pass(until: 1)
    #expect(successor("a") == id("b"))
    bench.submit("c", key: "k")
    #expect(successor("b") == id("c"))
    bench.release()
    bench.handlerEnds()
    #expect(starts(bench) == ["c"])
    #expect(bench.violations == [])
  }

  @Test("latest: so does one whose handler a restart has killed")
  mutating func lostBehindNewer() {
    bench.submit("a", key: "k")
    bench.submit("b", key: "k")
    bench.restart(handlerLives: false)
    #expect(bench.running == id("b"))
    #expect(successor("a") == id("b"))
    bench.handlerEnds()
    #expect(bench.unfinished == [])
    #expect(bench.violations == [])
  }

  @Test("latest: a newer one starts with no failures and without the pause of the one it replaced")
  mutating func noInheritedFailures() {
    bench.submit("a", key: "k")
    bench.handlerEnds(.failed)
    #expect(bench.running == nil)
    bench.submit("b", key: "k")
    #expect(bench.said.last == "start b, attempt 1")
    #expect(bench.violations == [])
  }

  // MARK: first, all, none

  @Test("first: the one that waits stays, the newest ends at once and names it; it was accepted all the same")
  mutating func first() {
    bench.touch()
    bench.submit("a", to: "first", key: "k")
    _ = bench.news()
    bench.submit("b", to: "first", key: "k", priority: 50)
    #expect(bench.news() == ["store acceptEnded b", "accepted b", "ended b: superseded"])
    #expect(successor("b") == id("a"))
    #expect(bench.scheduler.waitingCount == 1 && bench.scheduler.attempts(of: id("b")) == nil)
    bench.release()
    #expect(bench.running == id("a"))
    bench.submit("c", to: "first", key: "k")
    #expect(state("c") == .waiting, "none waits: the other is being applied")
    #expect(bench.violations == [])
  }

  @Test("all: each is applied")
  mutating func all() {
    bench.touch()
    for text in ["a", "b", "c"] { bench.submit(text, to: "all", key: "k") }
    #expect(bench.scheduler.waitingCount == 3)
    bench.release()
    for _ in 0..<3 { bench.handlerEnds() }
    #expect(starts(bench) == ["a", "b", "c"])
    #expect(bench.violations == [])
  }

  @Test("no key: never about the same", arguments: ["page", "first", "all"])
  mutating func noKey(_ handler: String) {
    bench.touch()
    for text in ["a", "b", "c"] { bench.submit(text, to: handler) }
    #expect(bench.scheduler.waitingCount == 3)
    #expect(bench.violations == [])
  }

  @Test("a key is the handler's: the same word for another handler is something else")
  mutating func perHandler() {
    bench.touch()
    bench.submit("a", key: "k")
    bench.submit("b", to: "other", key: "k")
    bench.submit("c", to: "first", key: "k")
    bench.submit("d", key: "K")
    #expect(bench.scheduler.waitingCount == 4)
    #expect(bench.scheduler.waiting(handler: "other", key: "k") == id("b"))
    #expect(bench.scheduler.waiting(handler: "none", key: "k") == nil)
    #expect(bench.violations == [])
  }

  @Test("a key is free again once its update has ended, however it ended")
  mutating func freeAgain() {
    bench.touch()
    bench.submit("a", key: "k")
    bench.cancel("a")
    bench.submit("b", key: "k", deadline: wall(5))
    bench.pass(until: 5)
    _ = bench.news()
    bench.submit("c", key: "k")
    #expect(bench.news() == ["store accept c", "accepted c"])
    #expect(bench.scheduler.waiting(handler: "page", key: "k") == id("c"))
    #expect(bench.violations == [])
  }

  @Test("keys survive a restart")
  mutating func restart() {
    bench.touch()
    bench.submit("a", key: "k")
    bench.submit("b", to: "first", key: "k")
    bench.restart(handlerLives: false)
    bench.submit("c", key: "k")
    bench.submit("d", to: "first", key: "k")
    #expect(successor("a") == id("c") && successor("d") == id("b"))
    #expect(bench.violations == [])
  }

  // MARK: Users

  @Test(
    "one user's key is not another's: neither is superseded, whatever Coalesce= says", arguments: ["page", "first"])
  mutating func users(handler: String) {
    bench.touch()
    bench.submit("victim", to: handler, key: "k", user: 1000)
    bench.submit("stranger", to: handler, key: "k", user: 1001)
    #expect(bench.scheduler.waitingCount == 2)
    #expect(bench.scheduler.waiting(handler: handler, key: "k", user: 1000) == id("victim"))
    #expect(bench.scheduler.waiting(handler: handler, key: "k", user: 1001) == id("stranger"))
    bench.restart(handlerLives: false)
    bench.cancel("stranger")
    #expect(state("victim") == .waiting)
    #expect(bench.scheduler.waiting(handler: handler, key: "k", user: 1000) == id("victim"))
    #expect(bench.violations == [])
  }

  @Test("an update that waits again after a failure is not superseded by another user's")
  mutating func usersAfterFailure() {
    bench.release()
    bench.submit("a", key: "k", user: 1000)
    bench.submit("b", key: "k", user: 1001)
    bench.handlerEnds(.failed)
    #expect(state("a") == .waiting && successor("a") == nil)
    #expect(bench.violations == [])
  }

  @Test("SharedKeys=yes: the users of a handler share its keys; a reload that takes it away parts them")
  mutating func shared() {
    bench = Bench(policies: ["page": HandlerPolicy(sharesKeys: true)])
    bench.touch()
    bench.submit("old", key: "k", user: 1000)
    bench.submit("new", key: "k", user: 1001)
    #expect(successor("old") == id("new") && bench.scheduler.waitingCount == 1)
    #expect(bench.scheduler.waiting(handler: "page", key: "k", user: 1002) == id("new"))
    _ = bench.scheduler.configure(
      policy: bench.scheduler.policy, policies: ["page": HandlerPolicy()], interval: .seconds(1), at: bench.now)
    #expect(bench.scheduler.waiting(handler: "page", key: "k", user: 1002) == nil)
    bench.submit("other", key: "k", user: 1002)
    #expect(state("new") == .waiting && state("other") == .waiting)
    bench.cancel("new")
    bench.cancel("other")
    #expect(bench.scheduler.waiting(handler: "page", key: "k", user: 1001) == nil)
    #expect(bench.violations == [])
  }

  @Test("the handler's own key is everybody's: 30 updates of three users become one")
  func handlerKey() {
    var bench = Bench(policies: ["page": HandlerPolicy(key: "page")])
    bench.touch()
    for number in 0..<30 { bench.submit("u\(number)", key: "page", user: UInt32(1000 + number % 3)) }
    bench.submit("own", key: "mine", user: 1001)
    #expect(bench.scheduler.waitingCount == 2)
    bench.release()
    #expect(bench.running == id("u29"))
    #expect(bench.violations == [])
  }

  @Test("all: what failed is tried again, although a newer one of its key waits")
  mutating func allFailed() {
    bench = Bench(policies: ["all": HandlerPolicy(attempts: 2, backoff: .seconds(10), coalescing: .all)])
    bench.submit("a", to: "all", key: "k")
    bench.submit("b", to: "all", key: "k")
    bench.handlerEnds(.failed)
    #expect(state("a") == .waiting && bench.running == id("b"))
    bench.handlerEnds()
    bench.pass(until: 20)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("all: when one of a key is cancelled, another that waits is still found by the key")
  mutating func allCancelled() {
    bench.touch()
    bench.submit("a", to: "all", key: "k")
    bench.submit("b", to: "all", key: "k")
    #expect(bench.scheduler.waiting(handler: "all", key: "k") == id("b"))
    bench.cancel("a")
    #expect(bench.scheduler.waiting(handler: "all", key: "k") == id("b"))
  }
}
