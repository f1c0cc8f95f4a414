/// One parameter that a request may give a handler: `Param=NAME [PATTERN]`.
public struct ParameterDefinition: Equatable, Sendable {
  /// A letter or `_`, then up to 63 letters, digits and `_` (ASCII).
  public let name: String
  /// POSIX extended regular expression (regex(7)) that the value must match; not anchored unless it anchors itself.
  /// Works on bytes: a `.` is one byte of UTF-8. Nil: any value.
  public let pattern: String?

  /// Neither is checked.
  public init(name: String, pattern: String?) {
    self.name = name
    self.pattern = pattern
  }

  /// Reads `NAME [PATTERN]`.
  init(reading text: String) throws(Refused) {
    let name = String(text.prefix { $0 != " " && $0 != "\t" })
    guard Self.isName(name) else { throw Refused(.badParameterName, name.quotedForMessage) }
    let pattern = String(text.dropFirst(name.count)).withoutBlankEnds
    if !pattern.isEmpty, let reason = PosixPattern.problem(in: pattern) {
      throw Refused(.badPattern, name, pattern.quotedForMessage, reason)
    }
    self.init(name: name, pattern: pattern.isEmpty ? nil : pattern)
  }

  private static func isName(_ text: String) -> Bool {
    guard (1...64).contains(text.utf8.count), let first = text.unicodeScalars.first, !("0"..."9" ~= first) else {
      return false
    }
    return text.unicodeScalars.allSatisfy { $0.isLetterOrDigit || $0 == "_" }
  }
}

/// Why a request's parameters are refused.
public struct ParameterProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the parameter, as the request gives it.
  public let parameter: String
  /// The rule; never the value.
  public let message: String

  public var description: String { message }

  init(_ parameter: String, _ sentence: Sentence, _ values: String...) {
    self.parameter = parameter
    message = sentence.text(values)
  }
}
