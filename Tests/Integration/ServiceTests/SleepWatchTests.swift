import Testing
import Timeline

@testable import Service

@Suite("Noticing that the machine slept")
struct SleepWatchTests {
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

  @Test("a sleep is reported once, with its length; the jitter between two clocks is not a sleep")
  func slept() {
    var watch = SleepWatch()
    #expect(watch.slept(boot: at(105), now: at(5)) == nil, "sleeps before the service was started are none of its")
    #expect(watch.slept(boot: at(106.02), now: at(6)) == nil)
    #expect(watch.slept(boot: at(206), now: at(7)) == .seconds(206 - 7) - .nanoseconds(100_020_000_000))
    #expect(watch.slept(boot: at(207), now: at(8)) == nil)
  }
}
