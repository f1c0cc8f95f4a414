/// The configuration cannot be used. All that is wrong with it, in the order of reading; never empty.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  public let problems: [ConfigurationProblem]

  /// A line for each problem.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

/// One thing that is wrong: where, what, and what is allowed.
public struct ConfigurationProblem: Equatable, Sendable, CustomStringConvertible {
  /// The path as it was read.
  public let file: String
  /// Counts from 1; nil where it is the file as a whole, or something that is missing in it.
  public let line: Int?
  public let message: String

  /// `FILE:LINE: MESSAGE`, as compilers write it.
  public var description: String {
    line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
  }
}

extension String {
  /// For messages: in single quotes, control characters escaped, cut after 80 characters.
  var quotedForMessage: String {
    var text = ""
    for scalar in unicodeScalars.prefix(80) {
      text += scalar == "'" || scalar == "\"" ? String(scalar) : scalar.escaped(asASCII: false)
    }
    return unicodeScalars.count > 80 ? "'\(text)…'" : "'\(text)'"
  }
}
