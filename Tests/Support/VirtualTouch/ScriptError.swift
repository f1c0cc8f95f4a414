/// What is wrong with a script, or went wrong while it played.
public struct ScriptError: Error, Equatable, CustomStringConvertible {
  /// Counted from 1.
  public let line: Int
  /// What is wrong, and what is allowed instead.
  public let problem: String

  public var description: String { "\(line): \(problem)" }
}
