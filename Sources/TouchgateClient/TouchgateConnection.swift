import FoundationEssentials
import Glibc
public import TouchgateAPI

/// The service on this machine. Every call makes its own connection, so a value stays valid when the service restarts.
///
///     import TouchgateClient
///     if try TouchgateConnection().isTouched() { … }
public struct TouchgateConnection: Sendable {
  /// The socket of the installed service.
  public static let defaultPath = "/run/touchgate/touchgate.sock"

  /// The path of the socket.
  public let path: String
  /// The time limit of a whole call; nil: no limit.
  public let timeout: Duration?

  /// If `path` is nil, uses the environment variable `TOUCHGATE_SOCKET`, or `defaultPath` if it is not set.
  public init(path: String? = nil, timeout: Duration? = nil) {
    self.path = path ?? getenv("TOUCHGATE_SOCKET").map { String(cString: $0) } ?? Self.defaultPath
    self.timeout = timeout
  }

  /// Whether a screen has a contact, or is still in its grace time after one. Throws `unknownWhetherTouched` if the gate
  /// state is unknown, because that does not mean "not touched".
  public func isTouched() throws(ClientError) -> Bool {
    let status = try status()
    if status.gate.state == "unknown" {
      throw .unknownWhetherTouched(reason: status.gate.reason ?? "no reason given")
    }
    return status.touched
  }

  /// Submits an update and returns once it is on disk: it is applied even after a crash.
  ///
  /// - Parameters:
  ///   - wait: return when the update has ended, or after this time span, such as `30s`.
  ///   - dryRun: store nothing; the reply has the blockers that the update would have.
  ///   - ifQuiet: throw `refused` with status 423 if the update would have a blocker.
  public func submit(
    _ request: SubmitRequest, wait: String? = nil, dryRun: Bool = false, ifQuiet: Bool = false
  ) throws(ClientError) -> UpdateReply {
    let query = query([("wait", wait), ("dryRun", dryRun ? "1" : nil), ("ifQuiet", ifQuiet ? "1" : nil)])
    return try call("POST", "/v1/updates" + query, encoded(request))
  }

  /// The query of a request target: the items that have a value.
  func query(_ items: [(name: String, value: String?)]) -> String {
    let given = items.compactMap { item in item.value.map { "\(item.name)=\(percentEncoded($0))" } }
    return given.isEmpty ? "" : "?" + given.joined(separator: "&")
  }

  func encoded(_ request: some Encodable) throws(ClientError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let body = try? encoder.encode(request) else {
      // Strings always encode.
      throw .malformedReply("the request cannot be encoded as JSON")
    }
    return Array(body)
  }

  /// The screens, the queue and the last result.
  public func status() throws(ClientError) -> StatusReply {
    try call("GET", "/v1/status")
  }

  /// Updates, newest first: those in `state` (nil: in any), at most `limit` (1 to 1000; nil: 100).
  public func updates(state: String? = nil, limit: Int? = nil) throws(ClientError) -> [UpdateReply] {
    let query = query([("state", state), ("limit", limit.map { "\($0)" })])
    let reply: UpdateListReply = try call("GET", "/v1/updates" + query)
    return reply.updates
  }

  /// One update. `user`: whose own ID it is, if that is not the caller; for administrators. Throws `refused` with status 404
  /// if there is none with this ID.
  public func update(_ id: String, user: UInt32? = nil) throws(ClientError) -> UpdateReply {
    try call("GET", target(id, user))
  }

  /// The payload as it was submitted; empty if there is none, or if it is no longer stored. Throws `refused` with status
  /// 404 if there is no update with this ID, 403 without permission.
  public func payload(of id: String, user: UInt32? = nil) throws(ClientError) -> [UInt8] {
    let (status, body) = try send(method: "GET", path: target(id, user, "/payload"))
    if status != 200 { throw .refused(status: status, problem(status, body)) }
    return body
  }

  /// The parameters as they were submitted, by name. Throws as `payload` does.
  public func parameters(of id: String, user: UInt32? = nil) throws(ClientError) -> [String: String] {
    try call("GET", target(id, user, "/parameters"))
  }

