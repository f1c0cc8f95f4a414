import Foundation
import HTTPTypes
import Timeline

@testable import Service

/// Clients without a socket: what they ask is put in, and what they are told can be read.
final class SimulatedSocket: CallServer {
  /// What a client has got.
  struct Answer {
    var status = 200
    var text = ""
    var headers: [String] = []

    /// A field of the JSON object; of the last line, if it is a stream.
    subscript(field: String) -> Any? {
      let line = text.split(separator: "\n").last.map(String.init) ?? ""
      return (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?[field]
    }
    /// `code` of a problem.
    var code: String? { (self["error"] as? [String: Any])?["code"] as? String }
  }

  private var requests: [IncomingRequest] = []
  private var gone: [RequestToken] = []
  private var answers: [RequestToken: Answer] = [:]
  private(set) var streams: Set<RequestToken> = []
  /// Streams whose clients read nothing any more.
  var stuck: Set<RequestToken> = []
  private var last: UInt64 = 0

  // MARK: Clients

  func request(
    _ method: String, _ target: String, body: String = "", uid: UInt32 = 1000
  ) -> RequestToken {
    last += 1
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    let query = parts.dropFirst().first?.split(separator: "&").map { item in
      let pair = item.split(separator: "=", maxSplits: 1).map(String.init)
      return QueryItem(name: pair[0], value: pair.count > 1 ? pair[1] : "")
    }
    let request = HTTPRequest(
      method: method, path: parts[0], query: query ?? [], body: Array(body.utf8),
      peer: Peer(pid: 4711, uid: uid, gid: uid))
    requests.append(IncomingRequest(token: token(last), request: request))
    return token(last)
  }

  func disconnect(_ token: RequestToken) {
    streams.remove(token)
    gone.append(token)
  }

  /// Nil: nothing yet.
  func answer(_ token: RequestToken) -> Answer? { answers[token] }

  // MARK: The service's side

  /// Requests that count as open, whatever became of them.
  private(set) var keptOpen: Set<RequestToken> = []
  /// No further one is admitted.
  var admitsNone = false

  func keepOpen(_ token: RequestToken) -> HTTPResponse? {
    if admitsNone { return HTTPResponse(status: 429, body: Array(#"{"error":{"code":"tooManyOpenRequests"}}"#.utf8)) }
    keptOpen.insert(token)
    return nil
  }

  func takeRequests() -> [IncomingRequest] {
    defer { requests = [] }
    return requests
  }

  func takeGone() -> [RequestToken] {
    defer { gone = [] }
    return gone
  }

  func respond(_ token: RequestToken, _ response: HTTPResponse) {
    if answers[token] != nil { return }
    answers[token] = Answer(
      status: response.status, text: String(decoding: response.body, as: UTF8.self),
      headers: response.headers.map(\.name))
  }

  func openStream(_ token: RequestToken) {
    answers[token] = Answer()
    streams.insert(token)
  }

  func write(_ token: RequestToken, _ bytes: [UInt8], now: Instant) -> Bool {
    if !streams.contains(token) || stuck.contains(token) { return false }
    answers[token]?.text += String(decoding: bytes, as: UTF8.self)
    return true
  }

  func unsent(_ token: RequestToken) -> Int? { streams.contains(token) ? 0 : nil }

  func end(_ token: RequestToken) { streams.remove(token) }
}
