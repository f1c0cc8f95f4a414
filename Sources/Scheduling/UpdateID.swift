public import Timeline

/// The name of an update: the client's own, or a ULID. 1 to 64 characters of `A-Za-z0-9._-`, valid
/// as it is in a URL, a unit name, a file name and a log line; not `.` or `..`.
public struct UpdateID: Hashable, Sendable, CustomStringConvertible {
  /// 1 to 64 characters of A-Z a-z 0-9 . _ -
  public let text: String

  /// Nil if the text is not a valid id.
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
