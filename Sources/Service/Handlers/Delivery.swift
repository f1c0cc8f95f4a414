import HTTPTypes
import Linux
import Scheduling
import Timeline

/// An update in the hands of a connected application, which applies it itself and says so.
final class Delivery: RunningHandler {
  let update: Update
  let attempt: Int
  let started: Instant
  let releasedAt: Instant?
  let timeout: Duration
  /// Who has it now.
  var receiver: RequestToken
  private let ended: (HandlerEnd, Instant) -> Void

  init(
    _ update: Update, attempt: Int, releasedAt: Instant?, timeout: Duration, receiver: RequestToken, now: Instant,
    ended: @escaping (HandlerEnd, Instant) -> Void
  ) {
    self.update = update
    self.attempt = attempt
    self.releasedAt = releasedAt
    self.timeout = timeout
    self.receiver = receiver
    started = now
    self.ended = ended
  }

  var nextDeadline: Instant? { started + timeout }

  var canBeLeft: Bool { false }

  func timePassed(_ now: Instant) {
    guard let due = nextDeadline, due <= now else { return }
    refuse(
      "no acknowledgement within \(TimeSpan.describe(timeout)) (Timeout=)", later: false, at: SystemClock.wall, now)
  }

  func acknowledge(at wall: WallTime, _ now: Instant) {
    end(.applied, "acknowledged", later: false, wall, now)
  }

  func refuse(_ reason: String, later: Bool, at wall: WallTime, _ now: Instant) {
    end(.failed, reason, later: later, wall, now)
  }

  private func end(_ state: FinalState, _ message: String, later: Bool, _ wall: WallTime, _ now: Instant) {
    let result = UpdateResult(
      state: state, exitCode: nil, message: message, finishedAt: wall,
      releaseToStartMilliseconds: releasedAt.map { (started - $0).wholeMilliseconds })
    ended(HandlerEnd(result: result, triesLater: later), now)
  }
}
