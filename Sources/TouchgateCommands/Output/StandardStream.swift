import Glibc
import Linux

/// Standard output or standard error, unbuffered.
struct StandardStream {
  /// Borrowed: not closed.
  let descriptor: CInt

  static let output = StandardStream(descriptor: STDOUT_FILENO)
  static let error = StandardStream(descriptor: STDERR_FILENO)

  /// Whether it is a terminal.
  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Writes all bytes.
  func write(_ bytes: [UInt8]) throws(Errno) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = retry { rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } }
      if count < 0 { throw Errno() }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes a message of this command. That it cannot be written is not reported.
  func report(_ message: String) {
    try? write(Array("touchgate: \(message)\n".utf8))
  }
}
