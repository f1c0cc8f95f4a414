public import Timeline

/// The pending calls and the state of the motor: decides when each action runs.
///
/// A value: inputs in, outputs out, time as an argument. Every call gets exactly one `run`, whatever the motor does and
/// in whatever order: immediately if there is no working motor, otherwise together with the pulse, and at the latest
/// `grace` after the lead.
public struct FeedbackCalls: Sendable {
  public typealias ID = Int

  public enum Output: Equatable, Sendable {
    /// Open the device, upload the effects of this kind, then report `prepared` or `failed`.
    case prepare(FeedbackKind)
    /// Write the whole pattern unless it is later than `until`, then report `played`, `missed` or `failed`.
    case play(ID, FeedbackKind, until: Instant)
    /// Close the device, which was not needed for a while.
    case release
    /// Run the action of the call now.
    case run(ID, Ending)
  }

  public enum Ending: Equatable, Sendable {
    /// Its pulse has begun.
    case played
    /// No pulse was played, for this reason.
    case silent(String)
  }

  private enum Motor: Equatable, Sendable {
    case absent(String)
    /// A device was chosen; the pending preparations, by kind.
    case present([FeedbackKind: Readiness])
    /// A system call on the device has not returned in time. No call waits for it.
    case stuck([FeedbackKind: Readiness])
    /// The device refused. It is retried from this time on, when it is needed.
    case broken(String, retry: Instant)
    case stopped
  }

  private enum Readiness: Equatable, Sendable {
    case asked
    case ready
  }

  private struct Call: Sendable {
    let kind: FeedbackKind
    let due: Instant
    var isFiring = false

    var deadline: Instant { due + FeedbackCalls.grace }
  }

  /// How long the motor may take to answer after the lead; the rest of the 20 ms is for the loop.
  public static let grace: Duration = .milliseconds(15)
  /// After this time without use the device is closed, so that it can suspend.
  public static let idleTime: Duration = .seconds(30)
  /// Time between two attempts with a device that refused.
  public static let retryTime: Duration = .seconds(5)

  private var motor = Motor.absent("the search for a device has not finished yet")
  private var calls: [ID: Call] = [:]
  private var nextID = 0
  /// Kinds that were prepared ahead, with the end of the preparation.
  private var ahead: [FeedbackKind: Instant] = [:]
  private var lastUse = Instant.distantPast
  private var lastKind = FeedbackKind.selection

  public init() {}

  // MARK: Queries

  /// Why no pulse is played; nil: a call would play one.
  public var silentBecause: String? {
    switch motor {
    case .absent(let reason), .broken(let reason, retry: _): reason
    case .present: nil
    case .stuck: "a system call on the device has not returned yet (the kernel gives up after 30 s)"
    case .stopped: "the service is stopping"
    }
  }

  public var nextDeadline: Instant? {
    var deadlines = calls.values.map { $0.isFiring || !isReady($0.kind) ? $0.deadline : $0.due }
    if case .present(let kinds) = motor, !kinds.isEmpty, calls.isEmpty { deadlines.append(idleDue) }
    return deadlines.min()
  }

  private var idleDue: Instant { max(lastUse + Self.idleTime, ahead.values.max() ?? .distantPast) }

  private func isReady(_ kind: FeedbackKind) -> Bool {
    if case .present(let kinds) = motor { kinds[kind] == .ready } else { false }
  }

  // MARK: Inputs from callers

  /// A call of this kind will probably come before `until`; it then needs no lead.
  public mutating func prepare(_ kind: FeedbackKind, until: Instant, at now: Instant) -> [Output] {
    ahead[kind] = until
    return want(kind, now)
  }

  /// A new call; outputs refer to it by its id. A kind that was prepared ahead needs no lead.
  public mutating func call(_ kind: FeedbackKind, lead: Duration, at now: Instant) -> (id: ID, [Output]) {
    let id = nextID
    nextID += 1
    guard case .present = motor else {
      return (id, [.run(id, .silent(silentBecause ?? ""))] + want(kind, now))
    }
    let isAhead = ahead.removeValue(forKey: kind).map { $0 > now } ?? false
    calls[id] = Call(kind: kind, due: isAhead ? now : now + lead)
    return (id, want(kind, now) + fire(now))
  }

