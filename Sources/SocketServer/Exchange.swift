import CLinux
import CMicrohttpd
import Glibc
import HTTPTypes
import Timeline
import TouchgateAPI

/// The state of libmicrohttpd's callbacks: the connections and the complete requests. Nothing of the application runs
/// inside the callbacks.
final class Exchange {
  private(set) var connections: [OpaquePointer: Connection] = [:]
  private var waiting: [RequestToken: Connection] = [:]
  private var streaming: [RequestToken: Connection] = [:]
  private var gone: [RequestToken] = []
  private var complete: [IncomingRequest] = []
  private var lastToken: UInt64 = 0
  private var lastNumber: UInt64 = 0
  private let readiness: Readiness
  /// Set before libmicrohttpd is called.
  var now = Instant.distantPast

  /// Who is at the other end of a descriptor.
  let peer: (CInt) -> Peer

  init(readiness: Readiness, peer: @escaping (CInt) -> Peer) {
    self.readiness = readiness
    self.peer = peer
  }

  func takeComplete() -> [IncomingRequest] {
    defer { complete = [] }
    return complete
  }

  func takeGone() -> [RequestToken] {
    defer { gone = [] }
    return gone
  }

  /// The user of each connection that stays, of those that are kept open or of the others.
  func owners(keptOpen: Bool) -> [UInt32] {
    connections.values.filter { !$0.givesWay && $0.isKeptOpen == keptOpen }.map(\.peer.uid)
  }

  /// The connection of a request that has no answer yet.
  func waiting(_ token: RequestToken) -> Connection? { waiting[token] }

  /// Closes a connection of this user: the last that is idle, else the last that came.
  func giveWay(of uid: UInt32, keptOpen: Bool) {
    let own = connections.values.filter { $0.peer.uid == uid && !$0.givesWay && $0.isKeptOpen == keptOpen }
    own.max { ($0.isIdle ? 1 : 0, $0.number) < ($1.isIdle ? 1 : 0, $1.number) }?.giveWay()
  }

  /// The client of a waiting request or of a stream is gone.
  func hungUp(_ token: RequestToken) {
    if waiting[token] != nil {
      gone.append(token)
      resume(token, .dropped)
    } else if let connection = streaming[token], case .streaming(let stream) = connection.phase {
      stream.isEnded = true
      wake(stream, connection)
    }
  }

  func stream(_ token: RequestToken) -> ResponseStream? {
    switch streaming[token]?.phase {
    case .opening(let stream), .streaming(let stream): stream
    default: nil
    }
  }

  func open(_ token: RequestToken) {
    guard let connection = waiting[token] else { return }
    streaming[token] = connection
    resume(token, .opening(ResponseStream(token)))
  }

  /// A stream has something to send, or has ended.
  func wake(_ token: RequestToken) {
    guard let connection = streaming[token], case .streaming(let stream) = connection.phase else { return }
    wake(stream, connection)
  }

  private func wake(_ stream: ResponseStream, _ connection: Connection) {
    guard stream.isSuspended else { return }
    stream.isSuspended = false
    readiness.unwatch(connection.descriptor)
    MHD_resume_connection(connection.handle)
  }

  /// Ends the wait of a request; no effect if the token is unknown or its client is gone.
  func resume(_ token: RequestToken, _ phase: Connection.Phase) {
    guard let connection = waiting.removeValue(forKey: token) else { return }
    readiness.unwatch(connection.descriptor)
    connection.phase = phase
    if case .answered = phase { connection.isKeptOpen = false }
    MHD_resume_connection(connection.handle)
  }

  func resumeAllToClose() {
    for token in Array(waiting.keys) { resume(token, .dropped) }
    for (token, connection) in streaming {
      if case .streaming(let stream) = connection.phase { stream.isEnded = true }
      wake(token)
    }
  }

  // MARK: Called by libmicrohttpd

  func opened(_ handle: OpaquePointer) {
    lastNumber += 1
    connections[handle] = Connection(handle, peer: peer, number: lastNumber, now: now)
  }

  func closed(_ handle: OpaquePointer) {
    connections[handle] = nil
  }

