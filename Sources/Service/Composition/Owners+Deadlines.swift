import Scheduling
import ServiceLog
import SocketServer
import SystemBus
import Timeline
import TouchDevices

/// The owners' deadlines, for the service's one timer. A new owner with a deadline is added to both functions.
extension Owners {
  /// The earliest of all.
  var nextDeadline: Instant? {
    [
      screens.input.nextDeadline, engine.nextDeadline, server.nextDeadline, runner.nextDeadline, calls.nextDeadline,
      haptics.nextDeadline, bus.nextDeadline,
    ].compactMap(\.self).min()
  }

  func timePassed(_ now: Instant) {
    screens.input.timePassed(now)
    engine.feedGateStates(now)
    bus.timePassed(now)
    server.timePassed(now: now)
    runner.timePassed(now)
    haptics.timePassed(now)
    engine.timePassed(now)
    // What is due starts before anybody is told that it did not.
    engine.drain(at: now)
    calls.timePassed(now)
    calls.takeRequests(now)
  }

  /// What should have been done by now and was not, for the log; nil: nothing.
  func overdue(_ now: Instant) -> String? {
    if !engine.actions.isEmpty { return "\(count(engine.actions.count, "decision")) not executed" }
    guard let due = [screens.input.nextDeadline, engine.nextDeadline, runner.nextDeadline].compactMap(\.self).min(),
      now - due > .seconds(10)
    else { return nil }
    return "a deadline is \(TimeSpan.describe(now - due)) overdue"
  }
}
