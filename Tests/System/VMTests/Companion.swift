import Foundation
import Testing

/// A program of the build that runs during a test and ends when its standard input is closed.
final class Companion {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = ""

  /// The folder of the test bundle and of everything built with it.
  static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path

  init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = URL(filePath: "\(Self.folder)/\(program)")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { end() }

  func send(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Waits for a line of its output; nil: the program has ended.
  func receive() -> String? {
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

/// `libinput debug-events`, which logs how libinput interprets the events of all devices.
final class LibinputPeer {
  private let process = Process()
  private let path: String

  init(folder: String) throws {
    path = "\(folder)/libinput"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    process.executableURL = URL(filePath: "/usr/bin/stdbuf")
    process.arguments = ["-oL", "/usr/bin/libinput", "debug-events"]
    process.standardOutput = FileHandle(forWritingAtPath: path)
    process.standardError = FileHandle.nullDevice  // It complains about devices that it finds late.
    try process.run()
  }

  // Children of a Dispatch thread inherit its blocked signals: only SIGKILL arrives.
  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}
