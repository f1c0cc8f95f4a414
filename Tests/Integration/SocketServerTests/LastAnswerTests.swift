import HTTPTypes
import SocketServer
import Testing
import Timeline
import TouchgateAPI

@Suite("Answers that are pending when the service stops")
struct LastAnswerTests {
  let trial: ServerUnderTest

  init() throws { trial = try ServerUnderTest() }

  private func owes(after seconds: Double = 0) -> Bool {
    trial.server.owes(since: .milliseconds(500), now: trial.now + .milliseconds(Int64(seconds * 1000)))
  }

  @Test("an answer is pending for a client that has just connected, is sending, or is reading its answer")
  func owed() throws {
    #expect(!owes())
    let client = try trial.client()
    #expect(trial.serve { trial.server.openConnections == 1 })
    #expect(owes() && !owes(after: 0.6))
    client.send("POST /v1/updates HTTP/1.1\r\nHost: touchgate\r\nContent-Length: 4\r\n\r\nab")
    #expect(trial.serve { owes(after: 5) })
    client.send("cd")
    let token = try trial.takeRequest().token
    #expect(!owes(after: 5), "it waits for the application")
    trial.server.respond(token, HTTPResponse(status: 200))
    #expect(owes(after: 5))
    #expect(trial.serve { !owes(after: 5) }, "the answer has left")
  }

  @Test("an open stream does not count as pending; an ended one does until its last lines are sent")
  func streams() throws {
    let client = try trial.client()
    client.send("GET / HTTP/1.0\r\n\r\n")
    let token = try trial.takeRequest().token
    trial.server.openStream(token)
    #expect(trial.serve { !owes(after: 5) })
    _ = trial.server.write(token, Array("one\n".utf8), now: trial.now)
    trial.server.end(token)
    #expect(owes(after: 5))
    #expect(trial.serve { !owes(after: 5) })
    #expect(client.descriptor >= 0)
  }
}