  /// Refuses a query with too many names here: libmicrohttpd has no memory for them later, and then (tested with 0.9.75)
  /// neither answers nor closes.
  func begins(_ handle: OpaquePointer, target: UnsafePointer<CChar>) {
    guard let connection = connections[handle] else { return }
    var (names, position) = (1, target)
    while position.pointee != 0 {
      if position.pointee == CChar(UInt8(ascii: "&")) { names += 1 }
      position += 1
    }
    if names <= Limits.queryNames { return }
    connection.phase = .dropped
    let bytes = ServerRefusal.queryTooLong.bytes
    _ = Glibc.send(connection.descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
    _ = shutdown(connection.descriptor, CInt(SHUT_RDWR))
  }

  /// A request has ended, for any reason; its connection may continue.
  func ended(_ handle: OpaquePointer) {
    guard let connection = connections[handle] else { return }
    connection.isKeptOpen = false
    switch connection.phase {
    case .waiting(let token):
      waiting[token] = nil
      readiness.unwatch(connection.descriptor)
      connection.phase = .idle(since: now)
      gone.append(token)
    case .opening(let stream), .streaming(let stream):
      streaming[stream.token] = nil
      if stream.isSuspended { readiness.unwatch(connection.descriptor) }
      connection.phase = .idle(since: now)
      gone.append(stream.token)
    case .idle, .receiving, .answered, .sending:
      connection.phase = .idle(since: now)
    case .dropped: break
    }
  }

  /// The access handler: called with the head, with each piece of the body, with its end, and after a resume.
  func handle(
    _ handle: OpaquePointer, method: UnsafePointer<CChar>, url: UnsafePointer<CChar>, piece: UnsafeRawBufferPointer
  ) -> MHD_Result {
    guard let connection = connections[handle] else { return .NO }
    switch connection.phase {
    case .idle(let since):
      return begin(connection, method: method, url: url, since: since)
    case .receiving(var partial, let since):
      // The body has one owner while it grows; otherwise each piece would copy all of it.
      connection.phase = .dropped
      if piece.isEmpty { return finish(connection, partial) }
      partial.append(piece)
      connection.phase = .receiving(partial, since: since)
      return .YES
    case .answered(let response):
      return send(response, to: connection)
    case .opening(let stream):
      return begin(stream, on: connection)
    case .waiting, .sending, .streaming, .dropped:
      return .NO
    }
  }

  private func begin(
    _ connection: Connection, method: UnsafePointer<CChar>, url: UnsafePointer<CChar>, since: Instant
  ) -> MHD_Result {
    // An answer here ends the connection, so a following body is never read.
    if tg_http_header_size(connection.handle) > Limits.header { return send(.headerTooLarge, to: connection) }
    // RFC 9112, section 6.3: a request whose end is ambiguous is refused.
    let (lengths, encodings) = (headers("Content-Length", of: connection), headers("Transfer-Encoding", of: connection))
    if lengths.count + encodings.count > 1 || encodings.contains(where: { $0.lowercased() != "chunked" }) {
      return send(.unclearLength, to: connection)
    }
    let length = lengths.first.map { Int($0) ?? .max } ?? 0
    if length > Limits.body { return send(.bodyTooLarge, to: connection) }
    guard let path = percentDecoded(originForm(url)), let query = queryItems(of: connection) else {
      return send(.malformedURL, to: connection)
    }
    var request = HTTPRequest(
      method: String(cString: method), path: path, query: query, contentType: header("Content-Type", of: connection),
      origin: header("Origin", of: connection), peer: connection.peer)
    request.body.reserveCapacity(min(max(0, length), 64 * 1024))
    connection.phase = .receiving(PartialRequest(request), since: since)
    return .YES
  }

  private func finish(_ connection: Connection, _ partial: PartialRequest) -> MHD_Result {
    if partial.tooLarge { return send(.bodyTooLarge, to: connection) }
    lastToken += 1
    let token = RequestToken(number: lastToken)
    connection.phase = .waiting(token)
    waiting[token] = connection
    complete.append(IncomingRequest(token: token, request: partial.request))
    readiness.watch(connection.descriptor, token)
    MHD_suspend_connection(connection.handle)
    return .YES
  }

  private func send(_ refusal: ServerRefusal, to connection: Connection) -> MHD_Result {
    send(refusal.response, to: connection)
  }

  private func send(_ response: HTTPResponse, to connection: Connection) -> MHD_Result {
    let created = response.body.withUnsafeBytes { body in
      MHD_create_response_from_buffer(
        body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let created else { return .NO }
    defer { MHD_destroy_response(created) }
    MHD_add_response_header(created, "Content-Type", response.contentType)
    for header in response.headers { MHD_add_response_header(created, header.name, header.value) }
    connection.phase = .sending(since: now)
    return MHD_queue_response(connection.handle, CUnsignedInt(clamping: response.status), created)
  }

  private func begin(_ stream: ResponseStream, on connection: Connection) -> MHD_Result {
    let source = StreamSource(stream, self, connection)
    let context = Unmanaged.passRetained(source)
    let created = MHD_create_response_from_callback(
      UInt64.max, 4096, { context, _, target, most in StreamSource.read(context, target, most) }, context.toOpaque(),
      { context in if let context { Unmanaged<StreamSource>.fromOpaque(context).release() } })
    guard let created else {
      context.release()
      return .NO
    }
    defer { MHD_destroy_response(created) }
    MHD_add_response_header(created, "Content-Type", "application/x-ndjson")
    connection.phase = .streaming(stream)
    return MHD_queue_response(connection.handle, 200, created)
  }

  /// libmicrohttpd has sent everything and asks for more. If there is nothing, it is suspended and its client watched.
  fileprivate func next(
    _ stream: ResponseStream, _ connection: Connection, into target: UnsafeMutablePointer<CChar>, at most: Int
  ) -> Int {
    if stream.count > 0 { return stream.take(into: target, at: most, now: now) }
    if stream.isEnded { return -1 }  // MHD_CONTENT_READER_END_OF_STREAM
    stream.isSuspended = true
    readiness.watch(connection.descriptor, stream.token)
    MHD_suspend_connection(connection.handle)
    return 0
  }

  private func header(_ name: String, of connection: Connection) -> String? {
    MHD_lookup_connection_value(connection.handle, .HEADER_KIND, name).map { String(cString: $0) }
  }

  private func headers(_ name: String, of connection: Connection) -> [String] {
    var values: (name: String, found: [String]) = (name, [])
    withUnsafeMutablePointer(to: &values) { pointer in
      _ = MHD_get_connection_values(
        connection.handle, .HEADER_KIND,
        { pointer, _, name, value in
          guard let values = pointer?.assumingMemoryBound(to: (name: String, found: [String]).self), let name, let value
          else { return .NO }
          if strcasecmp(name, values.pointee.name) == 0 { values.pointee.found.append(String(cString: value)) }
          return .YES
        }, pointer)
    }
    return values.found
  }

  /// Nil if one is malformed.
  private func queryItems(of connection: Connection) -> [QueryItem]? {
    var items: [QueryItem]? = []
    withUnsafeMutablePointer(to: &items) { pointer in
      _ = MHD_get_connection_values(
        connection.handle, .GET_ARGUMENT_KIND,
        { pointer, _, name, value in
          guard let items = pointer?.assumingMemoryBound(to: [QueryItem]?.self), let name else { return .NO }
          guard let name = percentDecoded(name), let value = value.map({ percentDecoded($0) }) ?? "" else {
            items.pointee = nil
            return .NO
          }
          items.pointee?.append(QueryItem(name: name, value: value))
          return .YES
        }, pointer)
    }
    return items
  }
}

/// The context of a stream's reading callback.
private final class StreamSource {
  private let stream: ResponseStream
  private let exchange: Exchange
  private let connection: Connection

  init(_ stream: ResponseStream, _ exchange: Exchange, _ connection: Connection) {
    self.stream = stream
    self.exchange = exchange
    self.connection = connection
  }

  static func read(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafeMutablePointer<CChar>?, _ most: Int
  ) -> Int {
    guard let context, let target else { return -2 }  // MHD_CONTENT_READER_END_WITH_ERROR
    let source = Unmanaged<StreamSource>.fromOpaque(context).takeUnretainedValue()
    return source.exchange.next(source.stream, source.connection, into: target, at: most)
  }
}
