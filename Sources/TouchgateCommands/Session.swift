import FoundationEssentials
import Glibc
import Timeline
import TouchgateAPI
import TouchgateClient

/// What a verb works with.
struct Session {
  let service: TouchgateConnection
  let json: Bool
  var output = StandardStream.output

  /// For calls that take their time.
  var patient: TouchgateConnection { TouchgateConnection(path: service.path) }

  /// For the printed forms: the time now, and colours where standard output is a terminal that wants them.
  var view: View {
    var seconds = time(nil)
    var local = tm()
    localtime_r(&seconds, &local)
    let colours = isTerminal && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    return View(now: wallNow(), utcOffset: .seconds(local.tm_gmtoff), colours: colours)
  }

  var isTerminal: Bool { isatty(output.descriptor) == 1 }

  /// Prints at once, nothing is buffered.
  func print(_ text: String) throws(Failure) { try print(bytes: Array(text.utf8)) }

  func print(bytes: [UInt8]) throws(Failure) {
    let reason = output.write(bytes)
    switch reason {
    case 0: return
    // The reader has seen enough.
    case EPIPE: throw Failure(message: nil, code: .done)
    default: throw Failure(message: "standard output: \(String(cString: strerror(reason)))", code: .otherwise)
    }
  }

  /// One line of JSON.
  func printJSON(_ value: some Encodable) throws(Failure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
      throw Failure(message: "the answer cannot be written as JSON", code: .otherwise)
    }
    try print(String(decoding: data, as: UTF8.self) + "\n")
  }

  private func wallNow() -> WallTime {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return WallTime(millisecondsSinceEpoch: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
  }
}

/// Standard output or standard error, unbuffered.
struct StandardStream {
  let descriptor: CInt

  static let output = StandardStream(descriptor: STDOUT_FILENO)
  static let error = StandardStream(descriptor: STDERR_FILENO)

  /// Writes all of it; 0, or errno.
  @discardableResult func write(_ text: String) -> CInt { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) -> CInt {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
