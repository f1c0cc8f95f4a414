public import Timeline

/// Which update is applied next, when to recheck, and what blocks the updates that wait.
///
/// A value: inputs in, actions out, time as an argument. It requests each durable write and continues only when `stored`
/// is called, so an update is on disk before it is accepted, and marked as being applied before its handler starts.
///
/// Its inputs are in `Scheduler+Requests` (what people ask for), `Scheduler+Store` (what became of a write) and
/// `Scheduler+World` (screens, clocks, handlers); what it decides, in `Scheduler+Decision`; what blocks, in
/// `Scheduler+Blockers`.
public struct Scheduler: Sendable {
  /// What the caller must do, in the order of the returned list.
  public enum Action: Equatable, Sendable {
    /// Make this durable, then call `stored` or `storeFailed`.
    case store(StoreWrite)
    /// It is durable: answer 202.
    case accepted(UpdateID)
    /// It could not be made durable: answer with this reason. Nothing of it is kept.
    case refused(UpdateID, reason: StoreFailure)
    /// Read the slot tables of all screens, report what changed, then call `rechecked`.
    case recheck
    /// The last look before a start: drain the devices, read the slot tables, report what changed, then call
    /// `lastLookDone`.
    case lastLook(WorkID)
    /// Start its handler, and call `handlerEnded` when it ends. `releasedAt`: when the touch ended that the update
    /// waited for; nil if it did not wait for one.
    case start(Update, attempt: Int, releasedAt: Instant?)
    /// The turn begins; it ends with `leave`.
    case startTurn(Turn, releasedAt: Instant?)
    /// Is the handler that a former run of the service started still running? Then call `probed`.
    case probe(UpdateID)
    /// It has ended, and that is durable.
    case ended(UpdateID, UpdateResult)
    /// It was to be ended on request, and that could not be stored: it still waits.
    case notEnded(UpdateID, reason: StoreFailure)
    /// What somebody asked for is durable and done: `expedite`, `reopen`, `pause`, `hold`, `release`.
    case done(StoreWrite)
    /// It could not be made durable, and is not done.
    case notDone(StoreWrite, reason: StoreFailure)

    /// An update's handler or a turn starts.
    public var isStart: Bool {
      switch self {
      case .start, .startTurn: true
      case .store, .accepted, .refused, .recheck, .lastLook, .probe, .ended, .notEnded, .done, .notDone: false
      }
    }
  }

  struct Entry: Sendable {
    var work: Work
    /// Of a turn: 0.
    var attempts: Int
    let rechecksAtAcceptance: Int
    let acceptedAt: Instant
    var stage: Stage
    var expedited = Expedited.none
    /// Its deadline has passed and `onDeadline` was followed; that happens once.
    var isDeadlineMet = false
    var interruptions = 0
    /// Nil: no setback yet.
    var backoff: Backoff?
    /// What had blocked it before `sample`.
    var blocked = BlockedTimes()
    var sample: Sample?

    var update: Update? { work.update }
  }

  /// The sums at the moment an update began to wait for what it waits for now.
  struct Sample: Sendable {
    let reason: WaitingLine.Reason
    let since: Instant
    let shared: BlockedTimes
  }

  enum Stage: Equatable, Sendable {
    /// On its way into the store.
    case arriving
    case waiting
    /// On its way out: its end is being stored.
    case leaving
    case applying
  }

  /// The one update that is being applied.
  enum Current: Sendable {
    case marking(UpdateID)
    case lastLook(WorkID, releasedAt: Instant?)
    case running(WorkID)
    /// Its handler has succeeded; the machine has not rebooted yet.
    case awaitingReboot(UpdateID, until: Instant)
    /// Started by a former run of the service; not known whether its handler still runs.
    case orphan(UpdateID)
    /// Back to waiting; the write is on its way.
    case returning(UpdateID, attempts: Int)
    case finishing(UpdateID, UpdateResult)

    var id: WorkID {
      switch self {
      case .lastLook(let id, releasedAt: _), .running(let id):
        id
      case .marking(let id), .awaitingReboot(let id, until: _), .orphan(let id), .returning(let id, attempts: _),
        .finishing(let id, _):
        .update(id)
      }
    }
  }

