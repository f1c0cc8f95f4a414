import Glibc
import HTTPTypes
import SocketServer
import Testing
import Timeline
import TouchgateAPI

@Suite("Streams")
struct StreamTests {
  let trial: ServerUnderTest

  init() throws { trial = try ServerUnderTest() }

  private func open(_ client: RawClient) throws -> RequestToken {
    client.send("GET /v1/events HTTP/1.1\r\nHost: touchgate\r\n\r\n")
    let request = try trial.takeRequest()
    trial.server.openStream(request.token)
    try #require(
      trial.serve {
        client.receive()
        return text(client).contains("\r\n\r\n")
      })
    return request.token
  }

  private func text(_ client: RawClient) -> String { String(decoding: client.received, as: UTF8.self) }

  private func receives(_ client: RawClient, _ words: String) -> Bool {
    trial.serve {
      client.receive()
      return text(client).contains(words)
    }
  }

  @Test("the head is sent at once, then each line as it is written, then the end")
  func lines() throws {
    let client = try trial.client()
    let token = try open(client)
    #expect(text(client).hasPrefix("HTTP/1.1 200") && text(client).contains("application/x-ndjson"))
    #expect(trial.isQuiet, "an idle stream costs nothing")
    #expect(trial.server.write(token, Array("one\n".utf8), now: trial.now))
    #expect(receives(client, "one\n"))
    #expect(trial.isQuiet && trial.server.nextDeadline == nil)
    #expect(trial.server.write(token, Array("two\n".utf8), now: trial.now))
    trial.server.end(token)
    #expect(receives(client, "two\n") && receives(client, "0\r\n\r\n"), "the last chunk")
    #expect(!trial.server.write(token, Array("three\n".utf8), now: trial.now))
    #expect(trial.serve { trial.server.unsent(token) == nil })
    #expect(trial.server.takeGone() == [token])
    client.send("GET /next HTTP/1.1\r\nHost: touchgate\r\n\r\n")
    #expect(try trial.takeRequest().request.path == "/next", "the connection goes on")
  }

  @Test("an HTTP/1.0 client gets the plain lines, and the end of the connection at the end")
  func old() throws {
    let client = try trial.client()
    client.send("GET / HTTP/1.0\r\n\r\n")
    let token = try trial.takeRequest().token
    trial.server.openStream(token)
    #expect(trial.server.write(token, Array("one\n".utf8), now: trial.now))
    #expect(receives(client, "\r\n\r\none\n"))
    trial.server.end(token)
    #expect(
      trial.serve {
        client.receive()
        return client.ended
      })
  }

  @Test("a client that dies is noticed at once, while its stream is idle and while its request waits")
  func dies() throws {
    let client = try trial.client()
    let stream = try open(client)
    #expect(trial.isQuiet)
    client.close()
    var gone: [RequestToken] = []
    #expect(
      trial.serve {
        gone += trial.server.takeGone()
        return gone == [stream]
      })
    #expect(!trial.server.write(stream, [1], now: trial.now))
    let other = try trial.client()
    other.send("GET / HTTP/1.1\r\nHost: touchgate\r\n\r\n")
    let waiting = try trial.takeRequest().token
    other.close()
    gone = []
    #expect(
      trial.serve {
        gone += trial.server.takeGone()
        return gone == [waiting]
      })
    #expect(trial.serve { trial.server.openConnections == 0 })
    #expect(trial.isQuiet)
  }

  @Test("a client that has closed its sending half still gets lines")
  func halfClosed() throws {
    let client = try trial.client()
    let token = try open(client)
    client.shutdownSending()
    #expect(trial.isQuiet)
    #expect(trial.server.write(token, Array("one\n".utf8), now: trial.now))
    #expect(receives(client, "one\n"))
    #expect(trial.server.takeGone() == [])
  }

  @Test("a client that reads nothing fills its buffer, delays no other, and is dropped at its deadline")
  func slow() throws {
    let slow = try trial.client()
    let token = try open(slow)
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1023) + [UInt8(ascii: "\n")]
    var written = 0
    while written < 100_000, trial.server.write(token, line, now: trial.now) {
      written += 1
      trial.server.run(now: trial.now)
    }
    #expect(written < 100_000)
    let unsent = try #require(trial.server.unsent(token))
    #expect(unsent <= 256 * 1024)
    let other = try trial.client()
    other.send("GET / HTTP/1.1\r\nHost: touchgate\r\n\r\n")
    let request = try trial.takeRequest()
    trial.server.respond(request.token, HTTPResponse(status: 200, body: [1]))
    #expect(try trial.reply(to: other).status == 200)
    #expect(try #require(trial.server.nextDeadline) <= trial.now + .seconds(Limits.requestSeconds))
    trial.now = trial.now + .seconds(Limits.requestSeconds)
    var gone: [RequestToken] = []
    #expect(
      trial.serve {
        gone += trial.server.takeGone()
        return gone.contains(token)
      })
    #expect(trial.server.openConnections <= 1)
  }

  @Test("a client that reads slowly is not dropped and gets every byte")
  func reads() throws {
    let client = try trial.client()
    let token = try open(client)
    let line = Array("\(String(repeating: "#", count: 4000))\n".utf8)
    for _ in 0..<40 { #expect(trial.server.write(token, line, now: trial.now)) }
    for _ in 0..<20 {
      trial.now = trial.now + .seconds(Limits.requestSeconds - 1)
      client.receive()
      _ = trial.serve { trial.server.unsent(token) == 0 }
    }
    #expect(
      trial.serve {
        client.receive()
        return text(client).count(where: { $0 == "#" }) == 40 * 4000
      })
    #expect(trial.server.takeGone() == [])
  }

  @Test("stopping the server ends streams, idle or with unsent lines")
  func stop() throws {
    let client = try trial.client()
    let other = try trial.client()
    _ = try open(client)
    let token = try open(other)
    _ = trial.server.write(token, Array("last\n".utf8), now: trial.now)
    trial.server.stop()
    client.receive()
    #expect(client.ended)
  }
}
