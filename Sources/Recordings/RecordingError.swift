/// Why a file is not a valid recording.
public struct RecordingError: Error, Equatable, CustomStringConvertible {
  /// Line number, from 1; nil if the problem concerns the whole file.
  public let line: Int?
  /// The problem, with the offending text.
  public let problem: String
  /// The expected text, or what to do.
  public let expected: String

  public var description: String {
    let place = line.map { "line \($0): " } ?? ""
    return "\(place)\(problem); expected \(expected)"
  }

  static let empty = RecordingError(
    line: nil, problem: "the file has neither a description nor events",
    expected: "evemu text as evemu-record writes it (lines N:, I:, P:, B:, A:, E:)")

  static let noDescription = RecordingError(
    line: nil, problem: "the file has events but no description of the device",
    expected: "the lines N:, I:, P:, B: and A: before the events, or in a .desc file")
}
