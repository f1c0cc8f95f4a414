import Glibc
import ServiceConfiguration
import Testing

/// A folder for one test with `usr`, `run` and `etc` for the three places; removed when the test ends.
final class Root {
  let path: String

  init() throws {
    var template = Array("/tmp/touchgate-configuration-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit {
    Self.delete(path)
  }

  /// With all that is in it; links are removed, not followed.
  private static func delete(_ path: String) {
    if unlink(path) == 0 { return }
    guard let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { delete("\(path)/\(name)") }
    }
    closedir(folder)
    rmdir(path)
  }

  func write(_ name: String, _ text: String) throws {
    try write(name, Array(text.utf8))
  }

  /// Creates the folders above it too.
  func write(_ name: String, _ bytes: [UInt8]) throws {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/\(part)"
      mkdir(folder, 0o755)
    }
    let file = try #require(fopen("\(path)/\(name)", "w"))
    defer { fclose(file) }
    try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }

  func read() throws -> Configuration {
    try Configuration.read(folders: ["usr", "run", "etc"].map { "\(path)/\($0)" })
  }

  /// Reading must fail with exactly these problems, in this order: file, line, and words that the message contains.
  func expectProblems(
    _ expected: [(file: String, line: Int?, words: [String])], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let error = #expect(throws: ConfigurationError.self, sourceLocation: sourceLocation) { try read() }
    let problems = try #require(error, sourceLocation: sourceLocation).problems
    #expect(problems.count == expected.count, "\(problems)", sourceLocation: sourceLocation)
    for (problem, expected) in zip(problems, expected) {
      #expect(problem.file == "\(path)/\(expected.file)", "\(problem)", sourceLocation: sourceLocation)
      #expect(problem.line == expected.line, "\(problem)", sourceLocation: sourceLocation)
      for word in expected.words {
        #expect(problem.message.contains(word), "\(problem)", sourceLocation: sourceLocation)
      }
    }
  }
}
