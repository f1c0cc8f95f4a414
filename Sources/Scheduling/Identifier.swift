public import Timeline

/// The name of one `Subject`: 1 to 64 characters of `A-Za-z0-9._-`, valid as it is in a URL, a unit name, a file name and
/// a log line. The first is a letter or a digit: no program takes an id for an option, or a file for hidden. Each subject has an id space of its own: the id of a turn never names an update.
public struct Identifier<Subject>: Hashable, Sendable, CustomStringConvertible {
  /// 1 to 64 characters of A-Z a-z 0-9 . _ -, the first a letter or a digit.
  public let text: String

  /// Nil if the text is not a valid id.
  public init?(_ text: String) {
    guard (1...64).contains(text.utf8.count) else { return nil }
    for (place, byte) in text.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        continue
      case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        if place == 0 { return nil }
      default:
        return nil
      }
    }
    self.text = text
  }

  /// The same text in another id space.
  public init<Other>(sameTextAs other: Identifier<Other>) { text = other.text }

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

/// The name of an update.
public typealias UpdateID = Identifier<Update>

/// What a client calls its update: unique among the updates of its user, and never the id of a hold, a turn or another
/// update.
public typealias ClientID = Identifier<Submitter>

/// The name of a turn.
public typealias TurnID = Identifier<Turn>

/// The name of a hold.
public typealias HoldID = Identifier<Hold>

/// The name of what waits for a quiet moment.
public enum WorkID: Hashable, Sendable, CustomStringConvertible {
  case update(UpdateID)
  case turn(TurnID)

  /// 1 to 64 characters of A-Z a-z 0-9 . _ -
  public var text: String {
    switch self {
    case .update(let id): id.text
    case .turn(let id): id.text
    }
  }

  /// Nil: a turn.
  public var update: UpdateID? {
    switch self {
    case .update(let id): id
    case .turn: nil
    }
  }

  public var description: String { text }
}

extension Dictionary where Key == WorkID {
  subscript(id: UpdateID) -> Value? {
    get { self[.update(id)] }
    _modify { yield &self[.update(id)] }
  }

  subscript(id: TurnID) -> Value? {
    get { self[.turn(id)] }
    set { self[.turn(id)] = newValue }
  }
}
