import FoundationEssentials
import Glibc
public import TouchgateAPI

/// The service on this machine. Every call connects, asks, waits for the answer and disconnects, so that a value
/// outlives restarts of the service.
///
///     import TouchgateClient
///     if try TouchgateConnection().isTouched() { … }
public struct TouchgateConnection: Sendable {
  public static let defaultPath = "/run/touchgate/touchgate.sock"

  /// The socket asked.
  public let path: String
  /// For a whole call; nil waits for as long as it takes.
  public let timeout: Duration?

  /// `path` nil: `TOUCHGATE_SOCKET` of the environment, else `defaultPath`.
  public init(path: String? = nil, timeout: Duration? = nil) {
    self.path = path ?? getenv("TOUCHGATE_SOCKET").map { String(cString: $0) } ?? Self.defaultPath
    self.timeout = timeout
  }

  /// Whether somebody touches a screen, or a grace time runs. Throws `unknownWhetherTouched` where the service cannot
  /// tell, because that is not a no.
  public func isTouched() throws(ClientError) -> Bool {
    let status = try status()
    if status.gate.state == "unknown" {
      throw .unknownWhetherTouched(reason: status.gate.reason ?? "it does not say why")
    }
    return status.touched
  }

  /// Returns once the update is durable: it will be applied, also after a crash.
  /// `wait`: the answer comes when it has ended, or then; `dryRun`: nothing is stored, and the answer says what would be
  /// in the way; `ifQuiet`: refused (423) where anything would be.
  public func submit(
    _ request: SubmitRequest, wait: String? = nil, dryRun: Bool = false, ifQuiet: Bool = false
  ) throws(ClientError) -> UpdateReply {
    let query = query([("wait", wait), ("dryRun", dryRun ? "1" : nil), ("ifQuiet", ifQuiet ? "1" : nil)])
    return try call("POST", "/v1/updates" + query, encoded(request))
  }

  /// What follows the path: the items that have a value.
  func query(_ items: [(name: String, value: String?)]) -> String {
    let given = items.compactMap { item in item.value.map { "\(item.name)=\(percentEncoded($0))" } }
    return given.isEmpty ? "" : "?" + given.joined(separator: "&")
  }

  func encoded(_ request: some Encodable) throws(ClientError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let body = try? encoder.encode(request) else {
      // Strings always encode.
      throw .malformedReply("the request cannot be written as JSON")
    }
    return Array(body)
  }

  public func status() throws(ClientError) -> StatusReply {
    try call("GET", "/v1/status")
  }

  /// In the order of the service. `state` nil: all; `limit` nil: as many as the service gives.
  public func updates(state: String? = nil, limit: Int? = nil) throws(ClientError) -> [UpdateReply] {
    let query = query([("state", state), ("limit", limit.map { "\($0)" })])
    let reply: UpdateListReply = try call("GET", "/v1/updates" + query)
    return reply.updates
  }

  /// Throws `refused` with status 404 where there is no such update.
  public func update(_ id: String) throws(ClientError) -> UpdateReply {
    try call("GET", "/v1/updates/\(percentEncoded(id))")
  }

  /// What was submitted with it; empty where nothing was. Throws as `cancel`, also once it has ended.
  public func payload(of id: String) throws(ClientError) -> [UInt8] {
    let (status, body) = try send(method: "GET", path: "/v1/updates/\(percentEncoded(id))/payload")
    if status != 200 { throw .refused(status: status, problem(status, body)) }
    return body
  }

  /// By name. Throws as `payload`.
  public func parameters(of id: String) throws(ClientError) -> [String: String] {
    try call("GET", "/v1/updates/\(percentEncoded(id))/parameters")
  }

  /// The update, cancelled. Throws `refused` with status 404 where there is no such update, 409 where it is being
  /// applied or has ended, 403 where it belongs to somebody else.
  public func cancel(_ id: String) throws(ClientError) -> UpdateReply {
    try call("DELETE", "/v1/updates/\(percentEncoded(id))")
  }

  /// It no longer waits for its quiet period, for `notBefore` or after a failure; still for the screen. Returns at
  /// once, with what blocks it now; throws as `cancel`.
  public func apply(_ id: String) throws(ClientError) -> UpdateReply {
    try call("POST", "/v1/updates/\(percentEncoded(id))/apply")
  }

  /// It waits for nothing any more but the update that is being applied: not for the screen either. Throws as `cancel`;
  /// 403 where the caller lacks the right `Force=`.
  public func force(_ id: String) throws(ClientError) -> UpdateReply {
    try call("POST", "/v1/updates/\(percentEncoded(id))/force")
  }

  /// One that has ended otherwise than applied waits again. Throws as `cancel`; 409 where it has not ended so.
  public func retry(_ id: String) throws(ClientError) -> UpdateReply {
    try call("POST", "/v1/updates/\(percentEncoded(id))/retry")
  }

  /// Nothing is applied until `resume`, over restarts too. Throws `refused` with 403 without the right `Admin=`.
  public func pause(reason: String? = nil) throws(ClientError) -> PauseReply {
    try call("POST", "/v1/pause", encoded(PauseRequest(reason: reason)))
  }

  /// Throws `refused` with 409 where nothing is paused.
  public func resume() throws(ClientError) {
    let _: AboutReply = try call("POST", "/v1/resume")
  }

  /// Any call: `target` is path and query, percent-encoded. An error status does not throw.
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

  /// HTTP/1.0: the answer ends where the connection does.
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

  /// What an error says; libmicrohttpd's own ones are not JSON.
  func problem(_ status: Int, _ body: [UInt8]) -> Problem {
    if let reply = try? JSONDecoder().decode(ProblemReply.self, from: Data(body)) { return reply.error }
    let text = String(decoding: body.prefix(200), as: UTF8.self)
    return Problem(code: "http\(status)", message: "HTTP status \(status): \(text)")
  }
}

/// For a path segment or a query value: everything but unreserved characters as %HH (RFC 3986, 2.3).
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
