public import Timeline

/// Seven calls, each with an action that runs exactly once: together with the pulse if there is a motor, otherwise
/// before the call returns. Callers need not check which.
///
///     feedback.success { apply() }
///
/// The order is prepare, lead, pulse, action. Actions run on the loop that calls `timePassed` and `received`.
public final class Feedback {
  /// The outcome of a call.
  public struct Outcome: Equatable, Sendable {
    public let ending: FeedbackCalls.Ending
    /// How long opening and uploading took, if that was done since the last pulse.
    public let preparing: Duration?
    /// How long the write that played the pulse took.
    public let firing: Duration?
    /// Time from the beginning of the pulse to the action.
    public let skew: Duration?
  }

  /// Time between prepare and pulse, unless the kind was prepared ahead.
  public let lead: Duration
  private var calls = FeedbackCalls()
  private var actions: [FeedbackCalls.ID: (Outcome) -> Void] = [:]
  private let motor: (any FeedbackMotor)?
  private let clock: () -> Instant
  private var session = 0
  private var preparing: Duration?

  /// `motor` nil: silent; every action runs at once.
  public init(lead: Duration = .milliseconds(100), motor: (any FeedbackMotor)? = nil, clock: @escaping () -> Instant) {
    self.lead = lead
    self.motor = motor
    self.clock = clock
  }

  // MARK: The seven

  public func success(_ action: @escaping () -> Void) { play(.success) { _ in action() } }
  public func warning(_ action: @escaping () -> Void) { play(.warning) { _ in action() } }
  public func error(_ action: @escaping () -> Void) { play(.error) { _ in action() } }
  public func light(_ action: @escaping () -> Void) { play(.light) { _ in action() } }
  public func medium(_ action: @escaping () -> Void) { play(.medium) { _ in action() } }
  public func heavy(_ action: @escaping () -> Void) { play(.heavy) { _ in action() } }
  public func selection(_ action: @escaping () -> Void) { play(.selection) { _ in action() } }

  /// Plays a kind. `lead` nil: the configured one; zero: as soon as the motor is ready, at most 20 ms from now.
  public func play(_ kind: FeedbackKind, lead: Duration? = nil, _ action: @escaping (Outcome) -> Void) {
    let (id, outputs) = calls.call(kind, lead: lead ?? self.lead, at: clock())
    actions[id] = action
    perform(outputs)
  }

  /// Prepares a kind that will probably be called within `span`, so that the call needs no lead. Can be called
  /// repeatedly.
  public func prepare(_ kind: FeedbackKind, for span: Duration = .seconds(10)) {
    let now = clock()
    perform(calls.prepare(kind, until: now + span, at: now))
  }

  /// Runs all waiting actions. Later calls are silent.
  public func stop() { perform(calls.stop()) }

  // MARK: The loop's side

  public var nextDeadline: Instant? { calls.nextDeadline }

  public var silentBecause: String? { calls.silentBecause }

  public func timePassed(_ now: Instant) { perform(calls.timePassed(now)) }

  /// Another device was chosen. Later reports about the previous one are ignored.
  public func use(node: String) {
    session += 1
    motor?.send(.use(node: node, session: session))
    perform(calls.found(at: clock()))
  }

  /// The chosen device has changed: if it had refused, it is retried immediately.
  public func mayWorkAgain() { perform(calls.mayWorkAgain(at: clock())) }

  public func useNone(because reason: String) {
    session += 1
    motor?.send(.release)
    perform(calls.gone(reason))
  }

  public func received(_ report: MotorReport) {
    guard report.session == session else { return }
    let now = clock()
    switch report.event {
    case .prepared(let kind, let took):
      preparing = took
      perform(calls.prepared(kind, at: now))
    case .played(let id, let moment, let took):
      perform(calls.played(id), pulse: moment, firing: took)
    case .missed(let id):
      perform(calls.missed(id))
    case .failed(let reason):
      perform(calls.failed(reason, at: now))
    }
  }

  /// Runs actions last, when the state is consistent, because they may call back.
  private func perform(_ outputs: [FeedbackCalls.Output], pulse: Instant? = nil, firing: Duration? = nil) {
    for output in outputs {
      switch output {
      case .prepare(let kind): motor?.send(.prepare(kind, session: session))
      case .play(let id, let kind, let until): motor?.send(.play(id, kind, until: until, session: session))
      case .release: motor?.send(.release)
      case .run: break
      }
    }
    for case .run(let id, let ending) in outputs {
      guard let action = actions.removeValue(forKey: id) else { continue }
      action(outcome(ending, pulse, firing))
    }
  }

  private func outcome(_ ending: FeedbackCalls.Ending, _ pulse: Instant?, _ firing: Duration?) -> Outcome {
    switch ending {
    case .played:
      defer { preparing = nil }
      return Outcome(ending: ending, preparing: preparing, firing: firing, skew: pulse.map { clock() - $0 })
    case .silent:
      return Outcome(ending: ending, preparing: nil, firing: nil, skew: nil)
    }
  }
}

/// A motor at the other end of a queue; `send` never blocks.
public protocol FeedbackMotor: AnyObject {
  func send(_ command: MotorCommand)
}

public enum MotorCommand: Equatable, Sendable {
  /// Use this device; it is opened when it is needed.
  case use(node: String, session: Int)
  case prepare(FeedbackKind, session: Int)
  case play(FeedbackCalls.ID, FeedbackKind, until: Instant, session: Int)
  /// Close it.
  case release
}

/// A report of the motor's thread about the device that was chosen in `session`.
public struct MotorReport: Equatable, Sendable {
  public enum Event: Equatable, Sendable {
    case prepared(FeedbackKind, took: Duration)
    case played(FeedbackCalls.ID, at: Instant, took: Duration)
    case missed(FeedbackCalls.ID)
    case failed(String)
  }

  public let session: Int
  public let event: Event

  public init(session: Int, _ event: Event) {
    self.session = session
    self.event = event
  }
}
