import CLinux
import Glibc
import Linux
import Synchronization
import Timeline

/// Values from one thread to another. Whoever puts one in never waits; the other end waits for `doorbell`.
final class Mailbox<Message: Sendable>: Sendable {
  /// Readable while something is inside.
  var doorbell: CInt { bell.raw }
  private let bell: FileDescriptor
  private let messages = Mutex<[Message]>([])

  init() throws(VibratorError) {
    do throws(Errno) {
      bell = try FileDescriptor(owning: tg_doorbell())
    } catch {
      throw VibratorError("eventfd", error)
    }
  }

  func put(_ message: Message) {
    messages.withLock { $0.append(message) }
    var one: UInt64 = 1
    _ = write(doorbell, &one, 8)
  }

  /// All that is there, the oldest first.
  func take() -> [Message] {
    // First the bell: what comes in between rings again.
    var count: UInt64 = 0
    _ = read(doorbell, &count, 8)
    return messages.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  /// Waits until something is inside, at most until `deadline`; nil: for ever.
  func wait(until deadline: Instant? = nil) { _ = try? waitUntilReady(doorbell, for: POLLIN, until: deadline) }
}

/// What went wrong, where, and what to do.
struct VibratorError: Error, CustomStringConvertible {
  let subject: String
  let reason: Errno

  init(_ subject: String, _ reason: Errno) {
    self.subject = subject
    self.reason = reason
  }

  var description: String {
    switch reason.code {
    case ENODEV, ENXIO, ENOENT: "\(subject): the device is gone"
    case EACCES, EPERM:
      "\(subject): \(reason); it must be writable for the service's user (group 'input')"
    case EROFS: "\(subject): \(reason); it must be writable"
    default: "\(subject): \(reason)"
    }
  }
}
