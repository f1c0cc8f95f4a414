import Scheduling
import Testing
import Timeline

@Suite("Reload, and the record of a former run's handler")
struct ReconfigurationTests {
  private let first = update("a", 1)
  private let second = update("b", 2)

  /// Two updates of the handler `page` that wait, nobody touching since 0, with a quiet period of 5 s.
  private func waiting() -> Scheduler {
    var scheduler = Scheduler(
      policy: HandlerPolicy(quietPeriod: .seconds(5)), policies: ["page": HandlerPolicy(quietPeriod: .seconds(5))],
      interval: .seconds(1), seed: 0)
    _ = scheduler.screens([.machine: .clear(since: at(0))], at: at(0))
    for update in [first, second] {
      _ = scheduler.submit(update, payload: [], at: at(1))
      _ = scheduler.stored(.accept(update, payload: []), at: at(1))
    }
    return scheduler
  }

  @Test("a shorter quiet period counts at once for what waits, in its order; a longer one keeps it waiting")
  func quietPeriod() {
    var scheduler = waiting()
    let longer = scheduler.configure(
      policy: HandlerPolicy(), policies: ["page": HandlerPolicy(quietPeriod: .seconds(60))], interval: .seconds(1),
      at: at(2))
    #expect(longer == [])
    #expect(scheduler.waitingCount == 2 && scheduler.oldestWaiting == first.id)
    #expect(scheduler.timePassed(at(20)) == [.recheck] && scheduler.rechecked(at: at(20)) == [])
    let shorter = scheduler.configure(
      policy: HandlerPolicy(), policies: ["page": HandlerPolicy(quietPeriod: .seconds(3))], interval: .seconds(1),
      at: at(21))
    #expect(shorter == [.store(.beginApplying(first.id, attempt: 1))])
  }

  @Test("updates of a handler that is no longer configured wait by the service's quiet period")
  func handlerGone() {
    var scheduler = waiting()
    let actions = scheduler.configure(
      policy: HandlerPolicy(quietPeriod: .seconds(30)), policies: [:], interval: .seconds(1), at: at(2))
    #expect(actions == [] && scheduler.waitingCount == 2)
    #expect(scheduler.blockers(of: first.id, at: at(2)).map(\.code) == [.settling])
  }

  @Test("a changed interval applies from the reload on")
  func interval() {
    var scheduler = waiting()
    _ = scheduler.configure(
      policy: HandlerPolicy(), policies: ["page": HandlerPolicy(quietPeriod: .seconds(60))], interval: .seconds(4),
      at: at(1.5))
    #expect(scheduler.nextDeadline == at(5.5))
  }

  @Test("a reload does not affect an update that is being applied")
  func applying() {
    var scheduler = waiting()
    _ = scheduler.timePassed(at(6))
    #expect(scheduler.rechecked(at: at(6)) == [.store(.beginApplying(first.id, attempt: 1))])
    let actions = scheduler.configure(policy: HandlerPolicy(), policies: [:], interval: .seconds(1), at: at(6))
    #expect(actions == [] && scheduler.applying == first.id && scheduler.waitingCount == 1)
    #expect(scheduler.stored(.beginApplying(first.id, attempt: 1), at: at(6)) == [.lastLook(.update(first.id))])
  }

  // MARK: The record of a former run's handler

  /// Started by a former run, as its second attempt.
  private func orphan(attempts: Int) -> Scheduler {
    var scheduler = Scheduler(
      policy: HandlerPolicy(attempts: attempts), interval: .seconds(1), seed: 0)
    _ = scheduler.screens([.machine: .clear(since: at(0))], at: at(0))
    let stored = StoredUpdate(update: first, attempts: 2, state: .applying)
    #expect(scheduler.recover(Recovered(updates: [stored]), at: at(1)) == [.probe(first.id)])
    return scheduler
  }

  @Test("it succeeded: applied, without another start")
  func succeeded() {
    var scheduler = orphan(attempts: 1)
    let actions = scheduler.orphanEnded(first.id, result(.applied), at: at(2))
    #expect(actions == [.store(.finish(first.id, result(.applied)))])
  }

  @Test("it failed: as any failure, with the attempts that are left")
  func failed() {
    var last = orphan(attempts: 2)
    #expect(last.orphanEnded(first.id, result(.failed), at: at(2)) == [.store(.finish(first.id, result(.failed)))])
    var more = orphan(attempts: 3)
    guard
      case .store(.backToWaiting(first.id, attempts: 2, let backoff, interruptions: 0)) =
        more.orphanEnded(first.id, result(.failed), at: at(2)).first
    else {
      Issue.record("it is not to be tried again")
      return
    }
    #expect(backoff != nil)
  }

  @Test("a record of something else changes nothing")
  func other() {
    var scheduler = orphan(attempts: 1)
    #expect(scheduler.orphanEnded(second.id, result(.applied), at: at(2)) == [])
    var idle = waiting()
    #expect(idle.orphanEnded(first.id, result(.applied), at: at(2)) == [])
  }
}
