import CLinux
import Glibc
import Linux
public import Timeline

/// The file whose lock an `Exec=` handler inherits, and which names the handler's process.
///
/// The lock tells a later run of the service that something is left of the handler; the process in the file tells
/// whether that is the handler itself, or only what it has left running (which inherited the lock and keeps it).
public enum HandlerLock {
  /// Creates the file and takes its lock. What an earlier attempt has left running keeps the lock of a file that has no
  /// name any more. Throws `HandlersError` if that fails.
  static func take(_ path: String) throws(HandlersError) -> FileDescriptor {
    unlink(path)
    do throws(Errno) {
      return try FileDescriptor(owning: tg_open_lock(path))
    } catch {
      throw HandlersError("\(path): \(error)")
    }
  }

  /// Who has the lock.
  public enum Holder: Equatable, Sendable {
    case nobody
    /// The handler itself; it runs.
    case handler(HandlerIdentity)
    /// Somebody; the service was killed before it could write down the handler's process.
    case unknown
  }

  /// Who has the lock of a former run. The file is removed if nobody has it, or only what the handler left running.
  public static func holder(_ path: String, boot: String) -> Holder {
    guard let file = try? FileDescriptor(opening: path, O_RDWR | O_NOFOLLOW) else { return .nobody }
    if flock(file.raw, LOCK_EX | LOCK_NB) != 0 && Errno().isWouldBlock {
      guard let text = try? file.readToEnd(limit: 1024), let identity = HandlerIdentity(text, boot: boot) else {
        return .unknown
      }
      if identity.isAlive { return .handler(identity) }
    }
    unlink(path)
    return .nobody
  }
}

/// A handler's process.
public struct HandlerIdentity: Equatable, Sendable {
  let process: ProcessIdentity
  /// When the service started it; of this boot.
  public let started: Instant

  public var pid: Int32 { process.pid }

  init(_ process: ProcessIdentity, started: Instant) {
    self.process = process
    self.started = started
  }

  /// Of a process that has not been waited for; nil if it is not visible here.
  public init?(of pid: Int32, started: Instant) {
    guard let process = ProcessIdentity(of: pid) else { return nil }
    self.init(process, started: started)
  }

  /// What `text` says; nil: nothing, or it is of another boot.
  init?(_ bytes: [UInt8], boot: String) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 5, lines[3] == boot, let pid = Int32(lines[0]), pid > 1, let ticks = UInt64(lines[1]),
      let started = Int64(lines[2])
    else { return nil }
    self.init(ProcessIdentity(pid: pid, startTicks: ticks), started: Instant(nanoseconds: started))
  }

  func text(boot: String) -> String { "\(pid)\n\(process.startTicks)\n\(started.nanoseconds)\n\(boot)\n" }

  /// Whether it runs.
  public var isAlive: Bool { process.isAlive }

  /// Signals the process group that it leads, if it runs.
  func signalGroup(_ number: CInt) { _ = process.withProcess { _ in kill(-pid, number) } }
}
