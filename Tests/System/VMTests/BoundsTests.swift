import Foundation
import Synchronization
import Testing
import TouchgateAPI
import TouchgateClient

extension VMTests {
  @Suite("The queue has bounds")
  struct BoundsTests {
    /// Nothing is applied: everything waits for an hour of quiet.
    private func service(_ queue: String = "") throws -> ServiceOnTrial {
      try ServiceOnTrial(quiet: "1h", gate: "FirstScreenTimeout=0\n[Queue]\n\(queue)")
    }

    private func request(
      _ id: String? = nil, payload: String? = nil, key: String? = nil, priority: Int? = nil
    ) -> SubmitRequest {
      SubmitRequest(handler: "note", payload: payload, id: id, key: key, priority: priority)
    }

    /// The code of the refusal; nil: accepted.
    private func refusal(_ service: ServiceOnTrial, _ request: SubmitRequest) throws -> String? {
      do {
        _ = try service.connection.submit(request)
        return nil
      } catch ClientError.refused(let status, let problem) {
        return "\(status) \(problem.code)"
      }
    }

    @Test("submissions of one moment cannot make the queue longer than MaxWaiting=")
    func oneMoment() throws {
      let service = try service("MaxWaiting=3")
      service.signal(SIGSTOP)
      let answers = Mutex<[String]>([])
      let connection = service.connection
      for number in 0..<7 {
        Thread.detachNewThread {
          var answer = "202"
          do {
            _ = try connection.submit(SubmitRequest(handler: "note", id: "u\(number)"))
          } catch ClientError.refused(let status, let problem) {
            answer = "\(status) \(problem.code)"
          } catch {
            answer = "\(error)"
          }
          let text = answer
          answers.withLock { $0.append(text) }
        }
      }
      // They have all been sent when that many stand in the socket's queue; /proc tells no such thing, so a while.
      usleep(300_000)
      service.signal(SIGCONT)
      #expect(eventually { answers.withLock { $0.count } == 7 })
      #expect(
        answers.withLock { $0.sorted() } == Array(repeating: "202", count: 3)
          + Array(repeating: "429 queueFull", count: 4))
      #expect(try service.status().updates["waiting"] == 3)
    }

    @Test("at the bound what takes the place of one that waits is accepted, what would come beside it is not")
    func replacement() throws {
      let service = try service("MaxWaiting=2\nMaxWaitingBytesPerUser=1000")
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

    @Test("payloads that wait are bounded, in all and per user; one that ends makes room")
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

    @Test("on a full disk a submission is refused by name, status says so, and what waits is applied")
    func fullDisk() throws {
      let service = try ServiceOnTrial(quiet: "1h", gate: "FirstScreenTimeout=0", start: false)
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
      #expect(try eventually { try service.status().updates["applied"] == 5 })
      ftruncate(filler, 0)
      #expect(try refusal(service, request("late", payload: large)) == nil)
      #expect(try !service.status().warnings.contains { $0.contains("storeFull") })
    }
  }
}
