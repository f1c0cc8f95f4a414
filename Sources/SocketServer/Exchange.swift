import CMicrohttpd
import Timeline
import TouchgateAPI

/// What libmicrohttpd's callbacks know and change: the connections, and the requests that are whole. They only note
/// down; nothing of the application runs inside them.
final class Exchange {
  private(set) var connections: [OpaquePointer: Connection] = [:]
  private var waiting: [RequestToken: Connection] = [:]
  private var complete: [IncomingRequest] = []
  private var lastToken: UInt64 = 0
  private let readiness: Readiness
  /// Set before libmicrohttpd is called.
  var now = Instant.distantPast

  init(readiness: Readiness) { self.readiness = readiness }

  func takeComplete() -> [IncomingRequest] {
    defer { complete = [] }
    return complete
  }

  func connections(of uid: UInt32) -> Int { connections.values.count { $0.peer.uid == uid } }

  /// Ends the wait of a request; nothing where the token is unknown or its client is gone.
  func resume(_ token: RequestToken, _ phase: Connection.Phase) {
    guard let connection = waiting.removeValue(forKey: token) else { return }
    readiness.unwatch(connection.descriptor)
    connection.phase = phase
    MHD_resume_connection(connection.handle)
  }

  func resumeAllToClose() {
    for token in Array(waiting.keys) { resume(token, .dropped) }
  }

  // MARK: Called by libmicrohttpd

  func opened(_ handle: OpaquePointer) {
    connections[handle] = Connection(handle, now: now)
  }

  func closed(_ handle: OpaquePointer) {
    connections[handle] = nil
  }

  /// A request ended in whatever way; its connection may go on.
  func ended(_ handle: OpaquePointer) {
    guard let connection = connections[handle] else { return }
    switch connection.phase {
    case .waiting(let token):
      waiting[token] = nil
      readiness.unwatch(connection.descriptor)
      connection.phase = .idle(since: now)
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
      // So that the body has one owner while it grows, else each piece would copy all of it.
      connection.phase = .dropped
      if piece.isEmpty { return finish(connection, partial) }
      partial.append(piece)
      connection.phase = .receiving(partial, since: since)
      return .YES
    case .answered(let response):
      return send(response, to: connection)
    case .waiting, .sending, .dropped:
      return .NO
    }
  }

  private func begin(
    _ connection: Connection, method: UnsafePointer<CChar>, url: UnsafePointer<CChar>, since: Instant
  ) -> MHD_Result {
    // An answer at this point ends the connection, so a body that follows is never read.
    if tg_http_header_size(connection.handle) > Limits.header { return send(Refusal.headerTooLarge, to: connection) }
    let length = header("Content-Length", of: connection).flatMap { Int($0) } ?? 0
    if length > Limits.body { return send(Refusal.bodyTooLarge, to: connection) }
    guard let path = percentDecoded(url), let query = queryItems(of: connection) else {
      return send(Refusal.malformedURL, to: connection)
    }
    var request = HTTPRequest(
      method: String(cString: method), path: path, query: query, contentType: header("Content-Type", of: connection),
      origin: header("Origin", of: connection), peer: connection.peer)
    request.body.reserveCapacity(min(max(0, length), 64 * 1024))
    connection.phase = .receiving(PartialRequest(request), since: since)
    return .YES
  }

  private func finish(_ connection: Connection, _ partial: PartialRequest) -> MHD_Result {
    if partial.tooLarge { return send(Refusal.bodyTooLarge, to: connection) }
    lastToken += 1
    let token = RequestToken(number: lastToken)
    connection.phase = .waiting(token)
    waiting[token] = connection
    complete.append(IncomingRequest(token: token, request: partial.request))
    readiness.watch(connection.descriptor, token)
    MHD_suspend_connection(connection.handle)
    return .YES
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

  private func header(_ name: String, of connection: Connection) -> String? {
    MHD_lookup_connection_value(connection.handle, .HEADER_KIND, name).map { String(cString: $0) }
  }

  /// Nil where one is malformed.
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
