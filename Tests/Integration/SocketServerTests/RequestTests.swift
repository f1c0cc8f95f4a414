import Glibc
import HTTPTypes
import SocketServer
import Testing
import TouchgateAPI

@Suite("Requests as values")
struct RequestTests {
  @Test("a complete request arrives with its peer, and its answer is sent")
  func whole() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send(
      "POST /v1/updates HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
    let incoming = try trial.takeRequest()
    #expect(
      incoming.request
        == HTTPRequest(
          method: "POST", path: "/v1/updates", contentType: "application/json", body: Array("{}".utf8),
          peer: Peer(pid: getpid(), uid: getuid(), gid: getgid())))

    trial.server.respond(
      incoming.token,
      HTTPResponse(status: 202, body: Array(#"{"id":"a"}"#.utf8), headers: [HTTPHeader("Location", "/v1/updates/a")]))
    let reply = try trial.reply(to: client)
    #expect(reply.status == 202)
    #expect(reply.body == #"{"id":"a"}"#)
    #expect(reply.head.contains("Content-Type: application/json"))
    #expect(reply.head.contains("Location: /v1/updates/a"))
  }

  @Test("a body that arrives in many pieces is joined, whatever its bytes")
  func pieces() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    let body = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    client.send("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
    for byte in stride(from: 0, to: 1000, by: 50) {
      client.send(Array(body[byte..<(byte + 50)]))
      trial.server.acceptConnections(now: trial.now)
      trial.server.run(now: trial.now)
    }
    #expect(try trial.takeRequest().request.body == body)
  }

  @Test("a chunked body of the largest allowed size arrives complete")
  func largest() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    let piece = [UInt8](repeating: 0xfe, count: 0x8000)
    client.send("PUT /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<(Limits.body / piece.count) {
      sendAll(Array("8000\r\n".utf8) + piece + Array("\r\n".utf8), client, trial)
    }
    sendAll(Array("0\r\n\r\n".utf8), client, trial)
    let body = try trial.takeRequest().request.body
    #expect(body.count == Limits.body)
    #expect(body.allSatisfy { $0 == 0xfe })
  }

  @Test("path and query are decoded, in the order of the request")
  func query() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("GET /v1/%C3%A4/a%2Fb?state=wai%74ing&limit=5&empty&state=%E2%82%AC HTTP/1.1\r\nHost: x\r\n\r\n")
    let request = try trial.takeRequest().request
    #expect(request.path == "/v1/ä/a/b")
    #expect(
      request.query == [
        QueryItem(name: "state", value: "waiting"), QueryItem(name: "limit", value: "5"),
        QueryItem(name: "empty", value: ""), QueryItem(name: "state", value: "€"),
      ])
  }

  @Test(
    "a URL that is not UTF-8, or contains an invalid escape or a NUL, is refused with 400",
    arguments: ["/v1/%FF", "/v1/%zz", "/v1/%4", "/v1/updates%00x", "/v1?a=%FF", "/v1?%C3=a"])
  func malformed(url: String) throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("GET \(url) HTTP/1.1\r\nHost: x\r\n\r\n")
    let reply = try trial.reply(to: client)
    #expect(reply.status == 400)
    #expect(reply.body.contains("malformedURL"))
    #expect(trial.requests.isEmpty)
  }

  @Test("every method arrives as a value; HEAD is answered without a body", arguments: ["HEAD", "DELETE", "BREW"])
  func methods(method: String) throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("\(method) / HTTP/1.1\r\nHost: x\r\nOrigin: http://evil.example\r\n\r\n")
    let incoming = try trial.takeRequest()
    #expect(incoming.request.method == method)
    #expect(incoming.request.origin == "http://evil.example")
    trial.server.respond(incoming.token, HTTPResponse(status: 405, body: [65]))
    #expect(
      trial.serve {
        client.receive()
        return String(decoding: client.received, as: UTF8.self).hasSuffix(method == "HEAD" ? "\r\n\r\n" : "\r\n\r\nA")
      })
  }

  @Test("requests of several clients are all received before any is answered, in any order")
  func several() throws {
    let trial = try ServerUnderTest()
    let first = try trial.client()
    let second = try trial.client()
    first.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\n")
    second.send("GET /second HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(trial.serve { trial.requests.count == 2 })
    for incoming in trial.requests.reversed() {
      trial.server.respond(incoming.token, HTTPResponse(status: 200, body: Array(incoming.request.path.utf8)))
    }
    #expect(try trial.reply(to: second).body == "/second")
    #expect(try trial.reply(to: first).body == "/first")
  }

  @Test("a connection is kept alive, and its next request waits for the previous answer")
  func keepAlive() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n!")
    let first = try trial.takeRequest()
    trial.server.run(now: trial.now)
    #expect(trial.server.takeRequests().isEmpty)
    trial.server.respond(first.token, HTTPResponse(status: 200))
    #expect(try trial.reply(to: client).status == 200)
    let second = try trial.takeRequest()
    #expect(second.request.path == "/2")
    #expect(second.request.body == [UInt8(ascii: "!")])
    #expect(second.token != first.token)
    trial.server.respond(second.token, HTTPResponse(status: 404))
    #expect(try trial.reply(to: client).status == 404)
    #expect(trial.server.openConnections == 1)
  }

  @Test("a client that closes its sending half still gets its answer")
  func halfClosed() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    client.shutdownSending()
    let incoming = try trial.takeRequest()
    trial.server.run(now: trial.now)
    trial.server.respond(incoming.token, HTTPResponse(status: 200, body: [66]))
    #expect(try trial.reply(to: client).body == "B")
    #expect(
      trial.serve {
        client.receive()
        return client.ended && trial.server.openConnections == 0
      })
  }

  private func sendAll(_ bytes: [UInt8], _ client: RawClient, _ trial: ServerUnderTest) {
    var rest = bytes[...]
    _ = trial.serve {
      rest = rest.dropFirst(max(0, client.send(Array(rest))))
      return rest.isEmpty
    }
  }
}
