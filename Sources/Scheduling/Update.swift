public import Timeline

/// The name of an update: the client's own, or a ULID. 1 to 64 characters of `A-Za-z0-9._-`, so that it can stand in
/// a URL, a unit name, a file name and a log line as it is; not `.` or `..`.
public struct UpdateID: Hashable, Sendable, CustomStringConvertible {
  public let text: String

  public init?(_ text: String) {
    guard (1...64).contains(text.utf8.count), text != ".", text != ".." else { return nil }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        continue
      default:
        return nil
      }
    }
    self.text = text
  }

  /// A ULID: 48 bits of time, then 80 bits from `random` (the caller's randomness; its low 16 bits of `high` and
  /// all of `low`), in Crockford's base 32. Sorts by time. Rule: github.com/ulid/spec.
  public init(time: WallTime, randomHigh: UInt16, randomLow: UInt64) {
    let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    let milliseconds = UInt64(bitPattern: time.millisecondsSinceEpoch) & 0xffff_ffff_ffff
    var value = (UInt128(milliseconds) << 80) | (UInt128(randomHigh) << 64) | UInt128(randomLow)
    var characters = [UInt8](repeating: 0, count: 26)
    for index in stride(from: 25, through: 0, by: -1) {
      characters[index] = alphabet[Int(value & 31)]
      value >>= 5
    }
    text = String(decoding: characters, as: UTF8.self)
  }

  public var description: String { text }
}

/// What was asked for: the part of an update that never changes after it was accepted. The payload is not here: it
/// may be a mebibyte and lives in the store only.
public struct Update: Equatable, Sendable {
  public let id: UpdateID
  public let handler: String
  public let parameters: [String: String]
  public let createdAt: WallTime
  /// Who submitted it, from the kernel (SO_PEERCRED).
  public let submitter: Submitter
  /// Number of arrival; unique, given by the service, grows.
  public let sequence: Int64
  /// Place in the order: the number of arrival, or that of the update whose place it took (`key`).
  public var place: Int64
  /// Updates of one handler with the same key are about the same thing; nil: this one is about nothing else.
  public let key: String?
  /// Higher is applied first; 0 where nobody asked.
  public let priority: Int
  /// How long nobody may have touched; nil: as the handler, or the service, says.
  public let quietPeriod: Duration?
  /// Not to be applied earlier.
  public let notBefore: WallTime?
  public let deadline: WallTime?
  public let onDeadline: OnDeadline

  public init(
    id: UpdateID, handler: String, parameters: [String: String], createdAt: WallTime, submitter: Submitter,
    sequence: Int64, place: Int64? = nil, key: String? = nil, priority: Int = 0, quietPeriod: Duration? = nil,
    notBefore: WallTime? = nil, deadline: WallTime? = nil, onDeadline: OnDeadline = .expire
  ) {
    self.id = id
    self.handler = handler
    self.parameters = parameters
    self.createdAt = createdAt
    self.submitter = submitter
    self.sequence = sequence
    self.place = place ?? sequence
    self.key = key
    self.priority = priority
    self.quietPeriod = quietPeriod
    self.notBefore = notBefore
    self.deadline = deadline
    self.onDeadline = onDeadline
  }
}

/// What becomes of an update that still waits at its deadline.
public enum OnDeadline: String, Equatable, Sendable, CaseIterable {
  case expire
  /// It no longer waits for its quiet period or after a failure, but still for the screen.
  case apply
}

/// What the administrator decided for a handler's updates.
public struct HandlerPolicy: Equatable, Sendable {
  /// What becomes of a waiting update when another of the same key comes.
  public enum Coalescing: String, Equatable, Sendable, CaseIterable {
    /// The newest takes the place of the one that waits.
    case latest
    /// The one that waits stays; the newest ends as superseded.
    case first
    case all
  }

  public var quietPeriod: Duration
  /// How often the handler is started at most before the update has failed; at least 1.
  public var attempts: Int
  /// Pause after the first failure; doubles with each further one, up to `longestBackoff`.
  public var backoff: Duration
  public var coalescing: Coalescing

  public static let longestBackoff: Duration = .seconds(600)

  public init(
    quietPeriod: Duration = .zero, attempts: Int = 1, backoff: Duration = .seconds(10),
    coalescing: Coalescing = .latest
  ) {
    self.quietPeriod = quietPeriod
    self.attempts = attempts
    self.backoff = backoff
    self.coalescing = coalescing
  }
}

public struct Submitter: Equatable, Sendable {
  public let uid: UInt32
  public let pid: Int32

  public init(uid: UInt32, pid: Int32) {
    self.uid = uid
    self.pid = pid
  }
}

/// How an update ended. Names are the states of the socket and of the store.
public enum FinalState: String, Equatable, Sendable, CaseIterable {
  case applied
  case failed
  /// Another of the same key took its place.
  case superseded
  case cancelled
  /// Its deadline came while it waited.
  case expired
}

/// What is known once an update has ended.
public struct UpdateResult: Equatable, Sendable {
  public let state: FinalState
  /// The handler's exit status; nil where it did not exit by itself.
  public let exitCode: Int?
  /// In words, for people; with the tail of the handler's output where it failed.
  public let message: String
  public let finishedAt: WallTime
  /// From the end of the last contact to the handler's start, in milliseconds; nil where no touch was waited for.
  public let releaseToStartMilliseconds: Int64?
  /// The one that took its place, where it was superseded.
  public let successor: UpdateID?

  public init(
    state: FinalState, exitCode: Int?, message: String, finishedAt: WallTime, releaseToStartMilliseconds: Int64?,
    successor: UpdateID? = nil
  ) {
    self.successor = successor
    self.state = state
    self.exitCode = exitCode
    self.message = message
    self.finishedAt = finishedAt
    self.releaseToStartMilliseconds = releaseToStartMilliseconds
  }
}

/// One change of the durable queue. The scheduler asks for it as an action and goes on only when it is told that the
/// change is durable.
public enum StoreWrite: Equatable, Sendable {
  /// A new update, waiting.
  case accept(Update, payload: [UInt8])
  /// A new update that takes the place of one that waits, which ends.
  case replace(UpdateID, UpdateResult, with: Update, payload: [UInt8])
  /// A new update that ends at once, because one of its key waits already.
  case acceptEnded(Update, payload: [UInt8], UpdateResult)
  /// Its handler is about to be started; `attempt` counts from 1.
  case beginApplying(UpdateID, attempt: Int)
  /// A touch came in between: it waits again, and the attempt is taken back.
  case backToWaiting(UpdateID, attempts: Int)
  case finish(UpdateID, UpdateResult)

  /// The update that it is about; the new one where there are two.
  public var id: UpdateID {
    switch self {
    case .accept(let update, payload: _), .replace(_, _, with: let update, payload: _),
      .acceptEnded(let update, payload: _, _):
      update.id
    case .beginApplying(let id, attempt: _), .backToWaiting(let id, attempts: _), .finish(let id, _): id
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
  public let attempts: Int
  public let state: State

  public init(update: Update, attempts: Int, state: State) {
    self.update = update
    self.attempts = attempts
    self.state = state
  }
}
