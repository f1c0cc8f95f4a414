/// Why a file is no recording.
public struct RecordingError: Error, Equatable, CustomStringConvertible {
  /// Counted from 1; nil when it is about the file as a whole.
  public let line: Int?
  /// What is wrong, with the text that was found.
  public let problem: String
  /// What should stand there, or what to do.
  public let expected: String

  public var description: String {
    let place = line.map { "line \($0): " } ?? ""
    return "\(place)\(problem); expected \(expected)"
  }

  static let empty = RecordingError(
    line: nil, problem: "there is neither a description nor an event in it",
    expected: "evemu text as evemu-record writes it (lines N:, I:, P:, B:, A:, E:)")

  static let noDescription = RecordingError(
    line: nil, problem: "there are events but no description of the device",
    expected: "the lines N:, I:, P:, B: and A: before the events, or in a .desc file")
}
