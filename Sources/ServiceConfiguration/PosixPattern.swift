import Glibc

/// POSIX extended regular expressions (regcomp(3) with REG_EXTENDED and REG_NOSUB). Without REG_NEWLINE: `^` and `$`
/// are the ends of the value, not of its lines, so that `^[a-z]+$` admits no line feed.
///
/// Compiled for each use: a `regex_t` is not Sendable, and requests are rare.
enum PosixPattern {
  /// Why the pattern cannot be compiled, in the C library's words; nil if it can.
  static func problem(in pattern: String) -> String? {
    var compiled = regex_t()
    let code = regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB)
    if code == 0 {
      regfree(&compiled)
      return nil
    }
    var text = [CChar](repeating: 0, count: 256)
    let length = regerror(code, &compiled, &text, text.count)
    let bytes = text.prefix(min(length, text.count)).prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the value matches somewhere. A pattern that cannot be compiled matches nothing.
  static func matches(_ value: String, _ pattern: String) -> Bool {
    var compiled = regex_t()
    guard regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) == 0 else { return false }
    defer { regfree(&compiled) }
    return regexec(&compiled, value, 0, nil, 0) == 0
  }
}
