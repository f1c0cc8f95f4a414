import Glibc
import HTTPTypes
import SocketServer
import Testing
import Timeline

/// A server that answers by a function, in a thread of its own, so that the test can make blocking calls.
final class ServerThread {
  let path: String
  private let folder: String
  private var thread = pthread_t()
  private let work: Unmanaged<Work>

  init(answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) throws {
    folder = try temporaryFolder()
    path = folder + "/s"
    let listening = try HTTPServer.listen(path: path, mode: 0o600)
    work = Unmanaged.passRetained(try Work(listening, answer))
    let result = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().serve() }
        return nil
      }, work.toOpaque())
    try #require(result == 0)
  }

  deinit {
    work.takeUnretainedValue().stop()
    pthread_join(thread, nil)
    work.release()
    unlink(path)
    rmdir(folder)
  }

  private final class Work {
    /// A pipe; closing its writing end ends the thread.
    private var end: [CInt] = [-1, -1]
    private let server: HTTPServer
    private let answer: @Sendable (HTTPRequest) -> HTTPResponse

    init(_ listening: CInt, _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) throws {
      server = try HTTPServer(listening: listening)
      self.answer = answer
      try #require(pipe(&end) == 0)
    }

    deinit { close(end[0]) }

    func stop() { close(end[1]) }

    func serve() {
      let now = Instant(nanoseconds: 0)
      while true {
        var descriptors = [server.listeningDescriptor, server.eventDescriptor, end[0]].map {
          pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        poll(&descriptors, 3, -1)
        if descriptors[2].revents != 0 { return server.stop() }
        if descriptors[0].revents != 0 { server.acceptConnections(now: now) }
        if descriptors[1].revents != 0 { server.run(now: now) }
        for incoming in server.takeRequests() { server.respond(incoming.token, answer(incoming.request)) }
      }
    }
  }
}
