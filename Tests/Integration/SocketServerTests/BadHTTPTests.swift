import FoundationEssentials
import HTTPTypes
import SocketServer
import Testing
import TouchgateAPI

@Suite("Malformed and unusual HTTP")
struct BadHTTPTests {
  private static let host = "Host: x\r\n"
  private static let post = "POST /v1/updates HTTP/1.1\r\n" + host

  @Test(
    "a malformed request, or one whose end is ambiguous, gets its status, and the connection is closed",
    arguments: [
      ("HTTP/0.9", "GET /v1\r\n\r\n", 400), ("no target", "GET  HTTP/1.1\r\n\(host)\r\n", 400),
      ("no version", "GET /v1 HTTQ\r\n\(host)\r\n", 400), ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
      ("no colon", "GET /v1 HTTP/1.1\r\n\(host)x\r\n\r\n", 400),
      ("a negative length", "\(post)Content-Length: -1\r\n\r\n{}", 400),
      ("a length in words", "\(post)Content-Length: two\r\n\r\n{}", 400),
      ("a length of 2^63", "\(post)Content-Length: 9223372036854775808\r\n\r\n{}", 413),
      ("a length of 2^64 - 1", "\(post)Content-Length: 18446744073709551615\r\n\r\n{}", 413),
      ("a length of 10^23", "\(post)Content-Length: 99999999999999999999999\r\n\r\n{}", 413),
      ("two lengths", "\(post)Content-Length: 2\r\nContent-Length: 1\r\n\r\n{}", 400),
      ("a length and chunks", "\(post)Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
      ("an encoding nobody knows", "\(post)Transfer-Encoding: gzip\r\n\r\n{}", 400),
      ("two encodings", "\(post)Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n", 400),
      ("a chunk of no number", "\(post)Transfer-Encoding: chunked\r\n\r\nzz\r\n{}", 400),
      ("a chunk of -1", "\(post)Transfer-Encoding: chunked\r\n\r\n-1\r\n{}", 400),
      ("a chunk of 2^68", "\(post)Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}", 413),
      ("a large body expected", "\(post)Expect: 100-continue\r\nContent-Length: 3000000\r\n\r\n", 413),
      ("a path of 20 KB", "GET /\(String(repeating: "a", count: 20000)) HTTP/1.1\r\n\(host)\r\n", 431),
      ("a path of 100 KB", "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\n\(host)\r\n", 414),
      ("101 names in the query", "GET /v1?\(String(repeating: "a&", count: 100))a HTTP/1.1\r\n\(host)\r\n", 431),
      ("7000 names in the query", "GET /v1?\(String(repeating: "&", count: 7000)) HTTP/1.1\r\n\(host)\r\n", 431),
      ("800 cookies", "GET /v1 HTTP/1.1\r\n\(host)Cookie: \(String(repeating: "a=1;", count: 800))\r\n\r\n", 431),
      ("2000 headers", "GET /v1 HTTP/1.1\r\n\(String(repeating: "a:\r\n", count: 2000))\r\n", 431),
    ])
  func refused(what: String, text: String, status: Int) throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send(text)
    #expect(try trial.reply(to: client).status == status, "\(what)")
    #expect(trial.requests.isEmpty)
    let isClosed = trial.serve {
      client.receive()
      return client.ended && trial.server.openConnections == 0
    }
    #expect(isClosed, "\(what)")
  }

  @Test(
    "refusals of the server itself are JSON", arguments: [("Content-Length: 2\r\n", "unclearLength"), ("", "")])
  func json(header: String, code: String) throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    let names = String(repeating: "a&", count: 200)
    client.send(
      code.isEmpty
        ? "GET /v1?\(names) HTTP/1.1\r\n\(Self.host)\r\n"
        : "\(Self.post)\(header)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    let reply = try trial.reply(to: client)
    let problem = try JSONDecoder().decode(ProblemReply.self, from: Data(reply.body.utf8)).error
    #expect(problem.code == (code.isEmpty ? "queryTooLong" : code))
    #expect(reply.head.contains("Content-Type: application/json"))
  }

  @Test(
    "unusual but correct requests are accepted",
    arguments: [
      ("HTTP/1.0", "GET /v1 HTTP/1.0\r\n\r\n", "/v1", ""), ("no Host", "GET /v1 HTTP/1.1\r\n\r\n", "/v1", ""),
      ("empty lines before", "\r\n\r\nGET /v1 HTTP/1.1\r\n\(host)\r\n", "/v1", ""),
      ("the whole address", "GET http://localhost/v1?a=%C3%A4 HTTP/1.1\r\n\(host)\r\n", "/v1", ""),
      ("the whole address, shouted", "GET HTTP://X:80/v1 HTTP/1.1\r\n\(host)\r\n", "/v1", ""),
      ("an asterisk", "OPTIONS * HTTP/1.1\r\n\(host)\r\n", "*", ""),
      ("two slashes", "GET //v1 HTTP/1.1\r\n\(host)\r\n", "//v1", ""),
      ("dots", "GET /v1/../v1 HTTP/1.1\r\n\(host)\r\n", "/v1/../v1", ""),
      ("an encoded slash", "GET /v1%2fupdates HTTP/1.1\r\n\(host)\r\n", "/v1/updates", ""),
      ("100 names", "GET /v1?\(String(repeating: "a&", count: 99))a HTTP/1.1\r\n\(host)\r\n", "/v1", ""),
      ("a path of 7 KB", "GET /\(String(repeating: "a", count: 7000)) HTTP/1.1\r\n\(host)\r\n", nil, ""),
      ("an upgrade", "GET /v1 HTTP/1.1\r\n\(host)Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", "/v1", ""),
      ("another expectation", "\(post)Expect: cake\r\nContent-Length: 2\r\n\r\n{}", "/v1/updates", "{}"),
      (
        "chunks with an extension and a trailer",
        "\(post)Transfer-Encoding: Chunked\r\n\r\n1;a=b\r\n{\r\n1\r\n}\r\n0\r\nX: y\r\n\r\n", "/v1/updates", "{}"
      ),
    ] as [(String, String, String?, String)])
  func taken(what: String, text: String, path: String?, body: String) throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send(text)
    let request = try trial.takeRequest().request
    if let path { #expect(request.path == path, "\(what)") }
    #expect(String(decoding: request.body, as: UTF8.self) == body)
  }

  @Test("a client that expects 100 Continue gets it, and then its body is read")
  func expectContinue() throws {
    let trial = try ServerUnderTest()
    let client = try trial.client()
    client.send("\(Self.post)Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(try trial.reply(to: client).status == 100)
    client.send("{}")
    #expect(try trial.takeRequest().request.body == Array("{}".utf8))
  }
}
