import Glibc
import Linux

/// What a handler's program writes: its lines, for the log, and the tail of all of it, for the result of a failure.
struct HandlerOutput {
  /// Length of the tail that is kept.
  static let tailBytes = 2048
  /// A longer line is cut.
  static let lineBytes = 1024
  /// Most bytes read in one wake-up, so that a program that writes without end cannot block the loop.
  static let atOnce = 16_384
  /// Capacity of a pipe (pipe(7)): the most that can be left when the program has ended.
  static let pipeBytes = 65_536

  private(set) var tail: [UInt8] = []
  private var line: [UInt8] = []

  enum Reading: Equatable {
    /// There may be more now or later.
    case more([String])
    /// The other end is closed.
    case end([String])
  }

  /// Reads what is available from a descriptor that does not block, at most `limit` bytes.
  mutating func read(from descriptor: CInt, atMost limit: Int = atOnce) -> Reading {
    var lines: [String] = []
    var left = limit
    var buffer = [UInt8](repeating: 0, count: 4096)
    while left > 0 {
      let size = retry { Glibc.read(descriptor, &buffer, min(left, buffer.count)) }
      if size == 0 { return .end(lines) }
      if size < 0 { break }
      left -= size
      take(buffer[0..<size], &lines)
    }
    return .more(lines)
  }

  /// The line that has no end yet; nil if there is none.
  mutating func lastLine() -> String? {
    defer { line.removeAll(keepingCapacity: true) }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  private mutating func take(_ bytes: ArraySlice<UInt8>, _ lines: inout [String]) {
    tail += bytes
    if tail.count > Self.tailBytes { tail.removeFirst(tail.count - Self.tailBytes) }
    for byte in bytes {
      if byte != UInt8(ascii: "\n") {
        if line.count < Self.lineBytes { line.append(byte) }
      } else if let text = lastLine() {
        lines.append(text)
      }
    }
  }
}
