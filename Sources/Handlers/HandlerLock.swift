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

/// A handler's process, told apart from any other that gets its number later.
public struct HandlerIdentity: Equatable, Sendable {
  public let pid: Int32
  /// When the kernel started it: clock ticks since the boot (proc_pid_stat(5)).
  let startTicks: UInt64
  /// When the service started it; of this boot.
  public let started: Instant

  init(pid: Int32, startTicks: UInt64, started: Instant) {
    self.pid = pid
    self.startTicks = startTicks
    self.started = started
  }

  /// Of a process that has not been waited for; nil if the kernel does not tell.
  public init?(of pid: Int32, started: Instant) {
    guard let ticks = Self.startTicks(of: pid) else { return nil }
    self.init(pid: pid, startTicks: ticks, started: started)
  }

  /// What `text` says; nil: nothing, or it is of another boot.
  init?(_ bytes: [UInt8], boot: String) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 5, lines[3] == boot, let pid = Int32(lines[0]), pid > 1, let ticks = UInt64(lines[1]),
      let started = Int64(lines[2])
    else { return nil }
    self.init(pid: pid, startTicks: ticks, started: Instant(nanoseconds: started))
  }

  func text(boot: String) -> String { "\(pid)\n\(startTicks)\n\(started.nanoseconds)\n\(boot)\n" }

  /// Whether it runs. A process that has ended and was not waited for does not.
  public var isAlive: Bool { withProcess { _ in true } ?? false }

  /// Signals the process group that it leads, if it runs.
  func signalGroup(_ number: CInt) { _ = withProcess { _ in kill(-pid, number) } }

  /// The descriptor is opened first: if the start time is right after that, it is of this process, whatever becomes of
  /// the number.
  private func withProcess<T>(_ body: (CInt) -> T) -> T? {
    guard let process = try? FileDescriptor(owning: tg_process(pid)), Self.startTicks(of: pid) == startTicks else {
      return nil
    }
    // Readable: it has ended.
    var entry = pollfd(fd: process.raw, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 0) == 0 else { return nil }
    return body(process.raw)
  }

  /// The 22nd field of /proc/PID/stat. The second, the name, may contain spaces and parentheses.
  private static func startTicks(of pid: Int32) -> UInt64? {
    guard let bytes = try? readFile("/proc/\(pid)/stat", limit: 4096),
      let end = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 19 else { return nil }
    return UInt64(String(decoding: fields[19], as: UTF8.self).filter { !$0.isWhitespace })
  }
}
