import HTTPTypes
import SocketServer
import Testing
import TouchgateAPI

@testable import Service

@Suite("What a request may bring")
struct CallFormTests {
  private static let peer = Peer(pid: 1, uid: 1, gid: 1)

  private func status(
    _ call: Call, query: [QueryItem] = [], type: String? = nil, body: String = ""
  ) -> (status: Int, code: String, field: String?) {
    do {
      try call.check(
        HTTPRequest(method: "X", path: "/", query: query, contentType: type, body: Array(body.utf8), peer: Self.peer))
      return (200, "", nil)
    } catch let refusal as Daemon.Refusal {
      return (refusal.status, refusal.problem.code, refusal.problem.field)
    } catch let problem as Problem {
      return (400, problem.code, problem.field)
    } catch {
      return (500, "", nil)
    }
  }

  @Test(
    "a body is JSON, by what its type says; what curl says of -d counts as nothing said",
    arguments: [
      (nil, 200), ("application/json", 200), ("Application/JSON ; charset=utf-8", 200),
      ("application/x-www-form-urlencoded", 200), ("text/plain", 415), ("application/xml", 415), ("", 415),
      ("multipart/form-data; boundary=x", 415), ("application/jsonp", 415),
    ] as [(String?, Int)])
  func types(type: String?, wanted: Int) {
    #expect(status(.submit, type: type, body: "{}").status == wanted)
    #expect(status(.about, type: type).status == 200, "without a body no type matters")
  }

  @Test("a call without a body takes none, or an object without fields")
  func bodies() {
    #expect(status(.resume, body: "{}").status == 200)
    #expect(status(.resume, body: #"{"reason":"x"}"#) == (400, "unknownField", "reason"))
    #expect(status(.about, body: "[]").code == "wrongType")
    #expect(status(.cancel("a"), body: "x").code == "malformedJSON")
  }

  @Test("a name in the query that is not known, or stands twice, is refused by name in every call")
  func queries() {
    for call in [Call.about, .status, .show("a"), .cancel("a"), .pause, .holds, .contract, .submit, .list, .turn] {
      #expect(status(call, query: [QueryItem(name: "colour", value: "")]) == (400, "unknownField", "colour"))
    }
    let twice = { (name: String) in [QueryItem(name: name, value: "1"), QueryItem(name: name, value: "1")] }
    #expect(status(.list, query: twice("limit")) == (400, "givenTwice", "limit"))
    #expect(status(.wait("a"), query: twice("timeout")) == (400, "givenTwice", "timeout"))
    #expect(status(.list, query: twice("state")).status == 200)
  }
}
