import Glibc

/// Lines on standard error; under systemd with the priority that the journal reads from `<N>`.
///
/// Payloads and parameters never come here.
struct Log {
  private let toJournal = getenv("JOURNAL_STREAM") != nil

  func info(_ text: String) { write(6, text) }
  func notice(_ text: String) { write(5, text) }
  func warning(_ text: String) { write(4, text) }
  func error(_ text: String) { write(3, text) }

  private func write(_ priority: Int, _ text: String) {
    // One line, whatever stands in a name that somebody else chose.
    let line = String(text.map { $0.isNewline ? " " : $0 })
    complain(toJournal ? "<\(priority)>\(line)" : "touchgated: \(line)")
  }
}

/// One line on standard error.
public func complain(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
}

/// `1 screen`, `2 screens`.
func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
