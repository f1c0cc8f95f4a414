import Glibc
import HTTPTypes
import SocketServer
import Testing

@Suite("The listening socket")
struct ListeningSocketTests {
  @Test("the socket file has exactly the requested mode")
  func mode() throws {
    let trial = try ServerUnderTest()
    var information = stat()
    #expect(lstat(trial.path, &information) == 0)
    #expect(information.st_mode == S_IFSOCK | 0o660)
  }

  @Test("the socket of a service that died is replaced")
  func stale() throws {
    let folder = try temporaryFolder()
    defer { rmdir(folder) }
    let path = folder + "/s"
    defer { unlink(path) }
    close(try HTTPServer.listen(path: path, mode: 0o600))
    close(try HTTPServer.listen(path: path, mode: 0o600))
  }

  @Test("a second service does not replace the socket of a running one")
  func running() throws {
    let trial = try ServerUnderTest()
    #expect(throws: SocketError.alreadyRunning(path: trial.path)) {
      try HTTPServer.listen(path: trial.path, mode: 0o660)
    }
    let client = try trial.client()
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = try trial.takeRequest()
  }

  @Test("a file that is not a socket is not removed")
  func otherFile() throws {
    let folder = try temporaryFolder()
    defer { rmdir(folder) }
    let path = folder + "/s"
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    defer { unlink(path) }
    #expect(throws: SocketError.notASocket(path: path)) { try HTTPServer.listen(path: path, mode: 0o660) }
    #expect(access(path, F_OK) == 0)
  }

  @Test("an error names the path, the reason and what to do")
  func wording() throws {
    let long = "/tmp/" + String(repeating: "x", count: 200)
    #expect(throws: SocketError.unusablePath(long)) { try HTTPServer.listen(path: long, mode: 0o660) }
    let error = #expect(throws: SocketError.self) {
      try HTTPServer.listen(path: "/nonexistent/touchgate.sock", mode: 0o660)
    }
    #expect(
      error?.description
        == "bind on /nonexistent/touchgate.sock failed: No such file or directory; "
        + "the folder must exist (RuntimeDirectory=touchgate)")
  }
}
