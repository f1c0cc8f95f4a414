import Glibc
import Scheduling

/// A file beside the queue that says which unit was asked for, and when: a later run of the service learns from it, and
/// from systemd's record, how an update ended that it was not there for.
struct UnitMarker: Equatable {
  let unit: String
  /// Microseconds of CLOCK_MONOTONIC, just before.
  let asked: UInt64
  /// Of the machine's start: another one, and systemd's record is of nothing.
  let boot: String
  /// Systemd has taken the job.
  var isAccepted = false

  /// Not synchronized: a machine that dies has no record of its units either.
  func write(_ path: String) -> Bool {
    let text = Array("\(unit)\n\(asked)\n\(boot)\n\(isAccepted ? "accepted" : "asked")\n".utf8)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0 { return false }
    defer { close(descriptor) }
    return Glibc.write(descriptor, text, text.count) == text.count
  }

  /// Nil: there is none, or it makes no sense.
  init?(path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let size = read(descriptor, &bytes, bytes.count)
    let lines = String(decoding: bytes.prefix(max(0, size)), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 5, let asked = UInt64(lines[1]) else { return nil }
    self.init(unit: String(lines[0]), asked: asked, boot: String(lines[2]), isAccepted: lines[3] == "accepted")
  }

  init(unit: String, asked: UInt64, boot: String, isAccepted: Bool = false) {
    self.unit = unit
    self.asked = asked
    self.boot = boot
    self.isAccepted = isAccepted
  }
}
