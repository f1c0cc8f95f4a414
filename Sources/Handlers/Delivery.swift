public import HTTPTypes
import Linux
public import Scheduling
public import Timeline

/// An update that a connected application (a receiver) applies itself and acknowledges.
public final class Delivery: RunningHandler {
  public let started: Instant
  public let start: HandlerStart
  /// The reply stream of the application that has it now.
  public var receiver: RequestToken
  private let ended: (HandlerEnd, Instant) -> Void

  /// The update has been written to the stream of `receiver`. `ended` is called once.
  public init(
    _ start: HandlerStart, receiver: RequestToken, now: Instant, ended: @escaping (HandlerEnd, Instant) -> Void
  ) {
    self.start = start
    self.receiver = receiver
    started = now
    self.ended = ended
  }

  public var update: Update { start.update }

  public var nextDeadline: Instant? { started + start.timeout }

  public var survivesService: Bool { false }

  public func timePassed(_ now: Instant) {
    guard let due = nextDeadline, due <= now else { return }
    end(.failed, "not acknowledged within \(TimeSpan.describe(start.timeout)) (Timeout=)", later: false, now)
  }

  /// The application has applied it.
  public func acknowledge(_ now: Instant) { end(.applied, "acknowledged", later: false, now) }

  /// The application could not apply it; `later`: it asks to be offered it again.
  public func refuse(_ reason: String, later: Bool, _ now: Instant) { end(.failed, reason, later: later, now) }

  private func end(_ state: FinalState, _ message: String, later: Bool, _ now: Instant) {
    ended(
      HandlerEnd(
        result: start.result(state, message, started: started, at: SystemClock.wall), triesLater: later), now)
  }
}
