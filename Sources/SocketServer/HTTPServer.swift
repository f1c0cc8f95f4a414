import CLinux
import CMicrohttpd
import Glibc
public import HTTPTypes
public import Timeline
import TouchgateAPI

/// HTTP/1.1 on a Unix stream socket, by libmicrohttpd in external epoll mode, without a thread.
///
/// It never calls into the application. Whole requests are collected as values while their connections are
/// suspended; the loop takes them with `takeRequests()` after each `acceptConnections`, `run` and `timePassed`, and
/// answers each with `respond`, at once or later. One request a connection is in flight; keep-alive works. A client
/// that stays silent or reads nothing for `Limits.requestSeconds` is dropped, also between two requests.
/// SIGPIPE is never raised: all sends say MSG_NOSIGNAL.
public final class HTTPServer {
  /// Watched for reading by the loop, which then calls `acceptConnections`. -1 after `stop()`.
  public private(set) var listeningDescriptor: CInt
  /// Watched for reading by the loop, which then calls `run`. Valid as long as the server exists.
  public var eventDescriptor: CInt { readiness.descriptor }

  private let readiness: Readiness
  private let exchange: Exchange
  /// Nil once stopped.
  private var daemon: OpaquePointer?
  /// Given away for a moment to accept and close a connection where no descriptor is left, because the backlog would
  /// keep the loop spinning.
  private var spare: CInt

  /// Memory of one connection in libmicrohttpd: the head of a request (`Limits.header` is checked by us, and this
  /// must be well over it), then the piece of the body just read.
  private static let memoryPerConnection = 4 * Limits.header
  /// Pieces read in one `run`, connections taken at once: so that nobody delays a touch.
  private static let rounds = 16

  /// `listening`: a bound, listening Unix stream socket, our own or systemd's. Owned from now on, also where this
  /// throws.
  public init(listening: CInt) throws(SocketError) {
    listeningDescriptor = listening
    spare = -1
    do throws(SocketError) {
      if tg_set_nonblocking(listening) != 0 {
        throw SocketError.system(call: "fcntl", path: "the listening socket", errno: errno)
      }
      readiness = try Readiness()
      exchange = Exchange(readiness: readiness)
      daemon = tg_http_start(
        onAccess, onRequestEnded, onConnection, onTarget, Unmanaged.passUnretained(exchange).toOpaque(),
        Self.memoryPerConnection)
      guard daemon != nil else { throw SocketError.notStarted }
    } catch {
      close(listening)
      throw error
    }
    // From here on deinit closes everything, also where this throws.
    if let daemon { try readiness.add(tg_http_epoll_descriptor(daemon)) }
    spare = openSpare()
  }

  deinit { stop() }

  /// Connections open now, whatever they do.
  public var openConnections: Int { exchange.connections.count }

