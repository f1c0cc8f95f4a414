import Foundation
import Glibc
import Synchronization
import Testing
import TouchgateAPI
import TouchgateClient

/// The events of one run of a service (GET /v1/events), read by a thread on a connection of its own. Tests wait for them
/// in place of asking again and again.
final class ServiceEvents: Sendable {
  private struct Feed {
    var events: [EventReply] = []
    /// Updates of which an event has told more than that they wait.
    var started: Set<String> = []
    var isOpen = false
    /// Nobody waits for the service to listen any more.
    var isGivenUp = false
    var failure: String?
  }

  private let feed = Mutex(Feed())
  private let doorbell: (reading: CInt, writing: CInt)

  /// Begins to connect to the socket, and goes on until the service listens there; then reads all events of this run.
  init(socket path: String) throws {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    doorbell = (ends[0], ends[1])
    Thread.detachNewThread { [self] in
      do {
        try read(TouchgateConnection(path: path))
      } catch {
        feed.withLock { $0.failure = "\(error)" }
        ring()
      }
    }
  }

  deinit {
    close(doorbell.reading)
    close(doorbell.writing)
  }

  private func read(_ connection: TouchgateConnection) throws {
    guard let stream = try open(connection) else { return }
    feed.withLock { $0.isOpen = true }
    ring()
    while let line = try stream.nextLine() {
      let event = try JSONDecoder().decode(EventReply.self, from: Data(line))
      feed.withLock { feed in
        feed.events.append(event)
        if let id = event.id, event.state != "waiting" { feed.started.insert(id) }
      }
      ring()
    }
  }

  private func open(_ connection: TouchgateConnection) throws -> ReplyStream? {
    while !feed.withLock({ $0.isGivenUp }) {
      switch attempt(connection) {
      case .success(let stream): return stream
      case .failure(.notRunning): hold(for: .milliseconds(2))
      case .failure(let error): throw error
      }
    }
    return nil
  }

  /// Does not reach the service before it listens.
  private func attempt(_ connection: TouchgateConnection) -> Result<ReplyStream, ClientError> {
    do throws(ClientError) {
      return .success(try connection.events(since: 0))
    } catch {
      return .failure(error)
    }
  }

  private func ring() {
    var byte: UInt8 = 0
    _ = write(doorbell.writing, &byte, 1)  // If it is full, it is readable anyway.
  }

  /// Returns when the doorbell has rung, or at `end`.
  private func waitForBell(until end: ContinuousClock.Instant) {
    let left = (end - ContinuousClock.now).components
    let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
    var entry = pollfd(fd: doorbell.reading, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, CInt(clamping: max(0, milliseconds + 1)))
    var bytes = [UInt8](repeating: 0, count: 4096)
    while Glibc.read(doorbell.reading, &bytes, bytes.count) > 0 {}
  }

  private func wait(until end: ContinuousClock.Instant, _ condition: (Feed) -> Bool) -> Bool {
    while true {
      if feed.withLock({ condition($0) }) { return true }
      if ContinuousClock.now >= end { return false }
      waitForBell(until: end)
    }
  }

  // MARK: What tests wait for

  /// Everything until now, the oldest first.
  var all: [EventReply] { feed.withLock { $0.events } }

  /// The service listens and answers. Gives up when the limit is over, or when `isRunning` says that it never will.
  func isOpen(within limit: Duration, while isRunning: () -> Bool) -> Bool {
    let end = ContinuousClock.now + limit
    while isRunning() && ContinuousClock.now < end {
      let slice = min(end, .now + .milliseconds(50))
      if wait(until: slice, { $0.isOpen || $0.failure != nil }) { break }
    }
    return feed.withLock { feed in
      feed.isGivenUp = true
      return feed.isOpen
    }
  }

  /// Waits until `condition`, which may ask the service, holds: it is checked now, and again after each event.
  func becomes(within limit: Duration = .seconds(10), _ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while true {
      let known = all.count
      if try condition() { return true }
      if !wait(until: end, { $0.events.count > known }) { return false }
    }
  }

  /// Watches the events for `span`; false if `condition`, which may ask the service, fails now, after any event, or at
  /// the end.
  func stays(for span: Duration, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + span
    var isOver = false
    while true {
      let known = all.count
      if try !condition() { return false }
      if isOver { return true }
      isOver = !wait(until: end, { $0.events.count > known })
    }
  }

  /// How many updates have started, or ended without a start.
  var startedUpdates: Int { feed.withLock { $0.started.count } }
}

/// A service whose events are read.
protocol Observed {
  var events: ServiceEvents { get throws }
  var connection: TouchgateConnection { get }
}

extension Observed {
  /// Waits until `condition`, which may ask the service, holds: it is checked now, and again after each event.
  func becomes(within limit: Duration = .seconds(10), _ condition: () throws -> Bool) throws -> Bool {
    try events.becomes(within: limit, condition)
  }

  /// False if `condition`, which may ask the service, fails now, after any event in `span`, or at its end.
  func stays(for span: Duration, _ condition: () throws -> Bool) throws -> Bool {
    try events.stays(for: span, condition)
  }

  /// Waits until this many contacts are down, on all screens.
  func sees(_ contacts: Int, within limit: Duration = .seconds(5)) throws -> Bool {
    try becomes(within: limit) { try connection.status().contacts == contacts }
  }

  /// Waits until this many screens are there, all with their state read.
  func knows(screens: Int) throws -> Bool {
    try becomes {
      let status = try connection.status()
      return status.screens.count == screens && status.screens.allSatisfy { $0.state != "unknown" }
    }
  }

  /// Waits until the service has dealt with everything that the kernel had for it before now: one question, whose answer
  /// comes after that. For changes that have no event.
  func catchUp() throws {
    let (status, _) = try connection.send(method: "GET", path: "/v1", body: [])
    try #require(status == 200)
  }
}
