import HTTPTypes
import Testing
import TouchgateAPI

@testable import ControlAPI

@Suite("Routing and the form of requests")
struct EndpointTests {
  private func call(
    _ method: String, _ path: String, query: [QueryItem] = [], type: String? = nil, body: String = "",
    origin: String? = nil
  ) throws(CallRefusal) -> Call {
    try Endpoint.call(
      for: HTTPRequest(
        method: method, path: path, query: query, contentType: type, origin: origin, body: Array(body.utf8),
        peer: Peer(pid: 1, uid: 1, gid: 1)))
  }

  /// Status, code and field of the refusal; status 200 if there is none.
  private func status(
    _ method: String, _ path: String, query: [QueryItem] = [], type: String? = nil, body: String = "",
    origin: String? = nil
  ) -> (status: Int, code: String, field: String?) {
    do throws(CallRefusal) {
      _ = try call(method, path, query: query, type: type, body: body, origin: origin)
      return (200, "", nil)
    } catch {
      return (error.status, error.problem.code, error.problem.field)
    }
  }

  // MARK: Routing

  @Test("every row of the table is reached by its method and path, and makes the call with the id of the path")
  func rows() throws {
    for endpoint in Endpoint.table {
      let path = endpoint.path.replacing("{id}", with: "a.B-1")
      let (found, call) = try Endpoint.match(endpoint.method.rawValue, path)
      #expect(found.path == endpoint.path && found.method == endpoint.method)
      #expect("\(call)".contains(#"("a.B-1")"#) == endpoint.path.contains("{id}"), "\(call)")
    }
  }

  @Test("no two rows have the same method and path, or make the same call")
  func unique() throws {
    let rows = Endpoint.table.map { "\($0.method) \($0.path)" }
    #expect(Set(rows).count == rows.count)
    let calls = try Endpoint.table.map { endpoint in
      try Endpoint.match(endpoint.method.rawValue, endpoint.path.replacing("{id}", with: "x")).1.name
    }
    #expect(Set(calls).count == calls.count)
  }

  @Test(
    "an unknown path is refused with 404",
    arguments: [
      "", "/", "/v2", "v1", "x/v1", "/v1/", "//v1", "/v1/updates/", "/v1/updates//wait", "/v1/updates/a/b",
      "/v1/updates/a/wait/", "/v1/holds/", "/v1/deliveries/a", "/v1/deliveries//ack", "/metrics/x", "/V1", "/v1/{id}",
    ])
  func unknownPath(_ path: String) {
    #expect(status("GET", path) == (404, "noSuchPath", nil))
  }

  @Test("an id may be any text without a slash; whether it exists is checked later")
  func ids() throws {
    for id in ["a", "..", "ü", " ", "{id}", "why"] {
      #expect(try call("GET", "/v1/updates/\(id)") == .show(id))
      #expect(try call("GET", "/v1/updates/\(id)/why") == .why(id))
    }
  }

  @Test(
    "a wrong method is refused with 405 and the allowed ones",
    arguments: [
      ("PUT", "/v1/updates", "GET, POST"), ("POST", "/v1/updates/x", "DELETE, GET"), ("GET", "/v1/pause", "POST"),
      ("get", "/v1", "GET"), ("", "/v1", "GET"), ("HEAD", "/metrics", "GET"),
    ])
  func wrongMethod(_ method: String, _ path: String, _ allowed: String) {
    let refusal = #expect(throws: CallRefusal.self) { try call(method, path) }
    #expect(refusal?.status == 405 && refusal?.problem.code == "wrongMethod")
    #expect(refusal?.headers == [HTTPHeader("Allow", allowed)])
  }

  @Test("a request from a web page is refused, whatever it asks for")
  func origin() {
    for path in ["/v1", "/v2"] {
      #expect(status("GET", path, origin: "null") == (403, "originRefused", nil))
    }
  }

  // MARK: Bodies

  @Test(
    "a body must be JSON according to its type; the default type of curl -d counts as JSON",
    arguments: [
      (nil, 200), ("application/json", 200), ("Application/JSON ; charset=utf-8", 200),
      ("application/x-www-form-urlencoded", 200), ("text/plain", 415), ("application/xml", 415), ("", 415),
      ("multipart/form-data; boundary=x", 415), ("application/jsonp", 415),
    ] as [(String?, Int)])
  func types(type: String?, wanted: Int) {
    #expect(status("POST", "/v1/updates", type: type, body: "{}").status == wanted)
    #expect(status("GET", "/v1", type: type).status == 200, "without a body no type matters")
  }

  @Test("an endpoint without a body accepts none, or an object without fields")
  func bodies() {
    #expect(status("POST", "/v1/resume", body: "{}").status == 200)
    #expect(status("POST", "/v1/resume", body: #"{"reason":"x"}"#) == (400, "unknownField", "reason"))
    #expect(status("GET", "/v1", body: "[]").code == "wrongType")
    #expect(status("DELETE", "/v1/updates/a", body: "x").code == "malformedJSON")
  }

  // MARK: Queries

  @Test("an unknown query parameter is refused by name at every endpoint")
  func unknownParameters() {
    for endpoint in Endpoint.table {
      let found = status(
        endpoint.method.rawValue, endpoint.path.replacing("{id}", with: "a"),
        query: [QueryItem(name: "colour", value: "")])
      #expect(found == (400, "unknownField", "colour"))
    }
  }

  @Test("a duplicate query parameter is refused by name, unless it is repeatable")
  func duplicates() {
    for endpoint in Endpoint.table {
      for parameter in endpoint.query {
        let item = QueryItem(name: parameter.name, value: "1")
        let found = status(
          endpoint.method.rawValue, endpoint.path.replacing("{id}", with: "a"), query: [item, item])
        #expect(found == (parameter.isRepeatable ? (200, "", nil) : (400, "givenTwice", parameter.name)))
      }
    }
    #expect(Endpoint.table.flatMap(\.query).filter(\.isRepeatable).map(\.name) == ["state"])
  }

  @Test("a missing required query parameter is refused by name")
  func required() throws {
    #expect(status("GET", "/v1/deliveries") == (400, "missingField", "handler"))
    #expect(try call("GET", "/v1/deliveries", query: [QueryItem(name: "handler", value: "")]) == .receive)
  }
}
