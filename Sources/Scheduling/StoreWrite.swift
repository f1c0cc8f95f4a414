/// One change of the durable queue. The scheduler asks for it as an action and continues when the change is durable.
public enum StoreWrite: Equatable, Sendable {
  /// A new update, waiting.
  case accept(Update, payload: [UInt8])
  /// A new update that takes the place of one that waits, which ends.
  case replace(UpdateID, UpdateResult, with: Update, payload: [UInt8])
  /// A new update that ends at once, because one of its key waits already.
  case acceptEnded(Update, payload: [UInt8], UpdateResult)
  /// Its handler is about to be started; `attempt` counts from 1. `boot`: the boot id of the machine. `overrode`: what
  /// blocked an update that is forced.
  case beginApplying(UpdateID, attempt: Int, boot: String = "", overrode: [Blocker.Code] = [])
  /// It waits again; after a touch during the last look the attempt is taken back. `interruptions`: how often the
  /// service or the machine has died while its handler ran.
  case backToWaiting(UpdateID, attempts: Int, backoff: StoredBackoff? = nil, interruptions: Int = 0)
  /// Somebody moved it forward.
  case expedite(UpdateID, Expedited)
  case finish(UpdateID, UpdateResult)
  /// An update that had ended waits again, with all its attempts, as given here (the deadline may be gone).
  case reopen(Update)
  /// Its `notBefore` and its deadline are as given here: a time of day has got its day, or the machine was off.
  case retime(Update)
  /// The operator pauses the service; nil: resumes it.
  case pause(OperatorPause?)
  /// A hold with an end of its own.
  case hold(Hold)
  /// A hold or a turn that ends with a connection. It is in force already.
  case bind(BoundHold)
  /// Of either kind.
  case release(HoldID)

  /// The update that it is about; of two, the new one; nil: none.
  public var id: UpdateID? {
    switch self {
    case .accept(let update, payload: _), .replace(_, _, with: let update, payload: _),
      .acceptEnded(let update, payload: _, _), .reopen(let update), .retime(let update):
      update.id
    case .beginApplying(let id, attempt: _, boot: _, overrode: _),
      .backToWaiting(let id, attempts: _, backoff: _, interruptions: _),
      .expedite(let id, _), .finish(let id, _):
      id
    case .pause, .hold, .bind, .release: nil
    }
  }
}

extension StoreWrite {
  /// Whether it adds an update to the queue.
  public var bringsUpdate: Bool {
    switch self {
    case .accept, .replace, .acceptEnded: true
    case .beginApplying, .backToWaiting, .expedite, .finish, .reopen, .retime, .pause, .hold, .bind, .release: false
    }
  }

  /// Whether it answers somebody's request; of the others the scheduler has need.
  public var isAsked: Bool {
    switch self {
    case .accept, .replace, .acceptEnded, .expedite, .reopen, .pause, .hold: true
    case .beginApplying, .backToWaiting, .finish, .retime, .bind, .release: false
    }
  }

  /// How an update ends by it; nil: none does.
  public var end: UpdateResult? {
    switch self {
    case .replace(_, let result, with: _, payload: _), .acceptEnded(_, payload: _, let result), .finish(_, let result):
      result
    case .accept, .beginApplying, .backToWaiting, .expedite, .reopen, .retime, .pause, .hold, .bind, .release: nil
    }
  }
}

/// An update as the store holds it.
public struct StoredUpdate: Equatable, Sendable {
  /// The state of a stored update.
  public enum State: Equatable, Sendable {
    case waiting
    case applying
    case finished(UpdateResult)

    /// The word of the socket and of the store.
    public var name: String {
      switch self {
      case .waiting: "waiting"
      case .applying: "applying"
      case .finished(let result): result.state.rawValue
      }
    }
  }

  /// The part that never changes.
  public let update: Update
  /// Starts of its handler that count against `HandlerPolicy.attempts`.
  public var attempts: Int
  /// Waiting, applying or finished.
  public var state: State
  /// What it no longer waits for.
  public var expedited: Expedited
  /// The last backoff; nil: no failure yet, or it was expedited since.
  public var backoff: StoredBackoff?
  /// How often the service or the machine stopped unexpectedly while its handler ran.
  public var interruptions: Int
  /// The boot id under which its handler was started last; empty: never.
  public var boot: String
  /// What blocked it when it was forced; empty if it was not.
  public var overrode: [Blocker.Code]

  /// For how long each blocker has blocked it: to its end, or until the service was last stopped.
  public var blocked: BlockedTimes

  public init(
    update: Update, attempts: Int, state: State, expedited: Expedited = .none, backoff: StoredBackoff? = nil,
    interruptions: Int = 0, boot: String = "", overrode: [Blocker.Code] = [],
    blocked: BlockedTimes = BlockedTimes()
  ) {
    self.blocked = blocked
    self.update = update
    self.attempts = attempts
    self.state = state
    self.expedited = expedited
    self.backoff = backoff
    self.interruptions = interruptions
    self.boot = boot
    self.overrode = overrode
  }
}
