import FoundationEssentials
import HTTPTypes
import TouchgateAPI

/// What the server answers by itself, before the application sees a request: one case per message.
enum ServerRefusal: CaseIterable {
  case bodyTooLarge
  case headerTooLarge
  case queryTooLong
  case unclearLength
  case malformedURL
  case tooManyConnections
  case tooManyConnectionsOfUser
  case tooManyOpenRequests
  case tooManyOpenRequestsOfUser

  /// Status, code and message.
  private var row: (Int, String, String) {
    switch self {
    case .bodyTooLarge:
      (
        413, "bodyTooLarge",
        "the body is larger than \(Limits.body) bytes; a payload has at most \(Limits.payload) bytes"
      )
    case .headerTooLarge:
      (431, "headerTooLarge", "request line and headers are larger than \(Limits.header) bytes")
    case .queryTooLong: (431, "queryTooLong", "the query has more than \(Limits.queryNames) names")
    case .unclearLength:
      (
        400, "unclearLength",
        "the length of the body is ambiguous; send one Content-Length, or Transfer-Encoding: chunked"
      )
    case .malformedURL: (400, "malformedURL", "the URL must be UTF-8, percent-encoded, without NUL")
    case .tooManyConnections:
      (
        503, "tooManyConnections",
        "\(Limits.connections.all) connections are open, which is the maximum; try again later"
      )
    case .tooManyConnectionsOfUser:
      (
        429, "tooManyConnections",
        "this user has \(Limits.connections.perUser) connections open, which is the maximum; close some of them"
      )
    case .tooManyOpenRequests:
      (
        503, "tooManyOpenRequests",
        "\(Limits.openRequests.all) requests are waiting or open, which is the maximum; try again later"
      )
    case .tooManyOpenRequestsOfUser:
      (
        429, "tooManyOpenRequests",
        "this user has \(Limits.openRequests.perUser) requests that are waiting or open (wait, run, hold, events, "
          + "deliveries), which is the maximum; end some of them"
      )
    }
  }

  var response: HTTPResponse {
    let (status, code, message) = row
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Two strings always encode.
    let body = (try? encoder.encode(ProblemReply(Problem(code: code, message: message)))) ?? Data()
    return HTTPResponse(status: status, body: Array(body))
  }

  /// The bytes on the wire, for a connection that libmicrohttpd does not answer.
  var bytes: [UInt8] {
    let response = response
    let reasons = [429: "Too Many Requests", 431: "Request Header Fields Too Large"]
    let reason = reasons[response.status] ?? "Service Unavailable"
    let head =
      "HTTP/1.1 \(response.status) \(reason)\r\nContent-Type: \(response.contentType)\r\nRetry-After: 1\r\n"
      + "Content-Length: \(response.body.count)\r\nConnection: close\r\n\r\n"
    return Array(head.utf8) + response.body
  }
}
