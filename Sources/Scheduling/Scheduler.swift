public import Timeline

/// Which update is applied next, when to look again, and what blocks what waits.
///
/// A value: inputs in, actions out, time as an argument. It asks for a durable write and goes on only when it is told
/// `stored`; so an update is on disk before it is accepted, and marked as being applied before its handler starts.
///
/// Its inputs are in `Scheduler+Requests` (what people ask for), `Scheduler+Store` (what became of a write) and
/// `Scheduler+World` (screens, clocks, handlers); what it decides, in `Scheduler+Decision`; what blocks, in
/// `Scheduler+Blockers`.
public struct Scheduler: Sendable {
  public enum Action: Equatable, Sendable {
    /// Make this durable, then call `stored` or `storeFailed`.
    case store(StoreWrite)
    /// It is durable: answer 202.
    case accepted(UpdateID)
    /// It could not be made durable: answer with this reason. Nothing of it is kept.
    case refused(UpdateID, reason: String)
    /// Read the kernel's tables of all screens, tell what changed, then call `looked`.
    case lookAgain
    /// The last look before the handler starts: drain, read the tables, tell what changed, then call `verified`.
    case verify(UpdateID)
    /// Start its handler; then, some time, call `handlerEnded`. `releasedAt`: when the touch ended that it waited
    /// for; nil where it did not wait for one.
    case start(Update, attempt: Int, releasedAt: Instant?)
    /// The turn begins; it ends with `leave`.
    case startTurn(Turn, releasedAt: Instant?)
    /// Is the handler that a former run of the service started still running? Then call `probed`.
    case probe(UpdateID)
    /// It has ended, and that is durable.
    case ended(UpdateID, UpdateResult)
    /// It was to be ended on request, and that could not be stored: it goes on waiting.
    case notEnded(UpdateID, reason: String)
    /// What somebody asked for is durable and done: `hurry`, `reopen`, `pause`, `hold`, `release`.
    case done(StoreWrite)
    /// It could not be made durable, and is not done.
    case notDone(StoreWrite, reason: String)

    /// An update's handler or a turn starts.
    public var isStart: Bool {
      switch self {
      case .start, .startTurn: true
      case .store, .accepted, .refused, .lookAgain, .verify, .probe, .ended, .notEnded, .done, .notDone: false
      }
    }
  }

  struct Entry: Sendable {
    let work: Work
    /// Of a turn: 0.
    var attempts: Int
    let acceptedTick: Int
    let acceptedAt: Instant
    var stage: Stage
    var urgency = Urgency.none
    /// `onDeadline` was followed; it is told once.
    var isDeadlineMet = false
    var interruptions = 0
    /// Nil: no setback yet.
    var backoff: Backoff?
    /// What was in its way up to `sample`.
    var blocked = BlockedTimes()
    var sample: Sample?

    var update: Update? { work.update }
  }

  /// How things stood when an update began to wait for what it waits for now.
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
    case verifying(UpdateID, releasedAt: Instant?)
    case running(UpdateID)
    /// Its handler has succeeded; the machine has not rebooted yet.
    case awaitingReboot(UpdateID, until: Instant)
    /// Started by a former run of the service; not known whether its handler still runs.
    case orphan(UpdateID)
    /// Back to waiting; the write is on its way.
    case returning(UpdateID, attempts: Int)
    case finishing(UpdateID, UpdateResult)

