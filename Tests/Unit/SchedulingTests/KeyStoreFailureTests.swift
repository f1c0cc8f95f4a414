import Scheduling
import Testing
import Timeline

@Suite("Updates about the same thing, and a disk that is full")
struct KeyStoreFailureTests {
  private var bench = Bench(policies: ["first": HandlerPolicy(coalescing: .first)])

  private func starts(_ bench: Bench) -> [String] {
    bench.said.filter { $0.hasPrefix("start") }.map { String($0.dropFirst(6).prefix { $0 != "," }) }
  }

  @Test("a replacement that cannot be stored is refused, and the older update still waits in its place with its key")
  mutating func replaceFails() {
    bench.touch()
    bench.submit("a")
    bench.submit("old", key: "k")
    bench.submit("b")
    bench.failing = [.replace]
    _ = bench.news()
    bench.submit("new", key: "k")
    #expect(bench.news() == ["cannot store replace new", "refused new: disk full"])
    #expect(bench.scheduler.waiting(handler: "page", key: "k") == id("old"))
    #expect(bench.scheduler.attempts(of: id("new")) == nil)
    bench.failing = []
    bench.release()
    for _ in 0..<3 { bench.handlerEnds() }
    #expect(starts(bench) == ["a", "old", "b"])
    #expect(bench.violations == [])
  }

  @Test("while a replacement is on its way into the store something else may happen: the timer runs when it fails")
  func replaceFailsLate() {
    var scheduler = Scheduler(quietPeriod: .zero, interval: .seconds(1))
    _ = scheduler.screens([.screen("panel"): touched(since: 0)], at: at(0))
    func keyed(_ text: String, _ sequence: Int64) -> Update {
      Update(
        id: id(text), handler: "page", parameters: [:], createdAt: someDay, submitter: Submitter(uid: 0, pid: 1),
        sequence: sequence, key: "k")
    }
    let old = keyed("old", 1)
    _ = scheduler.submit(old, payload: [], at: at(0))
    _ = scheduler.stored(.accept(old, payload: []), at: at(0))
    guard case .store(let replace)? = scheduler.submit(keyed("new", 2), payload: [], at: at(0.5)).first else {
      Issue.record("nothing to store")
      return
    }
    _ = scheduler.screens([.screen("panel"): touched(since: 0.6)], at: at(0.6))
    _ = scheduler.storeFailed(replace, reason: .full("disk full"), at: at(0.7))
    #expect(scheduler.waitingCount == 1)
    let due = scheduler.nextDeadline
    #expect(due != nil && due ?? .distantFuture <= at(1.7))
  }

  @Test("one that was to end at once and could be stored shows that the disk has room: what waited for that starts")
  mutating func acceptEndedSucceeds() {
    bench.touch()
    bench.submit("a", to: "first", key: "k")
    bench.failing = [.beginApplying]
    bench.release()
    #expect(bench.said.last == "cannot store beginApplying a")
    bench.failing = []
    bench.submit("b", to: "first", key: "k")
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("one that was to end at once and cannot be stored is refused")
  mutating func acceptEndedFails() {
    bench.touch()
    bench.submit("a", to: "first", key: "k")
    bench.failing = [.acceptEnded]
    _ = bench.news()
    bench.submit("b", to: "first", key: "k")
    #expect(bench.news() == ["cannot store acceptEnded b", "refused b: disk full"])
    #expect(bench.scheduler.waitingCount == 1)
    #expect(bench.scheduler.waiting(handler: "first", key: "k") == id("a"))
    #expect(bench.violations == [])
  }
}
