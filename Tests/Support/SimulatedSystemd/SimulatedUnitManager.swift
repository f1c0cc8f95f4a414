public import Handlers
public import Timeline

/// A systemd whose answers come when the test says so, and a bus that can be lost.
public final class SimulatedUnitManager: UnitManager {
  /// A call under way: without it, its answer is dropped.
  private final class Call {}

  public var isConnected = true
  private var requests: [String] = []
  private var job: (JobAnswer, Instant) -> Void = { _, _ in }
  private var removed: (String, String, Instant) -> Void = { _, _, _ in }
  private var shuttingDown: (Bool, Instant) -> Void = { _, _ in }
  private var records: [(RecordAnswer, Instant) -> Void] = []

  public init() {}

  public func connect(_ now: Instant) { requests.append("connect") }

  public func start(_ unit: String, answered: @escaping (JobAnswer, Instant) -> Void) -> AnyObject? {
    call("start \(unit)") { call in job = { [weak call] in if call != nil { answered($0, $1) } } }
  }

  public func stop(_ unit: String, answered: @escaping (JobAnswer, Instant) -> Void) -> AnyObject? {
    call("stop \(unit)") { call in job = { [weak call] in if call != nil { answered($0, $1) } } }
  }

  public func jobsRemoved(_ removed: @escaping (String, String, Instant) -> Void) -> AnyObject? {
    call("follow jobs") { call in self.removed = { [weak call] in if call != nil { removed($0, $1, $2) } } }
  }

  public func isShuttingDown(answered: @escaping (Bool, Instant) -> Void) -> AnyObject? {
    call("shutting down?") { call in shuttingDown = { [weak call] in if call != nil { answered($0, $1) } } }
  }

  public func record(of unit: String, answered: @escaping (RecordAnswer, Instant) -> Void) -> AnyObject? {
    call("record \(unit)") { call in records.append { [weak call] in if call != nil { answered($0, $1) } } }
  }

  private func call(_ request: String, _ keep: (Call) -> Void) -> AnyObject? {
    guard isConnected else { return nil }
    requests.append(request)
    let call = Call()
    keep(call)
    return call
  }

  // MARK: What the test does

  /// What was asked since the last call.
  public func news() -> [String] {
    defer { requests = [] }
    return requests
  }

  public func answerJob(_ answer: JobAnswer, _ now: Instant) { job(answer, now) }

  public func jobEnds(_ job: String, _ result: String, _ now: Instant) { removed(job, result, now) }

  public func answerShuttingDown(_ answer: Bool, _ now: Instant) { shuttingDown(answer, now) }

  /// Answers the record that was asked for first.
  public func answerRecord(_ record: UnitRecord?, _ now: Instant) { answerRecord(.success(record), now) }

  public func answerRecord(_ answer: RecordAnswer, _ now: Instant) {
    if !records.isEmpty { records.removeFirst()(answer, now) }
  }

  /// Outstanding answers are lost.
  public func loseBus() {
    isConnected = false
    job = { _, _ in }
    removed = { _, _, _ in }
    shuttingDown = { _, _ in }
    records = []
  }
}
