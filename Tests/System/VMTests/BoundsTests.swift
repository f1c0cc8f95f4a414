import Foundation
import Glibc
import Testing
import TouchgateAPI
import TouchgateClient

extension VMTests {
  @Suite("Queue limits")
  struct BoundsTests {
    /// A service that applies nothing: every update waits for an hour of quiet.
    private func service(_ queue: String = "") throws -> ServiceUnderTest {
      try ServiceUnderTest(quiet: "1h", gate: "FirstScreenTimeout=0\n[Queue]\n\(queue)")
    }

    private func request(
      _ id: String? = nil, payload: String? = nil, key: String? = nil, priority: Int? = nil
    ) -> SubmitRequest {
      SubmitRequest(handler: "note", payload: payload, id: id, key: key, priority: priority)
    }

    /// The code of the refusal; nil: accepted.
    private func refusal(_ service: ServiceUnderTest, _ request: SubmitRequest) throws -> String? {
      do {
        _ = try service.connection.submit(request)
        return nil
      } catch ClientError.refused(let status, let problem) {
        return "\(status) \(problem.code)"
      }
    }

    @Test("simultaneous submissions cannot exceed MaxWaiting=")
    func oneMoment() throws {
      let service = try service("MaxWaiting=3")
      service.signal(SIGSTOP)
      // The kernel keeps them until the service runs again.
      let requests = try (0..<7).map { try SentRequest(#"{"handler":"note","id":"u\#($0)"}"#, service) }
      service.signal(SIGCONT)
      let answers = try requests.map { try $0.answer() }
      #expect(answers.sorted() == Array(repeating: "202", count: 3) + Array(repeating: "429 queueFull", count: 4))
      #expect(try service.status().updates["waiting"] == 3)
    }

    @Test("at the limit an update that replaces a waiting one is accepted, an additional one is not")
    func replacement() throws {
      let service = try service("MaxWaiting=2\nMaxWaitingBytes=1000")
      #expect(try refusal(service, request("a", payload: String(repeating: "x", count: 900), key: "k")) == nil)
      #expect(try refusal(service, request("b")) == nil)
      #expect(try refusal(service, request("c")) == "429 queueFull")
      #expect(try refusal(service, request("d", key: "other")) == "429 queueFull")
      #expect(try refusal(service, request("e", payload: String(repeating: "x", count: 1000), key: "k")) == nil)
      #expect(try service.update("a").state == "superseded")
      #expect(
        try refusal(service, request("f", payload: String(repeating: "x", count: 1001), key: "k")) == "429 queueFull")
      #expect(try service.update("e").state == "waiting")
      #expect(try service.status().updates["waiting"] == 2)
    }

    @Test("waiting payloads are limited in total and per user; an update that ends makes room")
    func bytes() throws {
      let service = try service("MaxWaitingBytes=1500")
      let payload = String(repeating: "x", count: 800)
      #expect(try refusal(service, request("a", payload: payload)) == nil)
      #expect(try refusal(service, request("b", payload: payload)) == "429 queueFull")
      #expect(try refusal(service, request("b", payload: String(repeating: "x", count: 700))) == nil)
      _ = try service.connection.cancel("a")
      #expect(try refusal(service, request("c", payload: payload)) == nil)
      service.kill(SIGKILL)
      try service.start()
      #expect(try refusal(service, request("d", payload: "x")) == "429 queueFull", "after a restart the same counts")
    }

    @Test("the same id with the same content is the same update; with anything else it is a conflict")
    func sameID() throws {
      let service = try service()
      var first = request("a", payload: "p", key: "k", priority: 5)
      first.quietPeriod = "30min"
      first.notBefore = "1h"
      first.deadline = "3h"
      first.onDeadline = "apply"
      #expect(try refusal(service, first) == nil)
      service.kill(SIGKILL)
      try service.start()
      #expect(try refusal(service, first) == nil)
      let changes: [(String, (inout SubmitRequest) -> Void)] = [
        ("payload", { $0.payload = "q" }), ("key", { $0.key = "l" }), ("no key", { $0.key = nil }),
        ("priority", { $0.priority = 6 }), ("quiet", { $0.quietPeriod = "1h" }), ("quiet", { $0.quietPeriod = nil }),
        ("notBefore", { $0.notBefore = "2h" }), ("deadline", { $0.deadline = "4h" }),
        ("onDeadline", { $0.onDeadline = "expire" }),
      ]
      for (name, change) in changes {
        var other = first
        change(&other)
        #expect(try refusal(service, other) == "409 idInUse", "\(name)")
      }
      _ = try service.connection.cancel("a")
      #expect(try refusal(service, first) == nil, "also when it has ended")
      #expect(try service.update("a").state == "cancelled")
    }

    @Test("on a full disk a submission is refused as storeFull, status warns, and waiting updates are applied")
    func fullDisk() throws {
      let service = try ServiceUnderTest(quiet: "1h", gate: "FirstScreenTimeout=0", start: false)
      let state = "\(service.folder)/state"
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
      try #require(mount("tmpfs", state, "tmpfs", 0, "size=8m,mode=700") == 0)
      defer {
        service.kill(SIGKILL)
        umount2(state, CInt(MNT_DETACH))
      }
      try service.start()
      for number in 0..<5 { #expect(try refusal(service, request("early\(number)")) == nil) }
      let filler = open("\(state)/filler", O_WRONLY | O_CREAT, 0o600)
      defer { close(filler) }
      for size in [65536, 1] {
        let bytes = [UInt8](repeating: 0, count: size)
        while write(filler, bytes, size) > 0 {}
      }
      let large = String(repeating: "x", count: 500_000)
      #expect(try refusal(service, request("late", payload: large)) == "503 storeFull")
      #expect(try service.status().warnings.contains { $0.hasPrefix("storeFull") })
      for number in 0..<5 { _ = try service.connection.apply("early\(number)") }
      for number in 0..<5 { #expect(try service.end("early\(number)")?.state == "applied") }
      #expect(try service.status().updates["applied"] == 5)
      ftruncate(filler, 0)
      #expect(try refusal(service, request("late", payload: large)) == nil)
      #expect(try !service.status().warnings.contains { $0.contains("storeFull") })
    }
  }
}

/// A submission that has been sent, and whose answer was not read yet.
private final class SentRequest {
  private let descriptor: CInt

  init(_ body: String, _ service: ServiceUnderTest) throws {
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(service.folder)/socket".utf8) }
    let isConnected = withUnsafeBytes(of: address) { bytes in
      let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      return connect(descriptor, pointer, socklen_t(bytes.count)) == 0
    }
    try #require(isConnected)
    let request = "POST /v1/updates HTTP/1.0\r\nHost: touchgate\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    try #require(send(descriptor, request, request.utf8.count, 0) == request.utf8.count)
  }

  deinit { close(descriptor) }

  /// Waits for it: the status, and the code of a refusal.
  func answer() throws -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { break }
      bytes += buffer.prefix(count)
    }
    let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")
    let status = String(parts[0].split(separator: " ").dropFirst().first ?? "")
    if status == "202" { return status }
    return "\(status) \(try JSONDecoder().decode(ProblemReply.self, from: Data((parts.last ?? "").utf8)).error.code)"
  }
}