  /// Takes connections that wait (accept(2)); some at a time, else one who connects again and again would keep it here. Those over `Limits.connections` and `Limits.connectionsPerUser` are
  /// told so and closed.
  public func acceptConnections(now: Instant) {
    guard let daemon else { return }
    exchange.now = now
    for _ in 0..<Self.rounds {
      guard let client = acceptOne() else { break }
      if let refusal = refusal(client) {
        // It fits into the buffer of a new socket, so nothing blocks.
        let bytes = Refusal.bytes(refusal)
        _ = send(client, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        close(client)
      } else {
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        _ = MHD_add_connection(daemon, client, &address, socklen_t(MemoryLayout<sockaddr>.size))
      }
    }
    run(now: now)
  }

  /// Reads and writes what can be, without waiting.
  public func run(now: Instant) {
    guard let daemon else { return }
    exchange.now = now
    for token in readiness.takeHungUp() { exchange.hungUp(token) }
    // libmicrohttpd watches edges: what it has not read yet does not make its descriptor readable again.
    for _ in 0..<Self.rounds {
      _ = MHD_run(daemon)
      var milliseconds: CUnsignedLongLong = 1
      if MHD_get_timeout(daemon, &milliseconds) == .NO || milliseconds > 0 { return }
    }
    readiness.wake()
  }

  /// The requests that became whole since the last call, in the order they did. A client may be gone already.
  public func takeRequests() -> [IncomingRequest] { exchange.takeComplete() }

  /// Answers a request; it is sent by the next `run`, for which `eventDescriptor` becomes readable. Ignored where it
  /// was answered already, or its client is gone.
  public func respond(_ token: RequestToken, _ response: HTTPResponse) {
    exchange.resume(token, .answered(response))
    readiness.wake()
  }

  // MARK: Answers that go on

  /// Answers 200 with lines that come one by one (application/x-ndjson): `write` and `end`. The client sees the head at
  /// once. Ignored where the request was answered already, or its client is gone.
  public func openStream(_ token: RequestToken, headers: [HTTPHeader] = []) {
    exchange.open(token, headers: headers)
    readiness.wake()
  }

  /// False: the client reads too slowly, there is no room, and nothing of it will be sent; or the stream is over.
  /// A client that takes nothing for `Limits.requestSeconds` is dropped.
  public func write(_ token: RequestToken, _ bytes: [UInt8], now: Instant) -> Bool {
    guard let stream = exchange.stream(token), !stream.isEnded, stream.append(bytes, now: now) else { return false }
    exchange.wake(token)
    readiness.wake()
    return true
  }

  /// So many bytes wait for the client of a stream; nil: there is no such stream.
  public func unsent(_ token: RequestToken) -> Int? { exchange.stream(token)?.count }

  /// After what was written the stream ends.
  public func end(_ token: RequestToken) {
    exchange.stream(token)?.isEnded = true
    exchange.wake(token)
    readiness.wake()
  }

  /// The requests that waited for an answer, and the streams, whose clients are gone; and the streams that are over.
  public func takeGone() -> [RequestToken] { exchange.takeGone() }

  /// When `timePassed` wants to be called; nil: nothing to wait for.
  public var nextDeadline: Instant? {
    return exchange.connections.values.compactMap(\.deadline).min()
  }

  /// Drops the connections that are too slow.
  public func timePassed(now: Instant) {
    var due = false
    for connection in exchange.connections.values {
      guard let deadline = connection.deadline, deadline <= now else { continue }
      // A stream is taken leave of when libmicrohttpd tells of its end.
      if case .streaming = connection.phase {} else { connection.phase = .dropped }
      // libmicrohttpd owns the descriptor; it sees the end and closes.
      _ = shutdown(connection.descriptor, CInt(SHUT_RDWR))
      due = true
    }
    if due { run(now: now) }
  }

  /// A request is on its way in, or an answer on its way out; or a client has been silent for less than `limit`, and may
  /// be about to ask. Those that wait for an answer by their own wish do not count.
  public func owes(since limit: Duration, now: Instant) -> Bool {
    exchange.connections.values.contains { connection in
      switch connection.phase {
      case .receiving, .answered, .opening, .sending: true
      case .streaming(let stream): stream.isEnded
      case .idle(let since): now - since < limit
      case .waiting, .dropped: false
      }
    }
  }

  /// Stops accepting, answers nothing more, closes all. Answers given before are sent only if `run` came in between.
  /// The loop must have stopped watching `listeningDescriptor`.
  public func stop() {
    guard let daemon else { return }
    self.daemon = nil
    // libmicrohttpd ends the program if a connection is still suspended.
    exchange.resumeAllToClose()
    MHD_stop_daemon(daemon)
    close(listeningDescriptor)
    listeningDescriptor = -1
    if spare >= 0 { close(spare) }
  }

  /// The next connection, non-blocking and close-on-exec; nil where none waits.
  private func acceptOne() -> CInt? {
    while true {
      let client = accept(listeningDescriptor, nil, nil)
      if client >= 0 {
        _ = tg_set_nonblocking(client)
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        return client
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE:
        if spare < 0 { return nil }
        close(spare)
        close(accept(listeningDescriptor, nil, nil))
        spare = openSpare()
        return nil
      default: return nil
      }
    }
  }

  private func refusal(_ client: CInt) -> HTTPResponse? {
    if openConnections >= Limits.connections { return Refusal.tooManyConnections }
    var (pid, uid, gid): (CInt, CUnsignedInt, CUnsignedInt) = (0, .max, .max)
    _ = tg_peer_credentials(client, &pid, &uid, &gid)
    return exchange.connections(of: uid) >= Limits.connectionsPerUser ? Refusal.tooManyConnectionsOfUser : nil
  }
}

private func openSpare() -> CInt { open("/dev/null", O_RDONLY | O_CLOEXEC) }

// MARK: libmicrohttpd's callbacks

private func exchange(_ context: UnsafeMutableRawPointer?) -> Exchange? {
  context.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
}

private func onAccess(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?, url: UnsafePointer<CChar>?,
  method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, upload: UnsafePointer<CChar>?,
  uploadSize: UnsafeMutablePointer<Int>?, requestContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let exchange = exchange(context), let connection, let url, let method, let uploadSize else { return .NO }
  let piece = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : uploadSize.pointee)
  uploadSize.pointee = 0
  return exchange.handle(connection, method: method, url: url, piece: piece)
}

private func onRequestEnded(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
  requestContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, reason: MHD_RequestTerminationCode
) {
  if let connection { exchange(context)?.ended(connection) }
}

private func onConnection(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
  socketContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_ConnectionNotificationCode
) {
  guard let exchange = exchange(context), let connection else { return }
  if code == .CONNECTION_NOTIFY_STARTED { exchange.opened(connection) } else { exchange.closed(connection) }
}

private func onTarget(
  context: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?, connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  if let connection, let target { exchange(context)?.begins(connection, target: target) }
  return nil
}
