import Glibc
import Linux
import Timeline

/// Waits until `condition` holds; false if it does not within the limit.
///
/// Only for what may be polled: files, other programs, the test's own devices. Every request wakes the service, and a
/// service that is woken all the time hides a deadline that it forgot. Its state is awaited by events
/// (`ServiceEvents.becomes`) or by `GET /v1/updates/ID/wait` (`end`).
func eventually(within limit: Duration = .seconds(10), _ condition: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + limit
  while true {
    if try condition() { return true }
    if ContinuousClock.now >= end { return false }
    hold(for: .milliseconds(5))
  }
}

/// Checks all the time; false if `condition` fails at any moment of `span`. For the same things as `eventually`.
func always(for span: Duration, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + span
  while ContinuousClock.now < end {
    if try !condition() { return false }
    hold(for: .milliseconds(5))
  }
  return true
}

/// Lets time pass, because time itself is what the test needs: a finger rests, a pulse sounds.
func hold(for span: Duration) {
  SystemClock.sleep(until: SystemClock.monotonic + span)
}
