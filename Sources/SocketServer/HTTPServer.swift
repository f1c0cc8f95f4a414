import CLinux
import CMicrohttpd
import Glibc
public import HTTPTypes
import Linux
public import Timeline
import TouchgateAPI

/// HTTP/1.1 on a Unix stream socket, with libmicrohttpd in external epoll mode, without a thread.
///
/// It never calls the application. Complete requests are collected as values while their connections are suspended; the
/// loop takes them with `takeRequests()` after each `acceptConnections`, `run` and `timePassed`, and answers each with
/// `respond`, at once or later. Each connection has one request at a time and is kept alive. A client that sends or reads
/// nothing for `Limits.requestSeconds` is dropped, also between two requests. SIGPIPE is never raised: all sends use
/// MSG_NOSIGNAL.
public final class HTTPServer {
  /// Watched for reading by the loop, which then calls `acceptConnections`. -1 after `stop()`.
  public private(set) var listeningDescriptor: CInt
  /// Watched for reading by the loop, which then calls `run`. Valid as long as the server exists.
  public var eventDescriptor: CInt { readiness.descriptor }

  private let readiness: Readiness
  private let exchange: Exchange
  private let surplus: SurplusConnections
  /// Nil once stopped.
  private var daemon: OpaquePointer?
  /// Closed for a moment to accept and close a connection when no descriptor is left; otherwise the backlog would keep
  /// the loop busy.
  private var spare: CInt

  /// Memory of one connection in libmicrohttpd, in bytes: the head of a request (well above `Limits.header`, which is
  /// checked here), then the piece of the body just read.
  private static let memoryPerConnection = 4 * Limits.header
  /// Most pieces read in one `run`, and connections accepted at once, so that no client delays a touch.
  private static let rounds = 16

  /// `listening`: a bound, listening Unix stream socket, of this process or from systemd. Owned from now on, even if
  /// this throws. `peer`: who is at the other end of a descriptor; nil: asks the kernel.
  public init(listening: CInt, peer: ((CInt) -> Peer)? = nil) throws(SocketError) {
    listeningDescriptor = listening
    spare = -1
    do throws(SocketError) {
      if tg_set_nonblocking(listening) != 0 {
        throw SocketError.system(call: "fcntl", path: "the listening socket", errno: errno)
      }
      readiness = try Readiness()
      surplus = SurplusConnections(readiness)
      exchange = Exchange(readiness: readiness, peer: peer ?? PeerCredentials.read)
      daemon = tg_http_start(
        onAccess, onRequestEnded, onConnection, onTarget, Unmanaged.passUnretained(exchange).toOpaque(),
        Self.memoryPerConnection)
      guard daemon != nil else { throw SocketError.notStarted }
    } catch {
      close(listening)
      throw error
    }
    // From here on deinit closes everything, even if this throws.
    if let daemon { try readiness.add(tg_http_epoll_descriptor(daemon)) }
    spare = openSpare()
  }

  deinit { stop() }

  /// Number of open connections.
  public var openConnections: Int { exchange.connections.count }

  /// Accepts waiting connections (accept(2)), at most `rounds` at a time, so that a client that keeps connecting does not
  /// occupy the loop. Connections above `Limits.connections` wait for a place for a moment and are then refused; at the
  /// total, one of the user who has the most is closed instead.
  public func acceptConnections(now: Instant) {
    guard let daemon else { return }
    exchange.now = now
    for _ in 0..<Self.rounds {
      guard let client = acceptOne() else { break }
      if let refusal = refusal(client) {
        surplus.add(client, of: exchange.peer(client).uid, refusal, now: now)
      } else {
        serve(client, daemon)
      }
    }
    run(now: now)
  }

  /// Reads and writes as far as possible, without waiting.
  public func run(now: Instant) {
    guard let daemon else { return }
    exchange.now = now
    for token in readiness.takeHungUp() { exchange.hungUp(token) }
    if !runDaemon(daemon) { readiness.wake() }
    // After that, because connections have ended.
    surplus.run(now: now, hasPlace: hasPlace) { client in
      serve(client, daemon)
      readiness.wake()
    }
  }

  /// Returns false if something is left to do. libmicrohttpd is edge-triggered: unread bytes do not make its descriptor
  /// readable again.
  private func runDaemon(_ daemon: OpaquePointer) -> Bool {
    for _ in 0..<Self.rounds {
      _ = MHD_run(daemon)
      var milliseconds: CUnsignedLongLong = 1
      if MHD_get_timeout(daemon, &milliseconds) == .NO || milliseconds > 0 { return true }
    }
    return false
  }

  /// The requests that were completed since the last call, in that order. A client may already be gone.
  public func takeRequests() -> [IncomingRequest] { exchange.takeComplete() }

