import Testing
import TouchgateAPI

@testable import ControlAPI

@Suite("Bounds of the queue")
struct QueueBoundsTests {
  private typealias Load = QueueBounds.Load
  private let bounds = QueueBounds(all: Load(updates: 10, bytes: 1000), perUser: Load(updates: 4, bytes: 300))

  private func waiting(_ updates: Int, _ bytes: Int, ofUser: Int = 0, _ ofUserBytes: Int = 0) -> QueueBounds.Waiting {
    QueueBounds.Waiting(
      all: Load(updates: updates, bytes: bytes), ofUser: Load(updates: ofUser, bytes: ofUserBytes))
  }

  private func refusal(_ waiting: QueueBounds.Waiting, adding bytes: Int, uid: UInt32 = 1000) -> CallRefusal? {
    do throws(CallRefusal) {
      try bounds.check(waiting, adding: bytes, uid: uid)
      return nil
    } catch {
      return error
    }
  }

  private func full(_ waiting: Int, _ unit: QueueBounds.Unit, _ uid: UInt32?, _ setting: String, _ limit: Int)
    -> CallRefusal
  {
    StateProblem.queueFull(waiting: waiting, unit, uid: uid, setting: setting, limit: limit).refusal
  }

  @Test("a bound may be reached and not exceeded, in updates and in bytes, for all users and for one")
  func limits() {
    #expect(refusal(waiting(9, 900, ofUser: 3, 200), adding: 100) == nil)
    #expect(refusal(waiting(10, 0), adding: 0) == full(10, .updates, nil, "MaxWaiting=", 10))
    #expect(refusal(waiting(9, 901), adding: 100) == full(901, .bytes, nil, "MaxWaitingBytes=", 1000))
    #expect(refusal(waiting(4, 0, ofUser: 4), adding: 0) == full(4, .updates, 1000, "MaxWaitingPerUser=", 4))
    #expect(
      refusal(waiting(4, 201, ofUser: 3, 201), adding: 100) == full(201, .bytes, 1000, "MaxWaitingBytesPerUser=", 300))
  }

  @Test("root is bound by what all users have together only")
  func root() {
    #expect(refusal(waiting(9, 900, ofUser: 9, 900), adding: 100, uid: 0) == nil)
    #expect(refusal(waiting(10, 0), adding: 0, uid: 0) == full(10, .updates, nil, "MaxWaiting=", 10))
  }

  @Test("the bound for all users is reported before the bound for one")
  func order() {
    #expect(refusal(waiting(10, 1000, ofUser: 4, 300), adding: 1)?.problem.message.contains("MaxWaiting=") == true)
  }

  @Test("a superseded update no longer counts, for its user only if that is the same")
  func superseding() {
    let full = waiting(10, 1000, ofUser: 4, 300)
    #expect(refusal(full.superseding(bytes: 100, ofSameUser: true), adding: 100) == nil)
    #expect(refusal(full.superseding(bytes: 100, ofSameUser: true), adding: 101) != nil)
    let other = refusal(full.superseding(bytes: 100, ofSameUser: false), adding: 0)
    #expect(other?.problem.message.contains("MaxWaitingPerUser=") == true)
  }

  @Test("updates that are being stored could exceed a bound if they had the largest size")
  func near() {
    let large = 3 * (Limits.payload + Limits.parameters)
    let bounds = QueueBounds(all: Load(updates: 10, bytes: large), perUser: Load(updates: 4, bytes: large))
    #expect(!bounds.couldBeExceeded(waiting(1, 0, ofUser: 1), by: 3))
    #expect(bounds.couldBeExceeded(waiting(8, 0), by: 3))
    #expect(bounds.couldBeExceeded(waiting(2, 0, ofUser: 2), by: 3))
    #expect(bounds.couldBeExceeded(waiting(1, 1), by: 3))
    #expect(bounds.couldBeExceeded(waiting(1, 0, ofUser: 1, 1), by: 3))
  }
}
