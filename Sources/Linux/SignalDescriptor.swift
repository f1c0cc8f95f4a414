public import CLinux
import Glibc

/// Blocks signals and reads them from a descriptor instead (signalfd(2)).
public struct SignalDescriptor: ~Copyable {
  private let file: FileDescriptor
  /// The signals that were blocked before.
  public let before: sigset_t

  /// Throws `Errno`.
  public init(_ numbers: [CInt]) throws(Errno) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    var before = sigset_t()
    sigprocmask(SIG_BLOCK, &signals, &before)
    self.before = before
    file = try FileDescriptor(owning: tg_signal_descriptor(&signals))
  }

  /// To be watched for reading.
  public var raw: CInt { file.raw }

  /// The next signal; nil: there is none now.
  public func next() -> CInt? {
    let number = tg_next_signal(file.raw)
    return number > 0 ? number : nil
  }
}
