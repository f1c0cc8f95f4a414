import Testing
import Timeline

@Suite("The steady clock")
struct SteadyClockTests {
  private static let day: Int64 = 86_400
  private let noon = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)

  /// What it says after so many seconds of this boot, where it began.
  private func read(
    _ clock: inout SteadyClock, _ seconds: Int64, wall: WallTime, isSet: Bool
  ) -> Int64 {
    clock.read(sinceBoot: .seconds(seconds), wall: wall, isSet: isSet).milliseconds / 1000
  }

  private func begun(_ wall: WallTime) -> SteadyClock {
    SteadyClock(nil, boot: "a", sinceBoot: .seconds(100), wall: wall)
  }

  private func next(_ clock: SteadyClock, at seconds: Int64, boot: String) -> SteadyClock {
    SteadyClock(clock.record(sinceBoot: .seconds(seconds)), boot: boot, sinceBoot: .seconds(5), wall: noon)
  }

  @Test("it begins with the time of day, and within a boot no step of the time of day changes it")
  func steps() {
    var clock = begun(noon)
    #expect(read(&clock, 100, wall: noon, isSet: true) == 1_700_000_000)
    for step in [0, 3600, -3600, Self.day, -Self.day, 365 * Self.day, -50 * 365 * Self.day] {
      for isSet in [true, false] {
        #expect(read(&clock, 160, wall: noon + .seconds(step), isSet: isSet) == 1_700_000_060)
      }
    }
    var restarted = next(clock, at: 160, boot: "a")
    #expect(
      read(&restarted, 200, wall: noon + .seconds(-Self.day), isSet: true) == 1_700_000_100, "a restart of the service")
  }

  @Test("over a boot it goes on by the time of day, if that was known to be right before and is now")
  func known() {
    var clock = begun(noon)
    _ = read(&clock, 100, wall: noon, isSet: true)
    var after = next(clock, at: 100, boot: "b")
    let later = noon + .seconds(8 * 3600)
    #expect(read(&after, 5, wall: WallTime(millisecondsSinceEpoch: 0), isSet: false) == 1_700_000_005, "not known yet")
    #expect(read(&after, 30, wall: later, isSet: true) == 1_700_000_000 + 8 * 3600)
    #expect(read(&after, 60, wall: noon, isSet: true) == 1_700_000_000 + 8 * 3600 + 30, "a step later in the boot")
  }

  @Test("a time of day that is earlier than the time that the machine was on does not set it back")
  func back() {
    var clock = begun(noon)
    _ = read(&clock, 100, wall: noon, isSet: true)
    _ = read(&clock, 7300, wall: noon, isSet: false)
    var after = next(clock, at: 7300, boot: "b")
    #expect(read(&after, 50, wall: noon + .seconds(60), isSet: true) == 1_700_007_250)
  }

  @Test(
    "if the time of day was not known on either side, only the time counts that the machine was on: 3 h on, 21 h off")
  func unknown() {
    var clock = begun(WallTime(millisecondsSinceEpoch: 0))
    var last = read(&clock, 100, wall: WallTime(millisecondsSinceEpoch: 0), isSet: false)
    let first = last
    for boot in 1...4 {
      last = read(&clock, 3 * 3600, wall: WallTime(millisecondsSinceEpoch: 0), isSet: false)
      clock = next(clock, at: 3 * 3600, boot: "boot \(boot)")
    }
    #expect(last - first == 4 * 3 * 3600 - 100)
    #expect(read(&clock, 5, wall: noon, isSet: true) == last + 5, "known now, but not before")
  }

  @Test("a boot in between in which the time of day was never known does not matter")
  func betweenBoots() {
    var clock = begun(noon)
    _ = read(&clock, 100, wall: noon, isSet: true)
    var second = next(clock, at: 100, boot: "b")
    _ = read(&second, 3600, wall: WallTime(millisecondsSinceEpoch: 0), isSet: false)
    var third = next(second, at: 3600, boot: "c")
    #expect(read(&third, 10, wall: noon + .seconds(Self.day), isSet: true) == 1_700_000_000 + Self.day)
  }
}
