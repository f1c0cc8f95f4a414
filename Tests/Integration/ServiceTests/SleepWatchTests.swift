import Testing
import Timeline

@testable import Service

@Suite("Noticing that the machine slept")
struct SleepWatchTests {
  @Test("a sleep is reported once, with its length; sleeps before the service was started do not count")
  func slept() {
    var watch = SleepWatch()
    #expect(watch.slept(.seconds(100)) == nil)
    #expect(watch.slept(.milliseconds(100_020)) == nil)
    #expect(watch.slept(.seconds(199)) == .seconds(99))
    #expect(watch.slept(.seconds(199)) == nil)
  }

  @Test("a process that was preempted between the two clocks has not slept, however often")
  func preempted() {
    var watch = SleepWatch()
    _ = watch.slept(.zero)
    for jitter in [187, 60, 999, 187, 0, 500] { #expect(watch.slept(.milliseconds(jitter)) == nil) }
  }

  @Test("short sleeps add up")
  func short() {
    var watch = SleepWatch()
    _ = watch.slept(.zero)
    #expect(watch.slept(.milliseconds(600)) == nil)
    #expect(watch.slept(.milliseconds(1200)) == .milliseconds(1200))
  }
}
