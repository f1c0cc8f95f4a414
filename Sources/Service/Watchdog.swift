import CLibsystemd
import EventLoop
import Linux
import Scheduling
import ServiceLog
import Timeline
import TouchDevices

/// Tells systemd's watchdog (sd_watchdog_enabled(3)) that the service works, after it has checked itself. Its timer has
/// the lowest priority of the loop: where that gets its turn, everything else has had its own.
final class Watchdog {
  private let interval: Duration
  private let timer: TimerSource

  /// Nil where systemd does not watch. `problem`: what is wrong with the service; nil: it works.
  init?(loop: EventLoop, log: Log, problem: @escaping (Instant) -> String?) throws {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    // Half of it: systemd's own advice.
    interval = .microseconds(Int64(microseconds / 2))
    let arms = Arms()
    timer = try loop.timer(.timers) { [interval] now in
      if let problem = problem(now) {
        log.error("\(problem); systemd's watchdog is not told that all is well")
      } else {
        sd_notify(0, "WATCHDOG=1")
      }
      arms.timer?.arm(now + interval)
    }
    arms.timer = timer
    sd_notify(0, "WATCHDOG=1")
    timer.arm(SystemClock.monotonic + interval)
  }

  /// The timer, for its own handler.
  private final class Arms {
    weak var timer: TimerSource?
  }
}

extension Daemon {
  /// What should have been done by now and was not; nil: all is well.
  func problem(_ now: Instant) -> String? {
    if !pending.isEmpty { return "\(pending.count) decisions were not carried out" }
    let deadlines = [touch.nextDeadline, scheduler.nextDeadline, handler?.nextDeadline].compactMap(\.self)
    guard let due = deadlines.min(), now - due > .seconds(10) else { return nil }
    return "what was due \(TimeSpan.describe(now - due)) ago was not done"
  }
}