  public mutating func stop() -> [Output] {
    motor = .stopped
    return runAll("the service is stopping")
  }

  public mutating func timePassed(_ now: Instant) -> [Output] {
    ahead = ahead.filter { $0.value > now }
    var outputs = fire(now)
    for (id, call) in calls.sorted(by: { $0.key < $1.key }) where call.deadline <= now {
      calls[id] = nil
      outputs.append(.run(id, .silent("the device did not answer in time")))
      // A request that the motor has not answered by now may take 30 s in the kernel. If there is none, the loop was
      // late.
      if case .present(let kinds) = motor, call.isFiring || kinds[call.kind] == .asked { motor = .stuck(kinds) }
    }
    if case .present(let kinds) = motor, !kinds.isEmpty, calls.isEmpty, idleDue <= now {
      motor = .present([:])
      outputs.append(.release)
    }
    return outputs
  }

  // MARK: Inputs from the motor

  /// A different device was chosen.
  public mutating func found(at now: Instant) -> [Output] {
    if motor == .stopped { return [] }
    let outputs = runAll("the device was changed")
    motor = .present([:])
    return outputs + ahead.filter { $0.value > now }.keys.sorted { $0.rawValue < $1.rawValue }.flatMap { want($0, now) }
  }

  /// There is no device any longer, for this reason.
  public mutating func gone(_ reason: String) -> [Output] {
    if motor == .stopped { return [] }
    motor = .absent(reason)
    return runAll(reason)
  }

  /// The device that refused may work now, for example because its permissions have changed: it is retried immediately.
  /// Until it answers, the reason for its silence stays.
  public mutating func mayWorkAgain(at now: Instant) -> [Output] {
    guard case .broken(let reason, retry: _) = motor else { return [] }
    motor = .broken(reason, retry: now)
    return want(lastKind, now)
  }

  public mutating func prepared(_ kind: FeedbackKind, at now: Instant) -> [Output] {
    switch motor {
    case .present(var kinds), .stuck(var kinds):
      kinds[kind] = .ready
      motor = .present(kinds)
    case .broken:
      motor = .present([kind: .ready])
    case .absent, .stopped:
      break
    }
    return fire(now)
  }

  public mutating func played(_ id: ID) -> [Output] {
    unstick()
    return calls.removeValue(forKey: id) == nil ? [] : [.run(id, .played)]
  }

  /// The pulse reached the motor too late to be played.
  public mutating func missed(_ id: ID) -> [Output] {
    unstick()
    return calls.removeValue(forKey: id) == nil ? [] : [.run(id, .silent("the device did not answer in time"))]
  }

  /// The device refused and was closed.
  public mutating func failed(_ reason: String, at now: Instant) -> [Output] {
    switch motor {
    case .absent, .stopped: return []
    case .present, .stuck, .broken: break
    }
    motor = .broken(reason, retry: now + Self.retryTime)
    return runAll(reason)
  }

  // MARK: -

  private mutating func unstick() {
    if case .stuck(let kinds) = motor { motor = .present(kinds) }
  }

  private mutating func want(_ kind: FeedbackKind, _ now: Instant) -> [Output] {
    (lastUse, lastKind) = (now, kind)
    switch motor {
    case .present(var kinds):
      if kinds[kind] != nil { return [] }
      kinds[kind] = .asked
      motor = .present(kinds)
      return [.prepare(kind)]
    case .broken(let reason, let retry) where retry <= now:
      motor = .broken(reason, retry: now + Self.retryTime)
      return [.prepare(kind)]
    case .broken, .absent, .stuck, .stopped:
      return []
    }
  }

  private mutating func fire(_ now: Instant) -> [Output] {
    var outputs: [Output] = []
    for (id, call) in calls.sorted(by: { $0.key < $1.key })
    where !call.isFiring && call.due <= now && call.deadline > now && isReady(call.kind) {
      calls[id]?.isFiring = true
      outputs.append(.play(id, call.kind, until: call.deadline))
    }
    return outputs
  }

  private mutating func runAll(_ reason: String) -> [Output] {
    let ids = calls.keys.sorted()
    calls = [:]
    return ids.map { .run($0, .silent(reason)) }
  }
}
