import Gating
import Testing
import Timeline

@Suite("Releasing grabbed devices")
struct CommitGuardTests {
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  private func held() -> CommitGuard {
    var held = CommitGuard(longest: .seconds(3))
    held.taken(at: at(10))
    return held
  }

  @Test("while the handler runs the device stays grabbed, whatever is down")
  func whileRunning() {
    var held = held()
    #expect(held.isHeld && held.nextDeadline == at(13))
    #expect(held.update(isDown: false, at: at(11)) == nil)
    #expect(held.update(isDown: true, at: at(12.9)) == nil)
    #expect(held.isHeld)
  }

  @Test("when the handler ends with nothing down, the device is released at once")
  func clean() {
    var held = held()
    held.handlerEnded(at: at(11))
    #expect(held.update(isDown: false, at: at(11)) == .clean)
    #expect(!held.isHeld && held.nextDeadline == nil)
    #expect(held.update(isDown: false, at: at(12)) == nil, "once only")
  }

  @Test("with a finger down the release waits for it, at most two seconds")
  func finger() {
    var lifted = held()
    lifted.handlerEnded(at: at(11))
    #expect(lifted.update(isDown: true, at: at(11)) == nil)
    #expect(lifted.nextDeadline == at(13))
    #expect(lifted.update(isDown: false, at: at(12.5)) == .clean)
    var stays = held()
    stays.handlerEnded(at: at(11))
    #expect(stays.update(isDown: true, at: at(12.999)) == nil)
    #expect(stays.update(isDown: true, at: at(13)) == .over)
    #expect(!stays.isHeld)
  }

  @Test("a handler that takes longer than GuardMax= is not waited for")
  func longHandler() {
    var held = held()
    #expect(held.update(isDown: true, at: at(13)) == nil)
    held.handlerEnded(at: at(14))
    #expect(held.nextDeadline == at(15), "its end puts nothing off")
    #expect(held.update(isDown: true, at: at(15)) == .over)
    var free = self.held()
    #expect(free.update(isDown: false, at: at(13)) == .clean)
  }

  @Test(
    "if the start is called off because of a touch within the grab, the release waits for its end, at most two seconds")
  func calledOff() {
    var lifted = held()
    lifted.calledOff(at: at(10.1))
    #expect(lifted.update(isDown: true, at: at(10.1)) == nil && lifted.nextDeadline == at(12.1))
    #expect(lifted.update(isDown: false, at: at(11)) == .clean)
    var stays = held()
    stays.calledOff(at: at(10.1))
    #expect(stays.update(isDown: true, at: at(12.1)) == .over)
  }

  @Test("a device that is still grabbed because of a finger serves the next start, too")
  func again() {
    var held = held()
    held.handlerEnded(at: at(11))
    #expect(held.update(isDown: true, at: at(11)) == nil)
    held.taken(at: at(12))
    #expect(held.update(isDown: false, at: at(12)) == nil && held.nextDeadline == at(15))
  }
}
