import Scheduling
import Testing
import Timeline

@Suite("A touch between the mark and the start")
struct DisturbedTests {
  /// Up to the verdict, which is the test's.
  private func verifying() -> Scheduler {
    var scheduler = Scheduler(quietPeriod: .zero, interval: .seconds(1))
    _ = scheduler.screens([.screen("panel"): .clear(since: at(0))], at: at(0))
    _ = scheduler.submit(update("a"), payload: [], at: at(1))
    _ = scheduler.stored(.accept(update("a"), payload: []), at: at(1))
    _ = scheduler.stored(.beginApplying(id("a"), attempt: 1), at: at(1))
    return scheduler
  }

  @Test("a contact that came and went in the last look: no start, no attempt used, the next try at the next recheck")
  func untilTheLook() {
    var scheduler = verifying()
    let back = StoreWrite.backToWaiting(id("a"), attempts: 0)
    #expect(scheduler.lastLookDone(.update(id("a")), disturbed: true, at: at(1)) == [.store(back)])
    #expect(scheduler.stored(back, at: at(1)) == [])
    #expect(scheduler.blockers(of: id("a"), at: at(1)).map(\.code) == [.touched])
    #expect(scheduler.nextDeadline == at(2))
    #expect(scheduler.timePassed(at(2)) == [.recheck])
    #expect(scheduler.rechecked(at: at(2)) == [.store(.beginApplying(id("a"), attempt: 1))])
    #expect(scheduler.blockedTimes(of: id("a"), at: at(2))?[.touched] == .seconds(1))
  }

  @Test("or at the next change of a screen")
  func untilNews() {
    var scheduler = verifying()
    _ = scheduler.lastLookDone(.update(id("a")), disturbed: true, at: at(1))
    _ = scheduler.stored(.backToWaiting(id("a"), attempts: 0), at: at(1))
    #expect(
      scheduler.screens([.screen("panel"): .clear(since: at(1.2))], at: at(1.2))
        == [.store(.beginApplying(id("a"), attempt: 1))])
  }

  @Test("but not when the same states are reported again")
  func sameStates() {
    var scheduler = verifying()
    _ = scheduler.lastLookDone(.update(id("a")), disturbed: true, at: at(1))
    _ = scheduler.stored(.backToWaiting(id("a"), attempts: 0), at: at(1))
    #expect(scheduler.screens([.screen("panel"): .clear(since: at(0))], at: at(1.2)) == [])
    #expect(scheduler.blockers(of: id("a"), at: at(1.2)).map(\.code) == [.touched])
  }

  @Test("an update forced meanwhile does not wait for the recheck")
  func forced() {
    var scheduler = verifying()
    _ = scheduler.lastLookDone(.update(id("a")), disturbed: true, at: at(1))
    _ = scheduler.stored(.backToWaiting(id("a"), attempts: 0), at: at(1))
    let actions = scheduler.stored(.expedite(id("a"), .force), at: at(1))
    #expect(actions.contains(.store(.beginApplying(id("a"), attempt: 1, overrode: [.touched]))))
  }
}
