import CLibsystemd
import ServiceLog
import Timeline

/// What the service tells systemd (sd_notify(3)): READY, STATUS, RELOADING, STOPPING, and the watchdog's ping, which is
/// withheld while something is wrong.
///
/// The ping is one more deadline of the service's one timer; it is sent by the end of a wake-up, so it says that the
/// wake-up has done its work.
struct ServiceManager {
  private let notify: (String) -> Void
  /// Half of WatchdogSec=, as systemd advises; nil: no watchdog.
  private let interval: Duration?
  private var pingDue: Instant?
  private var status = ""

  /// `watchdog`: WatchdogSec= of the unit; nil: systemd watches nothing.
  init(watchdog: Duration? = Self.watchdogTimeout, notify: @escaping (String) -> Void = { sd_notify(0, $0) }) {
    interval = watchdog.map { $0 / 2 }
    self.notify = notify
  }

  /// sd_watchdog_enabled(3).
  static var watchdogTimeout: Duration? {
    var microseconds: UInt64 = 0
    return sd_watchdog_enabled(0, &microseconds) > 0 ? .microseconds(Int64(microseconds)) : nil
  }

  var nextDeadline: Instant? { pingDue }

  mutating func ready(_ now: Instant) {
    notify("READY=1")
    ping(now)
  }

  /// `systemctl status` shows it. Repeating the same text sends nothing.
  mutating func show(status text: String) {
    if text == status { return }
    status = text
    notify("STATUS=\(text)")
  }

  /// systemd 253 and later wait for READY= with this time (sd_notify(3)); earlier ones show the state.
  func reloading(_ now: Instant) { notify("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1000)") }

  func reloaded() { notify("READY=1") }

  func stopping() { notify("STOPPING=1") }

  /// Pings the watchdog if that is due and nothing is wrong.
  ///
  /// - Returns: what is wrong, if the ping was withheld for it.
  mutating func afterEach(_ now: Instant, problem: () -> String?) -> String? {
    guard let due = pingDue, due <= now else { return nil }
    guard let problem = problem() else {
      ping(now)
      return nil
    }
    pingDue = interval.map { now + $0 }
    return problem
  }

  private mutating func ping(_ now: Instant) {
    guard let interval else { return }
    notify("WATCHDOG=1")
    pingDue = now + interval
  }
}
