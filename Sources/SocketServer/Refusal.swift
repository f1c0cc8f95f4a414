import FoundationEssentials
import HTTPTypes
import TouchgateAPI

/// What the server answers by itself, before the application sees anything.
enum Refusal {
  static let bodyTooLarge = response(
    413, "bodyTooLarge", "the request body is larger than \(Limits.body) bytes; a payload may be \(Limits.payload)")
  static let headerTooLarge = response(
    431, "headerTooLarge", "request line and headers together are larger than \(Limits.header) bytes")
  static let queryTooLong = response(431, "queryTooLong", "the query has more than \(Limits.queryNames) names")
  static let unclearLength = response(
    400, "unclearLength", "the length of the body is not clear: give one Content-Length, or Transfer-Encoding: chunked")
  static let malformedURL = response(
    400, "malformedURL", "the URL is not UTF-8 with %HH for what needs escaping")
  static let tooManyConnections = response(
    503, "tooManyConnections", "\(Limits.connections) connections are open, which is the most; try again later")
  static let tooManyConnectionsOfUser = response(
    429, "tooManyConnections",
    "this user has \(Limits.connectionsPerUser) connections open, which is the most; close some of them")

  private static func response(_ status: Int, _ code: String, _ message: String) -> HTTPResponse {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Two strings always encode.
    let body = (try? encoder.encode(ProblemReply(Problem(code: code, message: message)))) ?? Data()
    return HTTPResponse(status: status, body: Array(body))
  }

  /// The bytes on the wire, for a connection that libmicrohttpd never sees.
  static func bytes(_ response: HTTPResponse) -> [UInt8] {
    let reasons = [429: "Too Many Requests", 431: "Request Header Fields Too Large"]
    let reason = reasons[response.status] ?? "Service Unavailable"
    let head =
      "HTTP/1.1 \(response.status) \(reason)\r\nContent-Type: \(response.contentType)\r\nRetry-After: 1\r\n"
      + "Content-Length: \(response.body.count)\r\nConnection: close\r\n\r\n"
    return Array(head.utf8) + response.body
  }
}
