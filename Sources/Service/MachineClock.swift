import Linux
import ServiceConfiguration
import Timeline

/// What the clocks say, and whether the time of day is known to be right.
final class MachineClock {
  /// The clocks of the machine, or of a test.
  struct Source {
    var wall: () -> WallTime
    /// How long the machine has slept since its boot; the rest of that time is on the monotonic clock.
    var timeAsleep: () -> Duration
    /// Somebody says that the time of day is synchronized.
    var isSynchronized: () -> Bool
    /// What no right time of day is before: when this program was installed.
    var installed = WallTime(millisecondsSinceEpoch: 0)
  }

  var settings: ClockSettings
  /// Somebody else has said that the time of day is synchronized, as of this boot.
  var isKnown = false
  private let source: Source
  private var clock: SteadyClock
  private let latest: WallTime?
  private(set) var isSet = false
  private var sinceBoot: Duration

  /// - Parameters:
  ///   - record: of a former run.
  ///   - now: of the monotonic clock.
  init(
    _ source: Source, _ settings: ClockSettings = ClockSettings(), record: SteadyClock.Record?, boot: String,
    _ now: Instant
  ) {
    self.source = source
    self.settings = settings
    sinceBoot = (now - Instant(nanoseconds: 0)) + source.timeAsleep()
    clock = SteadyClock(record, boot: boot, sinceBoot: sinceBoot, wall: source.wall())
    latest = record?.known?.wall
    isSet = record?.known?.boot == boot
  }

  func read(_ now: Instant) -> Clocks {
    sinceBoot = (now - Instant(nanoseconds: 0)) + source.timeAsleep()
    let wall = source.wall()
    isSet = isSet || settings.trust == .always || isKnown || source.isSynchronized() || isPlausible(wall)
    return Clocks(wall: wall, isSet: isSet, steady: clock.read(sinceBoot: sinceBoot, wall: wall, isSet: isSet))
  }

  /// Nobody has said whether it is right, and that was waited for; but it is not before times that were right.
  private func isPlausible(_ wall: WallTime) -> Bool {
    sinceBoot >= settings.wait && wall >= max(source.installed, latest ?? source.installed)
  }

  /// To be stored: what was read last.
  var record: SteadyClock.Record { clock.record(sinceBoot: sinceBoot) }
}

extension MachineClock.Source {
  /// The kernel's. Synchronized, according to the kernel (a sandbox may forbid the question) or to systemd-timesyncd in this boot.
  static var machine: MachineClock.Source {
    .init(
      wall: { SystemClock.wall }, timeAsleep: { SystemClock.timeAsleep },
      isSynchronized: { SystemClock.isSynchronized == true || exists("/run/systemd/timesync/synchronized") },
      installed: lastChange(of: "/proc/self/exe") ?? WallTime(millisecondsSinceEpoch: 0))
  }
}
