import CLinux
import Glibc
import Synchronization

/// Passes values from one thread to another. The sender never waits; the receiver waits for `doorbell`.
final class Mailbox<Message: Sendable>: Sendable {
  /// Readable while the mailbox is not empty.
  let doorbell: CInt
  private let messages = Mutex<[Message]>([])

  init() throws(VibratorError) {
    doorbell = tg_doorbell()
    if doorbell < 0 { throw VibratorError("eventfd", errno) }
  }

  deinit { close(doorbell) }

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

  /// Waits until the mailbox is not empty, at most `milliseconds` (-1: without limit).
  func wait(milliseconds: CInt = -1) {
    var entry = pollfd(fd: doorbell, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, milliseconds)
  }
}

/// A failure of a device: what is wrong, where, and what to do.
struct VibratorError: Error, CustomStringConvertible {
  let subject: String
  let code: CInt

  init(_ subject: String, _ code: CInt) {
    self.subject = subject
    self.code = code
  }

  var description: String {
    switch code {
    case ENODEV, ENXIO, ENOENT: "\(subject): the device is gone"
    case EACCES, EPERM:
      "\(subject): \(String(cString: strerror(code))); add the service's user to the group 'input'"
    case EROFS: "\(subject): \(String(cString: strerror(code))); the device must be writable"
    default: "\(subject): \(String(cString: strerror(code)))"
    }
  }
}
