import Glibc
import Linux

extension Recording {
  /// The largest file that `read` takes, in bytes: hours of ten fingers.
  public static let largestFile = 64 << 20

  /// Reads and parses a file. For a `NAME.events` without a description, `NAME.desc` beside it is read; for a
  /// `NAME.SEQUENCE.events` also `NAME.desc`, as the collection evemu-devices has them.
  ///
  /// Throws also when the file cannot be read or is larger than `largestFile`.
  public static func read(path: String) throws(RecordingError) -> Recording {
    let content = try bytes(path: path)
    do {
      return try parse(content)
    } catch let error {
      guard error == .noDescription,
        let descriptionPath = descriptionPaths(for: path).first(where: { access($0, R_OK) == 0 })
      else { throw error }
      return try parse(description: bytes(path: descriptionPath), events: content)
    }
  }

  private static func descriptionPaths(for path: String) -> [String] {
    guard path.hasSuffix(".events") else { return [] }
    let name = path.dropLast(".events".count)
    let withoutSequence = name.lastIndex(of: ".").map { name[..<$0] }
    return [name, withoutSequence].compactMap(\.self).map { $0 + ".desc" }
  }

  private static func bytes(path: String) throws(RecordingError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try readFile(path, limit: largestFile + 1)
    } catch {
      throw RecordingError(
        line: nil, problem: "the file cannot be read: \(error)", expected: "a readable file")
    }
    if bytes.count <= largestFile { return bytes }
    throw RecordingError(
      line: nil, problem: "the file is larger than 64 MiB", expected: "a recording of one sequence of touches")
  }
}