  /// The default, for handlers without a policy of their own.
  public internal(set) var policy: HandlerPolicy
  /// The policies of handlers, by name.
  public internal(set) var policies: [String: HandlerPolicy]
  /// The time between two rechecks while anything waits.
  public internal(set) var interval: Duration
  /// The boot id of the machine (/proc/sys/kernel/random/boot_id): another one means that it has rebooted.
  public let boot: String
  var entries: [WorkID: Entry] = [:]
  var line = WaitingLine()
  var current: Current?
  var currentSince: Instant = .distantPast
  /// The write that `current` waits for failed; it is tried again at the next recheck.
  var mustWriteAgain = false
  var gateStates: [GateScope: GateState] = [:]
  /// Of the turns that wait or last.
  var turnIDs: Set<TurnID> = []
  /// Of the turns that are stored, because they have begun.
  var boundTurns: Set<TurnID> = []
  var gateStatesSince: Instant = .distantPast
  var holds: [HoldID: HeldUntil] = [:]
  private var holdsSoFar: Int64 = 0
  var paused: (pause: OperatorPause, since: Instant)?
  /// When each handler has rebooted the machine, whoever asked for it; in order.
  var reboots: [String: [WallTime]] = [:]
  /// Handlers without a receiver, since then; and the updates that wait for one.
  var withoutReceiver: [String: Instant] = [:]
  var parked: [String: Set<UpdateID>] = [:]
  /// By screen; nil: for updates of all screens.
  var sharedTimes: [String?: SharedTimes] = [nil: SharedTimes()]
  var rechecks = 0
  var nextRecheck: Instant?
  /// A contact came and went during the last look: nothing is started before the next recheck.
  var disturbedSince: Instant?
  /// A write failed then; nothing is started before the next recheck.
  var storeTrouble: (since: Instant, reason: StoreFailure)?
  var stoppingSince: Instant?
  /// Wall clock minus monotonic clock.
  var wallOffset: Duration = .zero
  /// Steady clock minus monotonic clock.
  var steadyOffset: Duration = .zero
  /// Whether the wall clock is known to be right. Once it is, it remains so.
  var isClockSet = true
  /// For times of day without a day.
  public let zone: any LocalZone
  /// Updates that have such times.
  var unresolved: Set<UpdateID> = []
  /// Updates whose times have changed, which is to be written.
  var retimed: Set<UpdateID> = []
  /// Holds whose end could not be written.
  var unreleased: Set<HoldID> = []
  var random: SplitMix64

  struct HeldUntil: Sendable {
    var hold: Hold
    let since: Instant
    /// Nil: its owner's connection ends it.
    var until: Instant?
    /// It was bound to a connection when the service was restarted, and its owner has not taken it again.
    var isKept = false
    /// Its owner has taken it again, but if that connection ends before then, it is kept: it may be of an attempt that the
    /// owner has given up.
    var keptUntil: Instant?
    /// By arrival in this run of the service.
    let number: Int64

    /// In order of arrival. Those of former runs came at the same moment here, and have only their times of day.
    static func isEarlier(_ a: HeldUntil, _ b: HeldUntil) -> Bool {
      (a.since, a.hold.since, a.number) < (b.since, b.hold.since, b.number)
    }
  }

  /// Puts a hold into force. One that is in force already keeps its place.
  mutating func put(
    _ hold: Hold, until: Instant?, isKept: Bool = false, keptUntil: Instant? = nil, at now: Instant
  ) {
    holdsSoFar += 1
    let former = holds[hold.id]
    holds[hold.id] = HeldUntil(
      hold: hold, since: former?.since ?? now, until: until, isKept: isKept, keptUntil: keptUntil,
      number: former?.number ?? holdsSoFar)
  }

  /// `seed` of the jitter in backoffs, so that a test knows them.
  public init(
    policy: HandlerPolicy, policies: [String: HandlerPolicy] = [:], interval: Duration, boot: String = "",
    seed: UInt64, zone: any LocalZone = FixedZone(.zero)
  ) {
    self.zone = zone
    self.policy = policy
    self.policies = policies
    self.interval = interval
    self.boot = boot
    random = SplitMix64(state: seed)
  }

  /// A scheduler with one policy for all handlers and an empty queue.
  public init(quietPeriod: Duration, interval: Duration) {
    self.init(policy: HandlerPolicy(quietPeriod: quietPeriod), interval: interval, seed: 0)
  }

  /// The policy for a handler's updates.
  public func policy(of handler: String) -> HandlerPolicy { policies[handler] ?? policy }

  func policy(of update: Update) -> HandlerPolicy { policy(of: update.handler) }

  func quietPeriod(of entry: Entry) -> Duration {
    switch entry.work {
    case .turn(let turn): turn.quietPeriod ?? policy.quietPeriod
    case .update where entry.expedited >= .apply || entry.isDeadlineMet: .zero
    case .update(let update): update.quietPeriod ?? policy(of: update).quietPeriod
    }
  }

  func wall(_ now: Instant) -> WallTime {
    WallTime(millisecondsSinceEpoch: ((now - Instant(nanoseconds: 0)) + wallOffset).wholeMilliseconds)
  }

  func steady(_ now: Instant) -> SteadyTime {
    SteadyTime(milliseconds: ((now - Instant(nanoseconds: 0)) + steadyOffset).wholeMilliseconds)
  }

  /// What the clocks say, as far as the last wake-up knew.
  public func clocks(_ now: Instant) -> Clocks { Clocks(wall: wall(now), isSet: isClockSet, steady: steady(now)) }

  /// On the monotonic clock.
  public func instant(_ time: SteadyTime) -> Instant {
    Instant(nanoseconds: 0) + (.milliseconds(time.milliseconds) - steadyOffset)
  }

  // MARK: Questions

