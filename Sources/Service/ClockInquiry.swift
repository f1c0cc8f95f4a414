import Linux
import SystemBus
import Timeline

/// Asks systemd-timedated whether the time of day is synchronized: the sandbox of the service forbids the question to the
/// kernel (ProtectClock=).
final class ClockInquiry {
  private static let timedated = SystemBus.Target(
    "org.freedesktop.timedate1", "/org/freedesktop/timedate1", "org.freedesktop.DBus.Properties")
  private static let shortest: Duration = .seconds(10)
  private static let longest: Duration = .seconds(300)

  private let bus: SystemBus
  private let clock: MachineClock
  private var asked: Slot?
  private var next: Instant = .distantPast
  private var interval = shortest

  init(_ bus: SystemBus, _ clock: MachineClock) {
    self.bus = bus
    self.clock = clock
  }

  /// At the end of a wake-up. `isNeeded`: something waits that may depend on the answer.
  func afterEach(_ now: Instant, isNeeded: Bool) {
    if clock.isVerified || asked != nil || now < next || !isNeeded && next != .distantPast { return }
    next = now + interval
    interval = min(interval * 2, Self.longest)
    // Where the kernel answers, nobody else needs to be asked.
    if SystemClock.isSynchronized != nil { return }
    asked = bus.call(Self.timedated, "Get", ["org.freedesktop.timedate1", "NTPSynchronized"]) {
      [unowned self] reply, _ in
      asked = nil
      if case .success(let values) = reply, case .variant(.flag(true))? = values.first { clock.isKnown = true }
    }
  }
}
