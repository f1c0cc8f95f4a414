/// The configuration cannot be used.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// All problems of all files, in the order of reading; never empty.
  public let problems: [ConfigurationProblem]

  /// One line per problem.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

/// One problem: where, what, and what to do.
public struct ConfigurationProblem: Equatable, Sendable, CustomStringConvertible {
  /// The path as it was read.
  public let file: String
  /// Counts from 1; nil if the problem is the file as a whole, or something that is missing in it.
  public let line: Int?
  /// Names the key, if there is one: `StuckAfter= '1s' is too short; at least 10 s`.
  public let message: String

  /// `FILE:LINE: MESSAGE`, the form of compilers.
  public var description: String {
    line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
  }

  init(file: String, line: Int?, _ sentence: Sentence, _ values: String...) {
    self.init(file: file, line: line, sentence, values)
  }

  init(file: String, line: Int?, _ sentence: Sentence, _ values: [String]) {
    self.file = file
    self.line = line
    message = sentence.text(values)
  }

  init(file: String, _ entry: ConfigurationFile.Entry, _ reason: Refused) {
    self.file = file
    line = entry.line
    message = reason.text(key: entry.key)
  }
}
