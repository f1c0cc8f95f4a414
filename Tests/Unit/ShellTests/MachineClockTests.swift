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
      installed: WallTime = WallTime(millisecondsSinceEpoch: 0)
    ) -> MachineClock {
      var settings = ClockSettings()
      edit(&settings)
      let source = MachineClock.Source(
        wall: { self.wall }, timeAsleep: { self.asleep }, isSynchronized: { self.isSynchronized }, installed: installed)
      return MachineClock(source, settings, record: record, boot: boot, at(0))
    }
  }

  private let machine = Machine()

  @Test("the time of day is known once somebody says that it is synchronized, and remains so")
  func synchronized() {
    let clock = machine.clock(installed: wall(1000))
    #expect(!clock.read(at(1)).isSet)
    machine.isSynchronized = true
    #expect(clock.read(at(2)).isSet)
    machine.isSynchronized = false
    #expect(clock.read(at(3)).isSet)
    let other = machine.clock()
    other.isKnown = true
    #expect(other.read(at(1)).isSet, "timedated says so")
  }

  @Test("after ClockWait= it counts as right unless it is before the installation, or before a time that was right")
  func waited() {
    machine.wall = wall(2000)
    let clock = machine.clock({ $0.wait = .seconds(60) }, installed: wall(1000))
    #expect(!clock.read(at(59.9)).isSet && clock.read(at(60)).isSet)
    let early = machine.clock({ $0.wait = .seconds(60) }, installed: wall(2001))
    #expect(!early.read(at(60)).isSet)
    let known = SteadyClock.Known(boot: "former", wall: wall(2001), steady: SteadyTime(milliseconds: 0))
    let record = SteadyClock.Record(
      boot: "former", sinceBoot: .zero, steady: SteadyTime(milliseconds: 0), known: known)
    let later = machine.clock({ $0.wait = .seconds(60) }, record: record)
    #expect(!later.read(at(60)).isSet)
    machine.wall = wall(2001)
    #expect(later.read(at(60)).isSet)
  }

  @Test("Trust=always: from the boot on, also after a reload")
  func always() {
    #expect(machine.clock { $0.trust = .always }.read(at(0)).isSet)
    let clock = machine.clock(installed: wall(1000))
    #expect(!clock.read(at(0)).isSet)
    clock.settings.trust = .always
    #expect(clock.read(at(1)).isSet)
  }

  @Test("what was known in this boot is known after a restart of the service, but not after a boot")
  func restarted() {
    machine.isSynchronized = true
    let clock = machine.clock()
    let before = clock.read(at(10)).steady
    machine.isSynchronized = false
    #expect(machine.clock(record: clock.record, boot: "a").read(at(20)).isSet)
    #expect(machine.clock(record: clock.record, boot: "a").read(at(20)).steady - before == .seconds(10))
    #expect(!machine.clock(record: clock.record, boot: "b", installed: wall(10)).read(at(20)).isSet)
  }

  @Test("the steady clock goes on while the machine sleeps")
  func asleep() {
    let clock = machine.clock()
    let before = clock.read(at(10)).steady
    machine.asleep = .seconds(3600)
    #expect(clock.read(at(11)).steady - before == .seconds(3601))
  }
}
