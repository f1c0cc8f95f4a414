import HTTPTypes
import PlainWords
import Testing
import TouchgateAPI

@testable import SocketServer

@Suite("Messages of the server itself")
struct ServerRefusalTests {
  @Test("messages are plain words, and state the limit that was exceeded")
  func plain() {
    let limits: [ServerRefusal: Int] = [
      .bodyTooLarge: Limits.body, .headerTooLarge: Limits.header, .queryTooLong: Limits.queryNames,
      .tooManyConnections: Limits.connections.all, .tooManyConnectionsOfUser: Limits.connections.perUser,
      .tooManyOpenRequests: Limits.openRequests.all, .tooManyOpenRequestsOfUser: Limits.openRequests.perUser,
    ]
    for refusal in ServerRefusal.allCases {
      let text = String(decoding: refusal.response.body, as: UTF8.self)
      #expect(PlainWords.violations(text) == [])
      #expect(text.hasPrefix("{\"error\":{\"code\":\""))
      if let limit = limits[refusal] { #expect(text.contains("\(limit) "), "\(text)") }
    }
  }

  @Test("a refusal as bytes is a complete response that closes the connection")
  func bytes() {
    let text = String(decoding: ServerRefusal.tooManyConnectionsOfUser.bytes, as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 429 Too Many Requests\r\n") && text.contains("\r\nConnection: close\r\n\r\n{"))
    let body = ServerRefusal.tooManyConnectionsOfUser.response.body
    #expect(text.contains("\r\nContent-Length: \(body.count)\r\n"))
  }

  @Test("errors of the socket are plain words")
  func errors() {
    let errors: [SocketError] = [
      .unusablePath("x"), .notASocket(path: "x"), .alreadyRunning(path: "x"), .notStarted,
      .system(call: "bind", path: "x", errno: 13), .system(call: "bind", path: "x", errno: 2),
      .system(call: "socket", path: "x", errno: 24), .system(call: "socket", path: "x", errno: 1000),
    ]
    for error in errors { #expect(PlainWords.violations(error.description) == []) }
  }
}
