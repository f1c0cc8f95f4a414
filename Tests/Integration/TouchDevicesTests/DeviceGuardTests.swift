import Gating
import Testing
import Timeline

@testable import TouchDevices

@Suite("Which devices are grabbed")
struct DeviceGuardTests {
  private let panel = DeviceID("/sys/a")
  private let door = DeviceID("/sys/b")
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  private func held() -> DeviceGuard {
    let guards = DeviceGuard(longest: .seconds(3))
    guards.taken([panel, door], at: at(10))
    return guards
  }

  @Test("grabbed devices are held until the handler has ended, each until nothing is down on it")
  func ended() {
    let guards = held()
    guards.decided()
    #expect(Set(guards.devices) == [panel, door] && guards.nextDeadline == at(13))
    #expect(guards.update(panel, isDown: false, at: at(11)) == nil)
    guards.handlerEnded(at: at(11))
    #expect(guards.update(panel, isDown: false, at: at(11)) == .clean)
    #expect(guards.update(door, isDown: true, at: at(11)) == nil)
    guards.release(panel)
    #expect(guards.devices == [door] && !guards.holds(panel) && guards.nextDeadline == at(13))
    #expect(guards.update(door, isDown: true, at: at(13)) == .over)
  }

  @Test("devices are fresh until the start is decided, or they are released")
  func fresh() {
    let guards = held()
    #expect(guards.fresh == [panel, door])
    guards.release(door)
    #expect(guards.fresh == [panel])
    guards.decided()
    #expect(guards.fresh == [] && guards.holds(panel))
    guards.taken([door], at: at(20))
    #expect(guards.fresh == [door] && Set(guards.devices) == [panel, door])
  }

  @Test("a device whose touch called the start off waits for the end of that touch")
  func calledOff() {
    let guards = held()
    guards.calledOff(panel, at: at(10))
    #expect(guards.update(panel, isDown: true, at: at(11)) == nil)
    #expect(guards.update(panel, isDown: false, at: at(11.5)) == .clean)
    #expect(guards.update(door, isDown: false, at: at(11.5)) == nil)
  }

  @Test("a device that is not held is never released")
  func stranger() {
    let guards = DeviceGuard(longest: .seconds(3))
    guards.calledOff(panel, at: at(10))
    guards.handlerEnded(at: at(10))
    #expect(guards.update(panel, isDown: false, at: at(20)) == nil && guards.devices.isEmpty)
    #expect(guards.nextDeadline == nil)
  }

  @Test("grabs without a device are not counted; everything else is")
  func counts() {
    let guards = held()
    guards.taken([], at: at(11))
    guards.refused()
    guards.swallowed()
    guards.aborted()
    guards.releasedOver()
    var expected = GuardCounts()
    (expected.grabs, expected.busy, expected.swallowed, expected.aborts, expected.releasedOver) = (1, 1, 1, 1, 1)
    #expect(guards.counts == expected)
  }
}
