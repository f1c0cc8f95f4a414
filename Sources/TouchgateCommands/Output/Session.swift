import FoundationEssentials
import Glibc
import Linux
import Timeline
import TouchgateClient

/// What a verb works with: the service, and how to print.
struct Session {
  let service: TouchgateConnection
  let json: Bool
  var output = StandardStream.output

  /// For calls that are answered late: without a time-out.
  var patient: TouchgateConnection { TouchgateConnection(path: service.path) }

  /// How replies are printed now: with colours on a terminal, unless NO_COLOR is set.
  var view: View {
    let now = SystemClock.wall
    let colours = output.isTerminal && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    return View(now: now, zone: SystemZone(), colours: colours)
  }

  /// Prints a reply: as one line of JSON with `--json`, else as `text` shows it.
  func print<Reply: Encodable>(_ reply: Reply, as text: (Reply) -> String) throws(Failure) {
    if json { try printJSON(reply) } else { try print(text(reply)) }
  }

  /// Prints at once; nothing is buffered.
  func print(_ text: String) throws(Failure) { try print(bytes: Array(text.utf8)) }

  func print(bytes: [UInt8]) throws(Failure) {
    do throws(Errno) {
      try output.write(bytes)
    } catch {
      // The reader, such as head(1), has read enough.
      if error.code == EPIPE { throw Failure(message: nil, code: .success) }
      throw Failure(.outputFailed(error), code: .failure)
    }
  }

  /// Prints one line of JSON.
  func printJSON(_ value: some Encodable) throws(Failure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { throw Failure(.replyNotEncodable, code: .failure) }
    try print(bytes: Array(data) + [UInt8(ascii: "\n")])
  }
}