  /// Admits a request whose answer comes late or stays open: its connection then counts against `Limits.openRequests`, not
  /// `Limits.connections`. Returns the refusal if there are too many; at the total, the last of the user who has the most is
  /// closed instead.
  public func keepOpen(_ token: RequestToken) -> HTTPResponse? {
    guard let connection = exchange.waiting(token), !connection.isKeptOpen else { return nil }
    switch Limits.openRequests.verdict(exchange.owners(keptOpen: true), adding: connection.peer.uid) {
    case .admitted: break
    case .givesWay(let other): exchange.giveWay(of: other, keptOpen: true)
    case .tooManyOfUser: return ServerRefusal.tooManyOpenRequestsOfUser.response
    case .tooMany: return ServerRefusal.tooManyOpenRequests.response
    }
    connection.isKeptOpen = true
    if !surplus.isEmpty { readiness.wake() }
    return nil
  }

  /// Answers a request. The response is sent by the next `run`, for which `eventDescriptor` becomes readable. Has no
  /// effect if the request is already answered or its client is gone.
  public func respond(_ token: RequestToken, _ response: HTTPResponse) {
    exchange.resume(token, .answered(response))
    readiness.wake()
  }

  // MARK: Streams

  /// Answers 200 with a stream of lines (application/x-ndjson): `write` and `end`. The head is sent at once. Has no effect
  /// if the request is already answered or its client is gone.
  public func openStream(_ token: RequestToken) {
    exchange.open(token)
    readiness.wake()
  }

  /// Appends to a stream. A client that reads nothing for `Limits.requestSeconds` is dropped.
  ///
  /// - Returns: false if nothing was appended, because the client reads too slowly and the buffer is full, or because the
  ///   stream has ended.
  public func write(_ token: RequestToken, _ bytes: [UInt8], now: Instant) -> Bool {
    guard let stream = exchange.stream(token), !stream.isEnded, stream.append(bytes, now: now) else { return false }
    exchange.wake(token)
    readiness.wake()
    return true
  }

  /// Number of bytes that the client of a stream has not read yet; nil: there is no such stream.
  public func unsent(_ token: RequestToken) -> Int? { exchange.stream(token)?.count }

  /// Ends a stream after everything that was written.
  public func end(_ token: RequestToken) {
    exchange.stream(token)?.isEnded = true
    exchange.wake(token)
    readiness.wake()
  }

  /// The waiting requests and the streams whose clients are gone, and the streams that have ended, since the last call.
  public func takeGone() -> [RequestToken] { exchange.takeGone() }

  /// When to call `timePassed`; nil: never.
  public var nextDeadline: Instant? {
    (exchange.connections.values.compactMap(\.deadline) + [surplus.nextDeadline].compactMap(\.self)).min()
  }

  /// Drops the connections that are too slow.
  public func timePassed(now: Instant) {
    var due = surplus.nextDeadline.map { $0 <= now } ?? false
    for connection in exchange.connections.values {
      guard let deadline = connection.deadline, deadline <= now else { continue }
      // libmicrohttpd reports the end of a stream later.
      if case .streaming = connection.phase {} else { connection.phase = .dropped }
      // libmicrohttpd owns the descriptor; it reads the end and closes it.
      _ = shutdown(connection.descriptor, CInt(SHUT_RDWR))
      due = true
    }
    if due { run(now: now) }
  }

  /// Whether a request is being received or an answer being sent, or a client has been idle for less than `limit` and may
  /// be about to send a request. Requests that wait for their answer do not count.
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

  /// Stops accepting and answering, and closes all connections. Answers given before are sent only if `run` was called
  /// since. The loop must no longer watch `listeningDescriptor`.
  public func stop() {
    guard let daemon else { return }
    self.daemon = nil
    surplus.closeAll()
    // libmicrohttpd aborts if a connection is still suspended.
    exchange.resumeAllToClose()
    MHD_stop_daemon(daemon)
    close(listeningDescriptor)
    listeningDescriptor = -1
    if spare >= 0 { close(spare) }
  }

  /// The next connection, non-blocking and close-on-exec; nil if none is waiting.
  private func acceptOne() -> CInt? {
    while true {
      let client = retry { accept(listeningDescriptor, nil, nil) }
      if client >= 0 {
        _ = tg_set_nonblocking(client)
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        return client
      }
      switch errno {
      case ECONNABORTED: continue
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

  private func serve(_ client: CInt, _ daemon: OpaquePointer) {
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNIX)
    _ = MHD_add_connection(daemon, client, &address, socklen_t(MemoryLayout<sockaddr>.size))
  }

  /// Whether a user may have one more connection, without any that gives way.
  private func hasPlace(_ uid: UInt32) -> Bool {
    Limits.connections.verdict(exchange.owners(keptOpen: false), adding: uid) == .admitted
  }

  private func refusal(_ client: CInt) -> ServerRefusal? {
    switch Limits.connections.verdict(exchange.owners(keptOpen: false), adding: exchange.peer(client).uid) {
    case .admitted: return nil
    case .tooManyOfUser: return .tooManyConnectionsOfUser
    case .tooMany: return .tooManyConnections
    case .givesWay(let other):
      exchange.giveWay(of: other, keptOpen: false)
      return nil
    }
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
