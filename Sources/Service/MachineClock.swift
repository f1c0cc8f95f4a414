import Linux
import ServiceConfiguration
import Timeline
import TouchgateAPI

/// What the clocks say, and whether the time of day is known to be right.
///
/// Verified (synchronized, or `Trust=always`) is more than known: a time that is only plausible after `ClockWait=` counts for times such as
/// 04:00, but never tells for how long the machine was off.
final class MachineClock {
  /// The clocks of the machine, or of a test.
  struct Source {
    var wall: () -> WallTime
    /// How long the machine has slept since its boot; the rest of that time is on the monotonic clock.
    var timeAsleep: () -> Duration
    /// The time of day is synchronized, according to the kernel or systemd-timesyncd.
    var isSynchronized: () -> Bool
    /// What no right time of day is before.
    var earliest: WallTime
  }

  var settings: ClockSettings
  /// The time of day is synchronized, according to systemd-timedated.
  var isKnown = false
  private let source: Source
  private var clock: SteadyClock
  private let latest: WallTime?
  /// The time of day has been verified in this run.
  private(set) var isVerified = false
  /// The time of day counts.
  private(set) var isSet: Bool
  /// For how long the machine was off, until `takeTimeOff` asks.
  private var timeOff: SteadyClock.TimeOff?
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
    if wall >= source.earliest, settings.trust == .always || isKnown || source.isSynchronized() {
      (isSet, isVerified) = (true, true)
      timeOff = clock.verify(wall, sinceBoot: sinceBoot) ?? timeOff
    }
    isSet = isSet || settings.trust == .always || isPlausible(wall)
    return Clocks(wall: wall, isSet: isSet, steady: clock.read(sinceBoot: sinceBoot))
  }

  /// Once, after it has become known.
  func takeTimeOff() -> SteadyClock.TimeOff? {
    defer { timeOff = nil }
    return timeOff
  }

  /// It was not synchronized in time, but it is not before times that were right.
  private func isPlausible(_ wall: WallTime) -> Bool {
    sinceBoot >= settings.wait && wall >= max(source.earliest, latest ?? source.earliest)
  }

  /// Times before it are wrong.
  var earliest: WallTime { source.earliest }

  /// To be stored: what was read last.
  var record: SteadyClock.Record { clock.record(sinceBoot: sinceBoot) }
}

extension MachineClock.Source {
  /// The kernel's. Synchronized, according to the kernel (a sandbox may forbid the question) or to systemd-timesyncd in
  /// this boot. No right time is before this version, or before the installation of the program.
  static var machine: MachineClock.Source {
    let made = WallTime(millisecondsSinceEpoch: Version.date)
    let earliest = max(made, lastChange(of: "/proc/self/exe") ?? made)
    return .init(
      wall: { SystemClock.wall }, timeAsleep: { SystemClock.timeAsleep },
      isSynchronized: { SystemClock.isSynchronized == true || exists("/run/systemd/timesync/synchronized") },
      earliest: earliest)
  }
}
