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
  /// Place in the order of arrival; unique, given by the service, grows.
  public let sequence: Int64

  public init(
    id: UpdateID, handler: String, parameters: [String: String], createdAt: WallTime, submitter: Submitter,
    sequence: Int64
  ) {
    self.id = id
    self.handler = handler
    self.parameters = parameters
    self.createdAt = createdAt
    self.submitter = submitter
    self.sequence = sequence
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

  public init(
    state: FinalState, exitCode: Int?, message: String, finishedAt: WallTime, releaseToStartMilliseconds: Int64?
  ) {
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
  /// Its handler is about to be started; `attempt` counts from 1.
  case beginApplying(UpdateID, attempt: Int)
  /// A touch came in between: it waits again, and the attempt is taken back.
  case backToWaiting(UpdateID, attempts: Int)
  case finish(UpdateID, UpdateResult)

  public var id: UpdateID {
    switch self {
    case .accept(let update, payload: _): update.id
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
