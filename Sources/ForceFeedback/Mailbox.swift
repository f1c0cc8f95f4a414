import CLinux
import Glibc
import Synchronization

/// Values from one thread to another. Whoever puts one in never waits; the other end waits for `doorbell`.
final class Mailbox<Message: Sendable>: Sendable {
  /// Readable while something is inside.
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

  /// Waits until something is inside, for `milliseconds` at most (-1: for ever).
  func wait(milliseconds: CInt = -1) {
    var entry = pollfd(fd: doorbell, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, milliseconds)
  }
}

/// What went wrong, where, and what to do.
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
      "\(subject): \(String(cString: strerror(code))); it must be writable for the service's user (group 'input')"
    case EROFS: "\(subject): \(String(cString: strerror(code))); it must be writable"
    default: "\(subject): \(String(cString: strerror(code)))"
    }
  }
}
