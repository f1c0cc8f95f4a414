import Glibc
public import Linux

/// A file next to the queue that names the requested unit and the time. From it and from systemd's record, a later
/// run of the service learns how an update ended.
public struct UnitMarker: Equatable, Sendable {
  public let unit: String
  /// Microseconds of CLOCK_MONOTONIC, just before the request.
  public let asked: UInt64
  /// The boot id then; after a reboot, systemd's record says nothing about that request.
  public let boot: String
  /// Systemd has accepted the job.
  public var isAccepted: Bool

  public init(unit: String, asked: UInt64, boot: String, isAccepted: Bool = false) {
    self.unit = unit
    self.asked = asked
    self.boot = boot
    self.isAccepted = isAccepted
  }

  /// Nil if there is no such file, or it cannot be understood.
  public init?(path: String) {
    guard let bytes = try? readFile(path, limit: 1024, flags: O_NOFOLLOW) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 5, let asked = UInt64(lines[1]), lines[3] == "accepted" || lines[3] == "asked" else {
      return nil
    }
    self.init(unit: String(lines[0]), asked: asked, boot: String(lines[2]), isAccepted: lines[3] == "accepted")
  }

  /// Size of the file: more than a unit's name, a number, a boot id and a word. Each write replaces all of it in place,
  /// so a full disk stops only the first.
  static let bytes = 512

  /// Not synchronized: a machine that crashes has no record of its units either.
  /// `spare`: a file of the same file system that is renamed if there is no room for another one.
  public func write(_ path: String, spare: String? = nil) throws(Errno) {
    do throws(Errno) {
      try put(path)
    } catch {
      guard error.code == ENOSPC || error.code == EDQUOT, let spare, rename(spare, path) == 0 else { throw error }
      try put(path)
    }
  }

  private func put(_ path: String) throws(Errno) {
    let file = try FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_NOFOLLOW, mode: 0o600)
    let text = Array("\(unit)\n\(asked)\n\(boot)\n\(isAccepted ? "accepted" : "asked")\n".utf8)
    try file.write(text + [UInt8](repeating: UInt8(ascii: "\n"), count: max(0, Self.bytes - text.count)))
  }
}
