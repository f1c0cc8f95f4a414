import Glibc

extension Recording {
  /// The largest file that `read` takes, in bytes: hours of ten fingers.
  public static let largestFile = 64 << 20

  /// Reads and parses a file. For a `NAME.SEQUENCE.events` without a description, `NAME.desc` beside it is read, as
  /// the collection evemu-devices has them.
  ///
  /// Throws also when the file cannot be read or is larger than `largestFile`.
  public static func read(path: String) throws(RecordingError) -> Recording {
    let content = try bytes(path: path)
    do {
      return try parse(content)
    } catch let error {
      guard error == .noDescription, let descriptionPath = descriptionPath(for: path),
        access(descriptionPath, R_OK) == 0
      else { throw error }
      return try parse(description: bytes(path: descriptionPath), events: content)
    }
  }

  private static func descriptionPath(for path: String) -> String? {
    guard path.hasSuffix(".events"), let dot = path.dropLast(7).lastIndex(of: ".") else { return nil }
    return path[..<dot] + ".desc"
  }

  private static func bytes(path: String) throws(RecordingError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw unreadable(errno)
      }
      if count == 0 { return bytes }
      guard bytes.count + count <= largestFile else {
        throw RecordingError(
          line: nil, problem: "the file is larger than 64 MiB", expected: "a recording of one sequence of touches")
      }
      bytes += chunk[..<count]
    }
  }

  private static func unreadable(_ code: Int32) -> RecordingError {
    RecordingError(
      line: nil, problem: "the file cannot be read: \(String(cString: strerror(code)))", expected: "a readable file")
  }
}
