import Foundation
import Testing

/// A program of the build that runs beside a test and ends with its standard input.
final class Companion {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = ""

  /// The folder of the test bundle and of all that is built with it.
  static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path

  init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = URL(filePath: "\(Self.folder)/\(program)")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { end() }

  func say(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Waits for a line; nil where the program has ended.
  func hear() -> String? {
    while true {
      if let end = unread.firstIndex(of: "\n") {
        defer { unread = String(unread[unread.index(after: end)...]) }
        return String(unread[..<end])
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      unread += String(decoding: data, as: UTF8.self)
    }
  }

  /// Closes its standard input and waits for its end.
  @discardableResult
  func end() -> Int32 {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }
}

/// `libinput debug-events`, which writes down what libinput makes of all devices.
final class LibinputOnTrial {
  private let process = Process()
  private let path: String

  init(folder: String) throws {
    path = "\(folder)/libinput"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    process.executableURL = URL(filePath: "/usr/bin/stdbuf")
    process.arguments = ["-oL", "/usr/bin/libinput", "debug-events"]
    process.standardOutput = FileHandle(forWritingAtPath: path)
    process.standardError = FileHandle.nullDevice  // It complains where a device is found a little later.
    try process.run()
  }

  // A thread of Dispatch hands its blocked signals on to its children: only SIGKILL arrives.
  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}
