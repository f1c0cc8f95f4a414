import ServiceConfiguration
import Testing
import Timeline

@testable import Service

@Suite("The clocks of the machine")
struct MachineClockTests {
  private final class Machine {
    var wall = WallTime(millisecondsSinceEpoch: 0)
    var asleep: Duration = .zero
    var isSynchronized = false

    func clock(
      _ edit: (inout ClockSettings) -> Void = { _ in }, record: SteadyClock.Record? = nil, boot: String = "a",
      earliest: WallTime = WallTime(millisecondsSinceEpoch: 0)
    ) -> MachineClock {
      var settings = ClockSettings()
      edit(&settings)
      let source = MachineClock.Source(
        wall: { self.wall }, timeAsleep: { self.asleep }, isSynchronized: { self.isSynchronized },
        earliest: earliest)
      return MachineClock(source, settings, record: record, boot: boot, at(0))
    }
  }

  private let machine = Machine()

  @Test("the time of day is known once somebody says that it is synchronized, and remains so")
  func synchronized() {
    let clock = machine.clock(earliest: wall(1000))
    #expect(!clock.read(at(1)).isSet)
    machine.isSynchronized = true
    #expect(!clock.read(at(2)).isSet, "it was not 1970 when this version was made, whatever somebody says")
    machine.wall = wall(1000)
    #expect(clock.read(at(2)).isSet)
    machine.isSynchronized = false
    #expect(clock.read(at(3)).isSet)
    let other = machine.clock()
    other.isKnown = true
    #expect(other.read(at(1)).isSet, "timedated says so")
  }

  @Test("after ClockWait= it counts as right unless it is before this version, or before a time that was right")
  func waited() {
    machine.wall = wall(2000)
    let clock = machine.clock({ $0.wait = .seconds(60) }, earliest: wall(1000))
    #expect(!clock.read(at(59.9)).isSet && clock.read(at(60)).isSet)
    let early = machine.clock({ $0.wait = .seconds(60) }, earliest: wall(2001))
    #expect(!early.read(at(60)).isSet)
    let known = SteadyClock.Known(boot: "former", wall: wall(2001), steady: SteadyTime(milliseconds: 0))
    let record = SteadyClock.Record(
      boot: "former", sinceBoot: .zero, steady: SteadyTime(milliseconds: 0), known: known)
    let later = machine.clock({ $0.wait = .seconds(60) }, record: record)
    #expect(!later.read(at(60)).isSet)
    machine.wall = wall(2001)
    #expect(later.read(at(60)).isSet)
  }

  /// The machine goes off, and on again in another boot after so many seconds, in which `wall` passes.
  private func reboot(_ clock: MachineClock, to wall: WallTime, trust: ClockSettings.Trust = .verified) -> MachineClock
  {
    machine.wall = wall
    return machine.clock({ $0.trust = trust }, record: clock.record, boot: "b", earliest: Self.earliest)
  }
  private static let earliest = wall(1_000)

  @Test("for how long the machine was off is known if the time of day was verified before and is now, and is told once")
  func timeOff() {
    (machine.wall, machine.isSynchronized) = (wall(5_000), true)
    let clock = machine.clock(earliest: Self.earliest)
    let before = clock.read(at(10)).steady
    #expect(clock.takeTimeOff() == nil)
    machine.isSynchronized = false
    let next = reboot(clock, to: wall(0))
    _ = next.read(at(30))
    #expect(next.takeTimeOff() == nil, "not verified yet")
    (machine.wall, machine.isSynchronized) = (wall(8_660), true)
    #expect(next.read(at(60)).steady - before == .milliseconds(60_001), "the steady clock itself does not jump")
    #expect(next.takeTimeOff() == SteadyClock.TimeOff(.milliseconds(3_599_999), before: before))
    _ = next.read(at(61))
    #expect(next.takeTimeOff() == nil)
  }

  @Test("a time that is only plausible, or before any right one, tells nothing about the time off, on either side")
  func plausibleTellsNothing() {
    (machine.wall, machine.isSynchronized) = (wall(5_000), false)
    let plausible = machine.clock({ $0.wait = .zero }, earliest: Self.earliest)
    #expect(plausible.read(at(10)).isSet)
    machine.isSynchronized = true
    let next = reboot(plausible, to: wall(2_000_000))
    _ = next.read(at(10))
    #expect(next.takeTimeOff() == nil)
    (machine.wall, machine.isSynchronized) = (wall(0), false)
    let always = machine.clock({ $0.trust = .always }, earliest: Self.earliest)
    #expect(always.read(at(10)).isSet)
    let later = reboot(always, to: wall(2_000_000), trust: .always)
    _ = later.read(at(10))
    #expect(later.takeTimeOff() == nil, "the first boot was in 1970")
  }

  @Test("what somebody sets the clock to after it was verified does not count at the next boot")
  func setAfterwards() {
    (machine.wall, machine.isSynchronized) = (wall(5_000_000), true)
    let clock = machine.clock(earliest: Self.earliest)
    let before = clock.read(at(10)).steady
    machine.wall = wall(2_000)
    _ = clock.read(at(20))
    let next = reboot(clock, to: wall(5_003_600))
    _ = next.read(at(0))
    #expect(next.takeTimeOff() == SteadyClock.TimeOff(.milliseconds(3_589_999), before: before))
  }

  @Test("Trust=always: from the boot on, also after a reload")
  func always() {
    #expect(machine.clock { $0.trust = .always }.read(at(0)).isSet)
    let clock = machine.clock(earliest: wall(1000))
    #expect(!clock.read(at(0)).isSet)
    clock.settings.trust = .always
    #expect(clock.read(at(1)).isSet)
  }

  @Test("what was known in this boot is known after a restart of the service, but not after a boot")
  func restarted() {
    machine.isSynchronized = true
    machine.wall = wall(100)
    let clock = machine.clock()
    let before = clock.read(at(10)).steady
    machine.isSynchronized = false
    #expect(machine.clock(record: clock.record, boot: "a").read(at(20)).isSet)
    #expect(machine.clock(record: clock.record, boot: "a").read(at(20)).steady - before == .seconds(10))
    #expect(!machine.clock(record: clock.record, boot: "b").read(at(20)).isSet)
  }

  @Test("the steady clock goes on while the machine sleeps")
  func asleep() {
    let clock = machine.clock()
    let before = clock.read(at(10)).steady
    machine.asleep = .seconds(3600)
    #expect(clock.read(at(11)).steady - before == .seconds(3601))
  }
}