  /// The update that is being applied: its handler runs, or is about to.
  public var applying: UpdateID? { current?.id.update }

  /// What nothing else is started beside: the update that is being applied, or the turn that has begun or is about to.
  public var inProgress: WorkID? { current?.id }

  /// A handler was started and its end has not been stored yet.
  public var isRunning: Bool {
    switch current {
    case .running, .finishing: true
    case nil, .marking, .lastLook, .awaitingReboot, .orphan, .returning: false
    }
  }

  /// `stop` was called: nothing is started any longer.
  public var isStopping: Bool { stoppingSince != nil }

  /// The operator has paused, and that is durable.
  public var isPaused: Bool { paused != nil }

  /// The operator's pause; nil: not paused.
  public var pause: OperatorPause? { paused?.pause }

  /// The holds in effect, oldest first.
  public var activeHolds: [Hold] {
    holds.values.sorted(by: HeldUntil.isEarlier).map(\.hold)
  }

  /// A hold that was bound to a connection, or a turn, when the service was restarted, and that its owner has not taken again.
  public func keptHold(_ id: HoldID) -> Hold? { holds[id].flatMap { $0.isKept ? $0.hold : nil } }

  /// The turns, the one that lasts first, then those that wait, in order of arrival.
  public var turns: [TurnState] {
    turnIDs.compactMap(turn).sorted {
      ($0.begun == nil ? 1 : 0, $0.turn.sequence) < ($1.begun == nil ? 1 : 0, $1.turn.sequence)
    }
  }

  /// The turn that lasts; nil: none.
  public var currentTurn: TurnState? { if case .turn(let id) = current?.id { turn(id) } else { nil } }

  private func turn(_ id: TurnID) -> TurnState? {
    guard case .turn(let turn) = entries[id]?.work else { return nil }
    return TurnState(turn: turn, begun: current?.id == .turn(id) ? currentSince : nil)
  }

  /// Number of waiting updates; turns are not counted.
  public var waitingCount: Int { line.load.count }

  /// Whether an update that waits has a time of day, not only spans.
  public var hasTimes: Bool {
    entries.values.contains {
      [$0.update?.notBefore, $0.update?.deadline].contains { moment in
        switch moment {
        case .wall, .daily: true
        case .steady, nil: false
        }
      }
    }
  }

  /// Whether a span is being counted: those of updates that wait, and of holds.
  public var isCountingSpans: Bool { line.count > 0 || holds.values.contains { $0.until != nil } }

  /// Whether an update or a turn waits.
  public var isAnythingWaiting: Bool { line.count > 0 }

  /// The first update that waits, by order of arrival.
  public var oldestWaiting: UpdateID? { line.oldest }

  /// Starts of the update's handler that count; nil: it has ended, is unknown, or is a turn.
  public func attempts(of id: UpdateID) -> Int? { entries[id].flatMap { $0.update == nil ? nil : $0.attempts } }

  /// An update that has not ended.
  public func update(_ id: UpdateID) -> Update? { entries[id]?.update }

  /// An update that has not ended, or a turn.
  public func work(_ id: WorkID) -> Work? { entries[id]?.work }

  /// Rechecks since the service accepted the update or, after a restart, loaded it.
  public func rechecks(of id: UpdateID) -> Int? {
    entries[id].flatMap { $0.update == nil ? nil : rechecks - $0.rechecksAtAcceptance }
  }

  /// Number of waiting updates of one user.
  public func waitingCount(of user: UInt32) -> Int { line.load(of: user).count }

  /// Payloads and parameters of all waiting updates, in bytes.
  public var waitingBytes: Int { line.load.bytes }

  /// Payloads and parameters of the waiting updates of one user, in bytes.
  public func waitingBytes(of user: UInt32) -> Int { line.load(of: user).bytes }

  /// The update waits only for what is being applied.
  public func isForced(_ id: UpdateID) -> Bool { line.waiting(.update(id)) == .nothing }

  /// The update waits.
  public func isWaiting(_ id: UpdateID) -> Bool { line.contains(.update(id)) }

  /// The id names a hold or a turn, waiting or begun.
  public func isHoldOrTurn(_ text: String) -> Bool {
    HoldID(text).map { holds[$0] != nil } == true || TurnID(text).map { entries[$0] != nil } == true
  }

  /// When `timePassed` is due; nil: nothing waits, and no timer runs.
  public var nextDeadline: Instant? {
    let mayStart = current == nil && storeTrouble == nil && stoppingSince == nil && disturbedSince == nil
    var due = line.nextDeadline(
      wall: wallOffset, steady: steadyOffset, isClockSet: isClockSet, ends: storeTrouble == nil
    ) { mayStart ? opensAt($0) : nil }
    if case .awaitingReboot(_, let until) = current, stoppingSince == nil { due = min(due ?? until, until) }
    for until in holds.values.compactMap(\.until) where storeTrouble == nil { due = min(due ?? until, until) }
    guard let due else { return nextRecheck }
    return min(nextRecheck ?? due, due)
  }
}
