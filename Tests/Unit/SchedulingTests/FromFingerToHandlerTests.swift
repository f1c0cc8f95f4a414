import Scheduling
import Testing
import Timeline
import TouchModel

@Suite("From the finger to the handler")
struct FromFingerToHandlerTests {
  @Test("the end of the last touch acts at once")
  func lastTouch() {
    var kiosk = Kiosk()
    kiosk.pass(until: 1)
    kiosk.finger(0, 5)
    kiosk.finger(1, 6)
    kiosk.bench.submit("a")
    kiosk.pass(until: 7.3)
    kiosk.finger(0, -1)
    kiosk.pass(until: 7.35)
    #expect(kiosk.bench.running == nil, "the other finger is still there")
    _ = kiosk.bench.news()
    kiosk.finger(1, -1)
    #expect(
      kiosk.bench.news() == ["store beginApplying a", "last look a", "start a, attempt 1, 0 ms after the release"],
      "in the same wake-up: no timer in between")
    #expect(kiosk.bench.now == at(7.35))
    #expect(kiosk.bench.violations == [])
  }

  @Test(
    """
    a notification that arrives while touched is looked at again one second later, and again, until not touched; then \
    applied
    """)
  func lookedAtAgain() {
    var kiosk = Kiosk()
    kiosk.pass(until: 10)
    kiosk.finger(0, 5)
    kiosk.pass(until: 10.4)
    kiosk.bench.submit("a")
    #expect(kiosk.bench.scheduler.blockers(of: id("a"), at: kiosk.bench.now).map(\.code) == [.touched])
    _ = kiosk.bench.news()
    for second in 1...5 {
      kiosk.pass(until: 10.399 + Double(second))
      #expect(kiosk.bench.news() == [])
      kiosk.pass(until: 10.4 + Double(second))
      #expect(kiosk.bench.news() == ["recheck"])
      #expect(kiosk.bench.scheduler.rechecks(of: id("a")) == second)
    }
    // The release is heard by nobody: only a look can find it, and a second read must agree.
    kiosk.pass(until: 15.9)
    kiosk.fingerUnseen(0, -1)
    kiosk.pass(until: 16.4)
    #expect(kiosk.bench.news() == ["recheck"])
    #expect(kiosk.bench.running == nil)
    kiosk.pass(until: 16.42)
    #expect(
      kiosk.bench.news() == ["store beginApplying a", "last look a", "start a, attempt 1, 0 ms after the release"])
    #expect(kiosk.bench.violations == [])
  }

  @Test("between the taps of a PIN nothing is applied where a quiet period is set, and all at once after it")
  func taps() {
    var kiosk = Kiosk(quiet: .seconds(1))
    kiosk.bench.submit("a")
    for tap in 0..<4 {
      kiosk.pass(until: 0.3 + Double(tap) * 0.9)
      kiosk.finger(0, Int32(tap))
      kiosk.pass(until: 0.4 + Double(tap) * 0.9)
      kiosk.finger(0, -1)
    }
    kiosk.pass(until: 4.099)
    #expect(kiosk.bench.running == nil)
    kiosk.pass(until: 4.1)
    #expect(kiosk.bench.running == id("a"))
    #expect(kiosk.bench.violations == [])
  }

  @Test("a finger that only the slot table has closes the gate at the next recheck, and its end opens it")
  func foreignGrab() {
    var kiosk = Kiosk(quiet: .seconds(3))
    kiosk.pass(until: 10)
    kiosk.finger(0, 5)
    kiosk.finger(0, -1)
    kiosk.bench.submit("a")
    kiosk.pass(until: 11.5)
    kiosk.fingerUnseen(1, 7)
    kiosk.pass(until: 30)
    #expect(kiosk.bench.running == nil)
    kiosk.fingerUnseen(1, -1)
    kiosk.pass(until: 33.9)
    #expect(kiosk.bench.running == nil)
    kiosk.pass(until: 34.1)
    #expect(kiosk.bench.running == id("a"))
    #expect(kiosk.bench.violations == [])
  }

  @Test("lost events close the gate until the slot table has been read")
  func lostEvents() {
    var kiosk = Kiosk()
    kiosk.finger(0, 5)
    kiosk.bench.submit("a")
    kiosk.pass(until: 2.5)
    kiosk.loseEvents()
    kiosk.fingerUnseen(0, -1)
    kiosk.pass(until: 5)
    #expect(kiosk.bench.running == nil)
    kiosk.snapshot()
    #expect(kiosk.bench.running == id("a"))
    #expect(kiosk.bench.violations == [])
  }

  @Test("unplugged under a finger it waits two seconds; plugged in again, two more from there")
  func unplugged() {
    var kiosk = Kiosk()
    kiosk.finger(0, 5)
    kiosk.bench.submit("a")
    kiosk.pass(until: 3)
    kiosk.unplug()
    kiosk.fingerUnseen(0, -1)
    kiosk.pass(until: 4.5)
    kiosk.plug()
    kiosk.pass(until: 6.499)
    #expect(kiosk.bench.running == nil)
    kiosk.pass(until: 6.5)
    #expect(kiosk.bench.running == id("a"))
    #expect(kiosk.bench.violations == [])
  }

  @Test("without any screen it is applied once ten seconds have passed")
  func noScreen() {
    var kiosk = Kiosk(plugged: false)
    kiosk.bench.submit("a")
    kiosk.pass(until: 9.999)
    #expect(kiosk.bench.running == nil)
    #expect(kiosk.bench.scheduler.blockers(of: id("a"), at: kiosk.bench.now).map(\.code) == [.unknown])
    kiosk.pass(until: 10)
    #expect(kiosk.bench.running == id("a"))
  }

  @Test("the quiet period continues when the screen is unplugged: after the last touch, and after the grace time")
  func quietAfterUnplug() {
    var kiosk = Kiosk(quiet: .seconds(5))
    kiosk.pass(until: 10)
    kiosk.finger(0, 5)
    kiosk.pass(until: 20)
    kiosk.finger(0, -1)
    kiosk.bench.submit("a")
    kiosk.pass(until: 21)
    kiosk.unplug()
    kiosk.pass(until: 24.999)
    #expect(kiosk.bench.running == nil)
    kiosk.pass(until: 25)
    #expect(kiosk.bench.running == id("a"))
  }

  @Test("unplugged under a finger for good, its quiet period counts from the end of the grace time")
  func quietAfterGrace() {
    var kiosk = Kiosk(quiet: .seconds(5))
    kiosk.pass(until: 10)
    kiosk.finger(0, 5)
    kiosk.bench.submit("a")
    kiosk.pass(until: 20)
    kiosk.unplug()
    kiosk.pass(until: 26.999)
    #expect(kiosk.bench.running == nil)
    kiosk.pass(until: 27)
    #expect(kiosk.bench.running == id("a"))
  }
}
