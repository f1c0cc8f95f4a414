/// One change of the durable queue. The scheduler asks for it as an action and goes on only when it is told that the
/// change is durable.
public enum StoreWrite: Equatable, Sendable {
  /// A new update, waiting.
  case accept(Update, payload: [UInt8])
  /// A new update that takes the place of one that waits, which ends.
  case replace(UpdateID, UpdateResult, with: Update, payload: [UInt8])
  /// A new update that ends at once, because one of its key waits already.
  case acceptEnded(Update, payload: [UInt8], UpdateResult)
  /// Its handler is about to be started; `attempt` counts from 1. `boot`: the boot id of the machine. `overrode`: the
  /// codes of what was in its way, where it is forced.
  case beginApplying(UpdateID, attempt: Int, boot: String = "", overrode: [Blocker.Code] = [])
  /// It waits again; where a touch came in between, the attempt is taken back. `interruptions`: so often the service or the
  /// machine has died under its handler.
  case backToWaiting(UpdateID, attempts: Int, backoff: StoredBackoff? = nil, interruptions: Int = 0)
  /// It waits for less from now on.
  case hurry(UpdateID, Urgency)
  case finish(UpdateID, UpdateResult)
  /// An update that had ended waits again, with all its attempts; as it is given here (the deadline may be gone).
  case reopen(Update)
  /// Nothing is applied until somebody says so. Nil: that is over.
  case pause(OperatorPause?)
  /// A hold with a time to live; the other kind is not stored.
  case hold(Hold)
  case release(HoldID)

  /// The update that it is about; the new one where there are two; nil: none.
  public var id: UpdateID? {
    switch self {
    case .accept(let update, payload: _), .replace(_, _, with: let update, payload: _),
      .acceptEnded(let update, payload: _, _), .reopen(let update):
      update.id
    case .beginApplying(let id, attempt: _, boot: _, overrode: _),
      .backToWaiting(let id, attempts: _, backoff: _, interruptions: _),
      .hurry(let id, _), .finish(let id, _):
      id
    case .pause, .hold, .release: nil
    }
  }
}

extension StoreWrite {
  /// Whether it needs room for an update that was not there before.
  public var bringsUpdate: Bool {
    switch self {
    case .accept, .replace, .acceptEnded: true
    case .beginApplying, .backToWaiting, .hurry, .finish, .reopen, .pause, .hold, .release: false
    }
  }

  /// How an update ends by it; nil: none does.
  public var end: UpdateResult? {
    switch self {
    case .replace(_, let result, with: _, payload: _), .acceptEnded(_, payload: _, let result), .finish(_, let result):
      result
    case .accept, .beginApplying, .backToWaiting, .hurry, .reopen, .pause, .hold, .release: nil
    }
  }
}

/// An update as the store holds it.
public struct StoredUpdate: Equatable, Sendable {
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

  public let update: Update
  public var attempts: Int
  public var state: State
  public var urgency: Urgency
  public var backoff: StoredBackoff?
  public var interruptions: Int
  /// The boot id under which its handler was started last; empty: never.
  public var boot: String
  /// What was in its way when it was forced; empty: it was not.
  public var overrode: [Blocker.Code]

  /// How long what was in its way: to its end, or up to when the service was last stopped.
  public var blocked: BlockedTimes

  public init(
    update: Update, attempts: Int, state: State, urgency: Urgency = .none, backoff: StoredBackoff? = nil,
    interruptions: Int = 0, boot: String = "", overrode: [Blocker.Code] = [],
    blocked: BlockedTimes = BlockedTimes()
  ) {
    self.blocked = blocked
    self.update = update
    self.attempts = attempts
    self.state = state
    self.urgency = urgency
    self.backoff = backoff
    self.interruptions = interruptions
    self.boot = boot
    self.overrode = overrode
  }
}
