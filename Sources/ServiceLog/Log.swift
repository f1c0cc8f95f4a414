import CLibsystemd
import Glibc
import Linux
public import Scheduling

/// Lines of the log: to the journal with fields where standard error is the journal's (`JOURNAL_STREAM`,
/// systemd.exec(5)), else plain on standard error.
///
/// Payloads and parameters never come here.
public struct Log: Sendable {
  /// What a line is about, for `journalctl TOUCHGATE_UPDATE_ID=…`.
  public enum Field: Sendable {
    case update(UpdateID)
    case handler(String)
    case attempt(Int)
    case state(FinalState)
    case exitStatus(Int)
    case screen(String)

    /// As the journal has it: capitals, `=`, the value.
    public var text: String {
      switch self {
      case .update(let id): "TOUCHGATE_UPDATE_ID=\(id)"
      case .handler(let name): "TOUCHGATE_HANDLER=\(name)"
      case .attempt(let number): "TOUCHGATE_ATTEMPT=\(number)"
      case .state(let state): "TOUCHGATE_STATE=\(state.rawValue)"
      case .exitStatus(let status): "TOUCHGATE_EXIT_STATUS=\(status)"
      case .screen(let name): "TOUCHGATE_SCREEN=\(name)"
      }
    }
  }

  private let toJournal = Self.standardErrorIsJournal()

  public init() {}

  public func info(_ text: String, _ event: LogEvent? = nil, _ fields: [Field] = []) { write(6, text, event, fields) }
  public func notice(_ text: String, _ event: LogEvent? = nil, _ fields: [Field] = []) { write(5, text, event, fields) }
  public func warning(_ text: String, _ event: LogEvent? = nil, _ fields: [Field] = []) {
    write(4, text, event, fields)
  }
  public func error(_ text: String, _ event: LogEvent? = nil, _ fields: [Field] = []) { write(3, text, event, fields) }

  private func write(_ priority: Int, _ text: String, _ event: LogEvent?, _ fields: [Field]) {
    // One line without control sequences, whatever is in a name that somebody else chose.
    let line = Self.printable(text)
    var entry = ["MESSAGE=\(line)", "PRIORITY=\(priority)", "SYSLOG_IDENTIFIER=touchgated"]
    if let event { entry.append("MESSAGE_ID=\(event.rawValue)") }
    entry += fields.map(\.text)
    if toJournal && send(entry) { return }
    complain(toJournal ? "<\(priority)>\(line)" : "touchgated: \(line)")
  }

  /// Newlines become blanks, other control characters `?`.
  static func printable(_ text: String) -> String {
    String(
      text.map { character in
        if character.isNewline { return " " }
        return character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "?" : character
      })
  }

  /// sd_journal_sendv(3); false where the journal did not take it.
  private func send(_ entry: [String]) -> Bool {
    let texts = entry.map { strdup($0) }
    defer { for text in texts { free(text) } }
    let parts = texts.map { iovec(iov_base: $0, iov_len: $0.map { strlen($0) } ?? 0) }
    return sd_journal_sendv(parts, CInt(parts.count)) == 0
  }

  /// `JOURNAL_STREAM` is inherited by children whose standard error is another: the numbers tell.
  private static func standardErrorIsJournal() -> Bool {
    guard let stream = getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    return fstat(STDERR_FILENO, &status) == 0 && String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }
}

/// One line on standard error.
public func complain(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
}

/// `1 screen`, `2 screens`.
public func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
