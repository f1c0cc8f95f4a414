import CLinux
import Glibc
import Linux
import Synchronization
import Timeline

/// Passes values from one thread to another. The sender never waits; the receiver waits for `doorbell`.
final class Mailbox<Message: Sendable>: Sendable {
  /// Readable while the mailbox is not empty.
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

  /// Removes and returns all values, the oldest first.
  func take() -> [Message] {
    // The doorbell is reset first, so that a value that arrives meanwhile rings it again.
    var count: UInt64 = 0
    _ = read(doorbell, &count, 8)
    return messages.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  /// Waits until the mailbox is not empty, at most until `deadline`; nil: without limit.
  func wait(until deadline: Instant? = nil) { _ = try? waitUntilReady(doorbell, for: POLLIN, until: deadline) }
}

/// A failure of a device: what is wrong, where, and what to do.
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
      "\(subject): \(reason); the device must be writable, so add the service's user to the group 'input'"
    case EROFS: "\(subject): \(reason); the device must be writable"
    default: "\(subject): \(reason)"
    }
  }
}