  /// Cancels a waiting update and returns it. Throws `refused` with status 404 if there is none with this ID, 409 if it
  /// is being applied or has ended, 403 if it belongs to another user.
  public func cancel(_ id: String, user: UInt32? = nil) throws(ClientError) -> UpdateReply {
    try call("DELETE", target(id, user))
  }

  /// Expedites an update: it no longer waits for its quiet period, its `notBefore` or its backoff, but still for the last
  /// contact to end. Returns at once, with the remaining blockers. Throws as `cancel` does.
  public func apply(_ id: String, user: UInt32? = nil) throws(ClientError) -> UpdateReply {
    try call("POST", target(id, user, "/apply"))
  }

  /// Forces an update: it waits for nothing but an update that is already being applied, even while a screen is touched.
  /// Throws as `cancel` does, and `refused` with status 403 without the right `Force=`.
  public func force(_ id: String, user: UInt32? = nil) throws(ClientError) -> UpdateReply {
    try call("POST", target(id, user, "/force"))
  }

  /// Queues an update again that was not applied. Throws as `cancel` does, and `refused` with status 409 if it was applied
  /// or has not ended.
  public func retry(_ id: String, user: UInt32? = nil) throws(ClientError) -> UpdateReply {
    try call("POST", target(id, user, "/retry"))
  }

  /// Stops applying updates until `resume`, even across restarts. Throws `refused` with status 403 without the right
  /// `Admin=`.
  public func pause(reason: String? = nil) throws(ClientError) -> PauseReply {
    try call("POST", "/v1/pause", encoded(PauseRequest(reason: reason)))
  }

  /// Ends a pause. Throws `refused` with status 409 if updates are not paused.
  public func resume() throws(ClientError) {
    let _: AboutReply = try call("POST", "/v1/resume")
  }

  /// The path of an update, with what follows it and the query.
  func target(_ id: String, _ user: UInt32?, _ rest: String = "", _ more: [(String, String?)] = []) -> String {
    "/v1/updates/\(percentEncoded(id))\(rest)" + query([("user", user.map { "\($0)" })] + more)
  }

  /// Makes any call. `target` is the path with its query, percent-encoded. An error status is returned, not thrown.
  public func send(
    method: String, path target: String, body: [UInt8] = []
  ) throws(ClientError) -> (status: Int, body: [UInt8]) {
    let stream = try UnixStream(path: path, timeout: timeout)
    try stream.send(Self.request(method, target, body))
    let received = try stream.receiveAll(limit: Self.replyLimit)
    if received.isEmpty { throw .noReply(path: path) }
    let reply = try HTTPReply(parsing: received)
    return (reply.status, reply.body)
  }

  /// A request of HTTP/1.0, whose answer ends with the connection.
  static func request(_ method: String, _ target: String, _ body: [UInt8]) -> [UInt8] {
    let head =
      "\(method) \(target) HTTP/1.0\r\nHost: touchgate\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body
  }

  private static let replyLimit = 64 * 1024 * 1024

  func call<Reply: Decodable>(
    _ method: String, _ target: String, _ body: [UInt8] = []
  ) throws(ClientError) -> Reply {
    let (status, body) = try send(method: method, path: target, body: body)
    if !(200..<300).contains(status) { throw .refused(status: status, problem(status, body)) }
    do {
      return try JSONDecoder().decode(Reply.self, from: Data(body))
    } catch {
      throw .malformedReply("\(method) \(target): \(error)")
    }
  }

  /// The error in a body. Those that libmicrohttpd writes itself are not JSON.
  func problem(_ status: Int, _ body: [UInt8]) -> Problem {
    if let reply = try? JSONDecoder().decode(ProblemReply.self, from: Data(body)) { return reply.error }
    let text = String(decoding: body.prefix(200), as: UTF8.self)
    return Problem(code: "http\(status)", message: "HTTP status \(status): \(text)")
  }
}

/// Encodes a path segment or a query value: everything but unreserved characters as %HH (RFC 3986, section 2.3).
func percentEncoded(_ text: String) -> String {
  var result = ""
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      result.unicodeScalars.append(Unicode.Scalar(byte))
    default:
      result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
  }
  return result
}
