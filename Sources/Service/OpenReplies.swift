import HTTPTypes
import Scheduling
import ServiceConfiguration
import Timeline

/// Replies that stay open: holds, turns and receivers last as long as their client's connection, so the kernel ends what
/// a dead process held. A value; its owner writes to the streams.
struct OpenReplies {
  /// The purpose of a reply that stays open.
  enum Owner: Equatable {
    case hold(HoldID)
    case turn(TurnID)
    case events
    /// An application that applies updates of this handler itself.
    case receiver(handler: String)
  }

  /// A client waits for a turn, or has it.
  struct OpenTurn: Equatable {
    let token: RequestToken
    /// The last moment to wait; nil: as long as it takes.
    let deadline: Instant?
    let guardKind: GuardKind
    /// Only the quiet moment counts: the turn ends as it begins (`GET /v1/quiet`).
    let isMoment: Bool
    /// How long the turn lasts at most; nil: as long as its owner wants.
    var longest: Duration?
    /// It has begun; it ends then at the latest (nil: as its owner wants).
    var lasts: Lasting?

    struct Lasting: Equatable {
      let ends: Instant?
    }

    var hasStarted: Bool { lasts != nil }
  }

  struct Receiver: Equatable {
    let token: RequestToken
    let handler: String
    let user: UInt32
  }

  private var owners: [RequestToken: Owner] = [:]
  private var turns: [TurnID: OpenTurn] = [:]
  private var holdEnds: [HoldID: Instant] = [:]
  /// In the order in which they connected: the first is offered an update first.
  private var receivers: [Receiver] = []

  // MARK: Holds and readers

  /// `ends`: of a hold, when it ends at the latest; nil: as its owner wants.
  mutating func open(_ owner: Owner, _ token: RequestToken, ends: Instant? = nil) {
    owners[token] = owner
    if case .hold(let id) = owner { holdEnds[id] = ends }
  }

  /// A hold that has lasted as long as it may.
  func overrunHold(at now: Instant) -> HoldID? { holdEnds.first { $0.value <= now }?.key }

  /// Forgets the stream of a hold that was released by another request.
  ///
  /// - Returns: the stream to be closed.
  mutating func closeHold(_ id: HoldID) -> RequestToken? {
    guard let token = owners.first(where: { $0.value == .hold(id) })?.key else { return nil }
    owners[token] = nil
    holdEnds[id] = nil
    return token
  }

  /// All streams, for the end of the service.
  var all: [(token: RequestToken, owner: Owner)] { owners.map { ($0.key, $0.value) } }

  // MARK: Turns

  mutating func awaitTurn(_ id: TurnID, _ turn: OpenTurn) { turns[id] = turn }

  func turn(_ id: TurnID) -> OpenTurn? { turns[id] }

  /// The turn begins. One that is only about the moment is over with that; the stream of any other is open from now on.
  mutating func startTurn(_ id: TurnID, at now: Instant) -> OpenTurn? {
    guard var turn = turns[id] else { return nil }
    if turn.isMoment {
      turns[id] = nil
    } else {
      turn.lasts = .init(ends: turn.longest.map { now + $0 })
      turns[id] = turn
      owners[turn.token] = .turn(id)
    }
    return turn
  }

  mutating func endTurn(_ id: TurnID) -> OpenTurn? {
    guard let turn = turns.removeValue(forKey: id) else { return nil }
    owners[turn.token] = nil
    return turn
  }

  /// Waiting turns whose timeout has passed.
  func overdueTurns(at now: Instant) -> [TurnID] {
    turns.filter { !$0.value.hasStarted && $0.value.deadline.map { $0 <= now } == true }.map(\.key)
      .sorted { $0.text < $1.text }
  }

  /// The turn that has lasted as long as it may.
  func overrunTurn(at now: Instant) -> TurnID? {
    turns.first { $0.value.lasts?.ends.map { $0 <= now } == true }?.key
  }

  var nextDeadline: Instant? {
    (turns.values.compactMap { $0.hasStarted ? $0.lasts?.ends : $0.deadline } + holdEnds.values).min()
  }

  // MARK: Receivers

  mutating func connect(_ receiver: Receiver) {
    receivers.append(receiver)
    owners[receiver.token] = .receiver(handler: receiver.handler)
  }

  func receivers(of handler: String) -> [Receiver] { receivers.filter { $0.handler == handler } }

  func receiver(_ token: RequestToken) -> Receiver? { receivers.first { $0.token == token } }

  // MARK: Clients that are gone

  /// What ends with a client's connection.
  enum Ended: Equatable {
    case hold(HoldID)
    case turn(TurnID)
    case reader
    /// `isLast`: no other application is connected for this handler.
    case receiver(handler: String, isLast: Bool)
  }

  mutating func gone(_ token: RequestToken) -> Ended? {
    // A turn that has not begun has no stream yet.
    if let waiting = turns.first(where: { $0.value.token == token }) {
      owners[token] = nil
      return .turn(waiting.key)
    }
    switch owners.removeValue(forKey: token) {
    case .hold(let id):
      holdEnds[id] = nil
      return .hold(id)
    case .turn(let id): return .turn(id)
    case .events: return .reader
    case .receiver(let handler):
      receivers.removeAll { $0.token == token }
      return .receiver(handler: handler, isLast: receivers(of: handler).isEmpty)
    case nil: return nil
    }
  }
}
