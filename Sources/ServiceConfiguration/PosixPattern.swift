/// POSIX extended regular expressions (regex(7)) on bytes, in the C locale. `^` and `$` are the ends of the value, not of
/// its lines, so that `^[a-z]+$` admits no line feed.
///
/// Not the C library's: there a back-reference, or a repetition in a pattern of 30 characters, makes one match take
/// minutes, and the value comes from anyone who may submit. Here a match takes at most `PatternProgram.mostSteps` steps per
/// byte of the value (docs/decisions/0025-patterns-are-matched-in-bounded-time.md).
enum PosixPattern {
  /// Why the pattern is refused; nil if it can be used.
  static func problem(in pattern: String) -> String? {
    do throws(PatternProblem) {
      _ = try PatternProgram(pattern)
      return nil
    } catch {
      return error.text
    }
  }

  /// Whether the value matches somewhere. A pattern that is refused matches nothing.
  static func matches(_ value: String, _ pattern: String) -> Bool {
    guard let program = try? PatternProgram(pattern) else { return false }
    return program.matches(Array(value.utf8))
  }
}

/// Why a pattern is refused.
struct PatternProblem: Error, Equatable {
  let text: String

  init(_ text: String) { self.text = text }
}

/// A set of bytes.
struct ByteSet: Equatable, Sendable {
  private var words: SIMD4<UInt64> = .zero

  init() {}
  init(_ byte: UInt8) { insert(byte) }
  init(_ isMember: (UInt8) -> Bool) { for byte in UInt8.min ... .max where isMember(byte) { insert(byte) } }

  func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }
  mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
  mutating func formUnion(_ other: ByteSet) { words |= other.words }
  /// Without NUL, which no value contains.
  var inverted: ByteSet { ByteSet { $0 != 0 && !contains($0) } }
}

/// A pattern as it was read.
indirect enum PatternNode: Equatable {
  case empty
  case bytes(ByteSet)
  /// `^`.
  case begin
  /// `$`.
  case end
  case sequence([PatternNode])
  case choice([PatternNode])
  /// `most` nil: without limit.
  case repeated(PatternNode, least: Int, most: Int?)
}
