import FoundationEssentials
import Glibc
import HTTPTypes
import SocketServer
import Testing
import TouchgateAPI
import TouchgateClient

@Suite("The client library")
struct ClientTests {
  static let waiting = UpdateReply(
    id: "01J", handler: "reload", state: "waiting", createdAt: "2026-11-30T02:14:07.250Z", attempts: 0, checks: 41,
    blockers: [BlockerReply(code: "touched", since: "2026-11-30T02:14:07.250Z", contacts: 2, clears: "no contact")],
    result: nil)

  @Test("a submitted update arrives as JSON, and the reply is returned")
  func submit() throws {
    let request = SubmitRequest(handler: "reload", parameters: ["url": "http://a/b?c=ä"], payload: "x\u{0}y", id: "1")
    let server = try ServerThread { incoming in
      guard incoming.method == "POST", incoming.path == "/v1/updates", incoming.contentType == "application/json",
        (try? JSONDecoder().decode(SubmitRequest.self, from: Data(incoming.body))) == request
      else { return HTTPResponse(status: 400) }
      return json(202, Self.waiting)
    }
    #expect(try TouchgateConnection(path: server.path).submit(request) == Self.waiting)
  }

  @Test("a list is requested by state and limit, an update by its escaped id")
  func list() throws {
    let server = try ServerThread { incoming in
      switch (incoming.path, incoming.query) {
      case ("/v1/updates", [QueryItem(name: "state", value: "a&b"), QueryItem(name: "limit", value: "3")]),
        ("/v1/updates", []):
        json(200, UpdateListReply(updates: [Self.waiting]))
      case ("/v1/updates/a b/c", []): json(200, Self.waiting)
      default: json(404, ProblemReply(Problem(code: "noSuchUpdate", message: "there is no update x")))
      }
    }
    let service = TouchgateConnection(path: server.path)
    #expect(try service.updates(state: "a&b", limit: 3) == [Self.waiting])
    #expect(try service.updates() == [Self.waiting])
    #expect(try service.update("a b/c") == Self.waiting)
    #expect(
      throws: ClientError.refused(status: 404, Problem(code: "noSuchUpdate", message: "there is no update x"))
    ) { try service.update("x") }
  }

  @Test("isTouched is one line, and throws if the state is unknown")
  func isTouched() throws {
    for (state, touched) in [("touched", true), ("clear", false), ("unknown", false)] {
      let server = try ServerThread { _ in
        json(
          200,
          StatusReply(
            version: "1", touched: touched, contacts: 0,
            gate: GateReply(state: state, since: "", reason: state == "unknown" ? "no screen" : nil), screens: [],
            updates: [:], oldestWaiting: nil, lastResult: nil, warnings: []))
      }
      let service = TouchgateConnection(path: server.path)
      if state == "unknown" {
        #expect(throws: ClientError.unknownWhetherTouched(reason: "no screen")) { try service.isTouched() }
      } else {
        #expect(try service.isTouched() == touched)
      }
    }
  }

  @Test("the reason is returned even if a body is refused early")
  func tooLarge() throws {
    let server = try ServerThread { _ in HTTPResponse(status: 200) }
    let reply = try TouchgateConnection(path: server.path).send(
      method: "POST", path: "/v1/updates", body: [UInt8](repeating: 65, count: 2 * Limits.body))
    #expect(reply.status == 413)
  }

  @Test("a large answer arrives complete")
  func large() throws {
    let body = [UInt8](repeating: 66, count: 5_000_000)
    let server = try ServerThread { _ in HTTPResponse(status: 200, body: body) }
    #expect(try TouchgateConnection(path: server.path).send(method: "GET", path: "/").body == body)
  }

  @Test("a missing socket, and one without a listener, mean that touchgated is not running")
  func notRunning() throws {
    let folder = try temporaryFolder()
    defer { rmdir(folder) }
    let path = folder + "/s"
    #expect(throws: ClientError.notRunning(path: path)) { try TouchgateConnection(path: path).status() }
    close(try HTTPServer.listen(path: path, mode: 0o600))
    defer { unlink(path) }
    #expect(throws: ClientError.notRunning(path: path)) { try TouchgateConnection(path: path).status() }
    #expect(
      ClientError.notRunning(path: path).description
        == "cannot connect to \(path); is touchgated running? Check: systemctl status touchgated")
  }

  @Test("a service that does not answer leads to the requested time-out")
  func timeout() throws {
    let trial = try ServerUnderTest()
    let service = TouchgateConnection(path: trial.path, timeout: .milliseconds(20))
    #expect(throws: ClientError.timedOut(after: .milliseconds(20))) { try service.status() }
  }

  @Test(
    "a malformed answer and a missing answer are reported as such",
    arguments: [
      "", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "HTTP/1.1 200 OK\r\n\r\n[]",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "HTTP/1.1 xyz OK\r\n\r\n{}",
    ])
  func malformed(answer: String) throws {
    let folder = try temporaryFolder()
    defer { rmdir(folder) }
    let path = folder + "/s"
    let listening = try HTTPServer.listen(path: path, mode: 0o600)
    defer { unlink(path) }
    let context = Unmanaged.passRetained(RawAnswer(listening: listening, text: answer))
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<RawAnswer>.fromOpaque(context).takeRetainedValue().serve() }
        return nil
      }, context.toOpaque())
    defer { pthread_join(thread, nil) }
    let error = #expect(throws: ClientError.self) { try TouchgateConnection(path: path).status() }
    if answer.isEmpty {
      #expect(error == .noReply(path: path))
      return
    }
    guard case .malformedReply = error else {
      Issue.record("not malformed but \(String(describing: error))")
      return
    }
  }
}

/// Answers one connection with bytes of the test's choice.
private final class RawAnswer {
  private let listening: CInt
  private let text: String

  init(listening: CInt, text: String) {
    self.listening = listening
    self.text = text
  }

  func serve() {
    var entry = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
    poll(&entry, 1, 2000)
    let client = accept(listening, nil, nil)
    var buffer = [UInt8](repeating: 0, count: 4096)
    recv(client, &buffer, buffer.count, 0)
    send(client, Array(text.utf8), text.utf8.count, CInt(MSG_NOSIGNAL))
    close(client)
    close(listening)
  }
}

private func json(_ status: Int, _ value: some Encodable) -> HTTPResponse {
  HTTPResponse(status: status, body: (try? JSONEncoder().encode(value)).map { Array($0) } ?? [])
}
