import Glibc
import HTTPTypes
import SocketServer
import Testing
import Timeline

/// A server on a real socket in a temporary folder, driven by the test itself, with a clock that does not move unless
/// the test moves it.
final class ServerUnderTest {
  let folder: String
  let path: String
  let server: HTTPServer
  var now = Instant(nanoseconds: 1_000_000_000_000)
  private(set) var requests: [IncomingRequest] = []

  /// `peer`: who connects; nil: as the kernel says.
  init(peer: ((CInt) -> Peer)? = nil) throws {
    folder = try temporaryFolder()
    path = folder + "/touchgate.sock"
    server = try HTTPServer(listening: HTTPServer.listen(path: path, mode: 0o660), peer: peer)
  }

  deinit {
    server.stop()
    unlink(path)
    rmdir(folder)
  }

  func client() throws -> RawClient { try RawClient(path: path) }

  /// Serves until `condition` holds; false if it does not within two seconds.
  func serve(until condition: () -> Bool) -> Bool {
    for _ in 0..<200 {
      requests += server.takeRequests()
      if condition() { return true }
      var descriptors = [
        pollfd(fd: server.listeningDescriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: server.eventDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      poll(&descriptors, 2, 10)
      if descriptors[0].revents != 0 { server.acceptConnections(now: now) }
      if descriptors[1].revents != 0 { server.run(now: now) }
      if let deadline = server.nextDeadline, deadline <= now { server.timePassed(now: now) }
    }
    return false
  }

  /// Whether nothing is left to do: else the loop of the service would spin.
  var isQuiet: Bool {
    serve {
      var descriptors = [server.listeningDescriptor, server.eventDescriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      return poll(&descriptors, 2, 0) == 0
    }
  }

  /// The next request that nobody has taken yet.
  func takeRequest() throws -> IncomingRequest {
    try #require(serve { !requests.isEmpty })
    return requests.removeFirst()
  }

  func reply(to client: RawClient) throws -> RawReply {
    var reply: RawReply?
    try #require(
      serve {
        client.receive()
        reply = client.takeReply()
        return reply != nil
      })
    return try #require(reply)
  }
}

func temporaryFolder() throws -> String {
  var template = Array("/tmp/touchgate-socket-XXXXXX".utf8CString)
  try #require(mkdtemp(&template) != nil)
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
