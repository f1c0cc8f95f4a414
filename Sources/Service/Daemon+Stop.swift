import EventLoop
import Glibc
import Linux
import SocketServer
import Timeline

/// The end of the service, as its clients see it.
extension Daemon {
  /// Long enough for a client that has just connected to say what it wants.
  private static let lastAnswers: Duration = .milliseconds(500)

  /// After the loop: whoever was let in gets an answer. Who comes now is not let in, and waits in systemd's socket for the
  /// next start.
  func answerTheLast() {
    var now = SystemClock.monotonic
    let end = now + Self.lastAnswers
    while now < end && server.owes(since: Self.lastAnswers, now: now) {
      var entry = pollfd(fd: server.eventDescriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, 20)
      now = SystemClock.monotonic
      server.run(now: now)
      for incoming in server.takeRequests() { handle(incoming, now) }
      perform([], now)
      server.run(now: now)
    }
  }
}
