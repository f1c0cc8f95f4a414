import CLinux
import Glibc

/// A process, told apart from any other that gets its number later.
public struct ProcessIdentity: Equatable, Sendable {
  /// As this process sees it.
  public let pid: Int32
  /// When the kernel started it: clock ticks since the boot (proc_pid_stat(5)).
  public let startTicks: UInt64

  public init(pid: Int32, startTicks: UInt64) {
    self.pid = pid
    self.startTicks = startTicks
  }

  /// Of a process that has not been waited for; nil if there is none, or if it is not visible here.
  public init?(of pid: Int32) {
    guard pid > 0, let ticks = Self.startTicks(of: pid) else { return nil }
    self.init(pid: pid, startTicks: ticks)
  }

  /// Whether it runs. A process that has ended and was not waited for does not.
  public var isAlive: Bool { withProcess { _ in true } ?? false }

  /// Calls `body` with a descriptor of the process (pidfd_open(2)), which is readable once it has ended; nil if it has.
  public func withProcess<T>(_ body: (borrowing FileDescriptor) -> T) -> T? {
    switch find() {
    case .running(let process): body(process)
    case .ended: nil
    case .unknown: nil
    }
  }

  /// What has become of the process.
  public enum Finding: ~Copyable {
    /// With a descriptor that is readable once it has ended.
    case running(FileDescriptor)
    case ended
    /// The kernel does not say: no descriptor is left, or the question is forbidden.
    case unknown
  }

  /// The descriptor is opened first: if the start time is right after that, it is of this process, whatever becomes of
  /// the number.
  public func find() -> Finding {
    let number = tg_process(pid)
    if number < 0 && Errno().code == ESRCH { return .ended }
    guard let process = try? FileDescriptor(owning: number) else { return .unknown }
    guard let ticks = Self.startTicks(of: pid) else { return Self.hasEnded(process) ? .ended : .unknown }
    if ticks != startTicks || Self.hasEnded(process) { return .ended }
    return .running(process)
  }

  private static func hasEnded(_ process: borrowing FileDescriptor) -> Bool {
    var entry = pollfd(fd: process.raw, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) != 0
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