    var id: UpdateID {
      switch self {
      case .marking(let id), .verifying(let id, releasedAt: _), .running(let id), .awaitingReboot(let id, until: _),
        .orphan(let id), .returning(let id, attempts: _), .finishing(let id, _):
        id
      }
    }
  }

  struct RebootKey: Hashable, Sendable {
    let handler: String
    let key: String?
  }

  /// The service's own, for handlers that say nothing.
  public internal(set) var policy: HandlerPolicy
  public internal(set) var policies: [String: HandlerPolicy]
  /// How often it looks again while anything waits.
  public internal(set) var interval: Duration
  /// The boot id of the machine (/proc/sys/kernel/random/boot_id): another one means that it has rebooted.
  public let boot: String
  var entries: [UpdateID: Entry] = [:]
  var line = WaitingLine()
  var current: Current?
  var currentSince: Instant = .distantPast
  /// The write that `current` waits for could not be done; again at the next look.
  var mustWriteAgain = false
  var passages: [String: Passage] = [:]
  var passagesSince: Instant = .distantPast
  var holds: [HoldID: HeldUntil] = [:]
  var paused: (pause: OperatorPause, since: Instant)?
  var reboots: [RebootKey: [WallTime]] = [:]
  /// Handlers that nobody is there to play, since then; and what waits for it.
  var withoutReceiver: [String: Instant] = [:]
  var parked: [String: Set<UpdateID>] = [:]
  /// By screen; nil: for updates of all screens.
  var sharedTimes: [String?: SharedTimes] = [nil: SharedTimes()]
  var ticks = 0
  var nextTick: Instant?
  /// Somebody touched between the mark and the start, and is gone already: nothing is started before the next look.
  var disturbedSince: Instant?
  /// A write failed then; nothing is started until the next look.
  var storeTrouble: (since: Instant, reason: String)?
  var stoppingSince: Instant?
  /// Wall clock minus monotonic clock.
  var wallOffset: Duration = .zero
  var random: SplitMix64

  struct HeldUntil: Sendable {
    let hold: Hold
    let since: Instant
    /// Nil: its owner's connection ends it.
    let until: Instant?
  }

  /// `seed` of the jitter in backoffs, so that a test knows them.
  public init(
    policy: HandlerPolicy, policies: [String: HandlerPolicy] = [:], interval: Duration, boot: String = "",
    seed: UInt64
  ) {
    self.policy = policy
    self.policies = policies
    self.interval = interval
    self.boot = boot
    random = SplitMix64(state: seed)
  }

  public init(quietPeriod: Duration, interval: Duration) {
    self.init(policy: HandlerPolicy(quietPeriod: quietPeriod), interval: interval, seed: 0)
  }

  /// What holds for a handler's updates.
  public func policy(of handler: String) -> HandlerPolicy { policies[handler] ?? policy }

  func policy(of update: Update) -> HandlerPolicy { policy(of: update.handler) }

  func quietPeriod(of entry: Entry) -> Duration {
    switch entry.work {
    case .turn(let turn): turn.quietPeriod ?? policy.quietPeriod
    case .update where entry.urgency >= .apply || entry.isDeadlineMet: .zero
    case .update(let update): update.quietPeriod ?? policy(of: update).quietPeriod
    }
  }

  func wall(_ now: Instant) -> WallTime {
    WallTime(millisecondsSinceEpoch: ((now - Instant(nanoseconds: 0)) + wallOffset).wholeMilliseconds)
  }

  // MARK: Questions

  /// The update that is being applied: its handler runs, or is about to.
  public var applying: UpdateID? { current?.id }

  /// A handler was started and its end has not been stored yet.
  public var isRunning: Bool {
    switch current {
    case .running, .finishing: true
    case nil, .marking, .verifying, .awaitingReboot, .orphan, .returning: false
    }
  }

  public var isStopping: Bool { stoppingSince != nil }

  public var isPaused: Bool { paused != nil }

  public var pause: OperatorPause? { paused?.pause }

  public var activeHolds: [Hold] {
    holds.values.map(\.hold).sorted { ($0.since, $0.id.text) < ($1.since, $1.id.text) }
  }

  /// Updates that wait; turns are not counted.
  public var waitingCount: Int { line.load.count }

  /// Whether an update or a turn waits.
  public var isAnythingWaiting: Bool { line.count > 0 }

  /// The first update that waits, by order of arrival.
  public var oldestWaiting: UpdateID? { line.oldest }

  public func attempts(of id: UpdateID) -> Int? { entries[id].flatMap { $0.update == nil ? nil : $0.attempts } }

  /// An update that has not ended.
  public func update(_ id: UpdateID) -> Update? { entries[id]?.update }

  /// An update that has not ended, or a turn.
  public func work(_ id: UpdateID) -> Work? { entries[id]?.work }

  /// How often the service looked again since it accepted (or, after a restart, loaded) the update.
  public func checks(of id: UpdateID) -> Int? {
    entries[id].flatMap { $0.update == nil ? nil : ticks - $0.acceptedTick }
  }

  /// So many wait of one user.
  public func waitingCount(of user: UInt32) -> Int { line.load(of: user).count }

  /// Payloads and parameters of all that wait.
  public var waitingBytes: Int { line.load.bytes }

  public func waitingBytes(of user: UInt32) -> Int { line.load(of: user).bytes }

  /// The one that waits with this key; nil: none, or it is only on its way into the store.
  public func waiting(handler: String, key: String) -> UpdateID? { line.member(handler: handler, key: key) }

  /// An update or a turn.
  public func isWaiting(_ id: UpdateID) -> Bool { line.contains(id) }

  /// When `timePassed` is due; nil: nothing waits, and no timer runs.
  public var nextDeadline: Instant? {
    let mayStart = current == nil && storeTrouble == nil && stoppingSince == nil && disturbedSince == nil
    var due = line.nextDeadline(offset: wallOffset, ends: storeTrouble == nil) { mayStart ? opensAt($0) : nil }
    if case .awaitingReboot(_, let until) = current, stoppingSince == nil { due = min(due ?? until, until) }
    for until in holds.values.compactMap(\.until) where storeTrouble == nil { due = min(due ?? until, until) }
    guard let due else { return nextTick }
    return min(nextTick ?? due, due)
  }
}
