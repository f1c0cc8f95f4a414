import Testing
import Timeline

@Suite("The steady clock")
struct SteadyClockTests {
  private static let day: Int64 = 86_400
  private let noon = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)

  private func begun(_ wall: WallTime) -> SteadyClock {
    SteadyClock(nil, boot: "a", sinceBoot: .seconds(100), wall: wall)
  }

  private func next(_ clock: SteadyClock, at seconds: Int64, boot: String) -> SteadyClock {
    SteadyClock(clock.record(sinceBoot: .seconds(seconds)), boot: boot, sinceBoot: .seconds(5), wall: noon)
  }

  private func said(_ clock: SteadyClock, at seconds: Int64) -> Int64 {
    clock.read(sinceBoot: .seconds(seconds)).milliseconds / 1000
  }

  @Test("it begins with the time of day, and no step of the time of day changes it, verified or not, in any boot")
  func steps() {
    var clock = begun(noon)
    #expect(said(clock, at: 100) == 1_700_000_000)
    for boot in ["b", "c"] {
      for step in [0, 3600, -3600, Self.day, -Self.day, 365 * Self.day, -50 * 365 * Self.day] {
        _ = clock.verify(noon + .seconds(step), sinceBoot: .seconds(160))
        #expect(said(clock, at: 160) - said(clock, at: 100) == 60)
      }
      let last = said(clock, at: 160)
      clock = next(clock, at: 160, boot: boot)
      #expect(said(clock, at: 5) == last + 5, "it goes on where it was, by the time that the machine is on")
    }
  }

  @Test("after a restart of the service in the same boot it is where it was")
  func restarted() {
    let clock = begun(noon)
    #expect(said(next(clock, at: 160, boot: "a"), at: 200) == 1_700_000_100)
  }

  @Test("each boot begins a millisecond later: what begins with it has not been there when the machine was off")
  func beginning() {
    var clock = begun(noon)
    _ = clock.verify(noon, sinceBoot: .seconds(100))
    var after = next(clock, at: 100, boot: "b")
    let atBoot = after.read(sinceBoot: .zero)
    let timeOff = after.verify(noon + .seconds(60), sinceBoot: .seconds(5))
    #expect(timeOff.map { atBoot > $0.before } == true)
  }

  @Test("the time off is the difference of the time of day less the time on, if that was verified on both sides; once")
  func verified() {
    var clock = begun(noon)
    #expect(clock.verify(noon, sinceBoot: .seconds(100)) == nil)
    #expect(clock.verify(noon + .seconds(60), sinceBoot: .seconds(160)) == nil)
    let before = clock.read(sinceBoot: .seconds(160))
    var after = next(clock, at: 300, boot: "b")
    // 140 s on, 8 h off, 30 s on.
    let timeOff = after.verify(noon + .seconds(60 + 140 + 8 * 3600 + 30), sinceBoot: .seconds(30))
    #expect(timeOff == SteadyClock.TimeOff(.seconds(8 * 3600) - .milliseconds(1), before: before))
    #expect(after.verify(noon + .seconds(Self.day), sinceBoot: .seconds(60)) == nil)
  }

  @Test("a time of day that is earlier than the time on allows means no time off")
  func back() {
    var clock = begun(noon)
    _ = clock.verify(noon, sinceBoot: .seconds(100))
    var after = next(clock, at: 7300, boot: "b")
    #expect(after.verify(noon + .seconds(60), sinceBoot: .seconds(50)) == nil)
  }

  @Test("not verified on either side: only the time counts that the machine was on; 3 h on, 21 h off, four times")
  func unknown() {
    var clock = begun(WallTime(millisecondsSinceEpoch: 0))
    let first = said(clock, at: 100)
    for boot in 1...4 { clock = next(clock, at: 3 * 3600, boot: "boot \(boot)") }
    #expect(said(clock, at: 0) - first == 4 * 3 * 3600 - 100)
    #expect(clock.verify(noon, sinceBoot: .seconds(5)) == nil, "now, but not before")
  }

  @Test("of a boot in between in which the time of day was not verified only older spans know")
  func betweenBoots() {
    var clock = begun(noon)
    _ = clock.verify(noon, sinceBoot: .seconds(100))
    let before = clock.read(sinceBoot: .seconds(100))
    let second = next(clock, at: 100, boot: "b")
    var third = next(second, at: 3600, boot: "c")
    let timeOff = third.verify(noon + .seconds(Self.day), sinceBoot: .seconds(10))
    #expect(timeOff == SteadyClock.TimeOff(.seconds(Self.day - 3610) - .milliseconds(2), before: before))
  }

  @Test("within a boot a time of day that has been set since does not replace one that was verified")
  func setLater() {
    var clock = begun(noon)
    _ = clock.verify(noon, sinceBoot: .seconds(100))
    for step in [6, -6, 365 * Self.day] {
      _ = clock.verify(noon + .seconds(60 + step), sinceBoot: .seconds(160))
      #expect(clock.record(sinceBoot: .seconds(160)).known?.wall == noon)
    }
    _ = clock.verify(noon + .seconds(64), sinceBoot: .seconds(160))
    #expect(clock.record(sinceBoot: .seconds(160)).known?.wall == noon + .seconds(64))
  }
}
