import HTTPTypes
import Testing

@Suite("Requests and peers")
struct HTTPRequestTests {
  private static let peer = Peer(pid: 7, uid: 1000, gid: 100, groups: [24, 27])

  @Test(
    "a body is JSON if its type is missing, JSON, or the default type of curl -d",
    arguments: [
      (nil, true), ("application/json", true), ("Application/JSON ; charset=utf-8", true),
      ("application/x-www-form-urlencoded", true), ("text/plain", false), ("application/xml", false), ("", false),
      ("multipart/form-data; boundary=x", false), ("application/jsonp", false),
    ] as [(String?, Bool)])
  func types(type: String?, isJSON: Bool) {
    let request = HTTPRequest(method: "POST", path: "/v1/updates", contentType: type, peer: Self.peer)
    #expect(request.declaresJSON == isJSON)
  }

  @Test("a peer is a member of its primary and its supplementary groups, and of no other")
  func groups() {
    for group: UInt32 in [100, 24, 27] { #expect(Self.peer.isMember(of: group)) }
    for group: UInt32 in [0, 1000, 25] { #expect(!Self.peer.isMember(of: group)) }
  }

  @Test("requests and responses are empty unless stated otherwise, and a token names its number")
  func defaults() {
    let request = HTTPRequest(method: "GET", path: "/v1", peer: Self.peer)
    #expect(request.query == [] && request.body == [] && request.contentType == nil && request.origin == nil)
    let response = HTTPResponse(status: 200)
    #expect(response.body == [] && response.headers == [] && response.contentType == "application/json")
    let incoming = IncomingRequest(token: RequestToken(number: 3), request: request)
    #expect("\(incoming.token)" == "request 3")
  }
}
