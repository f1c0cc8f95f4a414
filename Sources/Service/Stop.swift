import Scheduling

/// A stop that was requested, and whether the service may leave the loop. A value.
struct Stop {
  /// After the loop: long enough for a client that has just connected to say what it wants.
  static let lastAnswers: Duration = .milliseconds(500)

  private enum State {
    case no
    case now
    /// The handler that runs is waited for, and its result must be stored.
    case afterHandler
  }
  private var state = State.no

  mutating func request(runner: HandlerRunner) { state = runner.mayStop ? .now : .afterHandler }

  func isDue(runner: HandlerRunner, scheduler: Scheduler) -> Bool {
    switch state {
    case .no: false
    case .now: true
    case .afterHandler: runner.isIdle ? !scheduler.isRunning : runner.mayStop
    }
  }
}
