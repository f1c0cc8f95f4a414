import Foundation
import Testing
import TouchgateAPI
import TouchgateClient
import VirtualTouch

extension VMTests {
  @Suite("Accepted updates are not lost")
  struct QueueTests {
    @Test("kill -9 while ten updates wait: after the restart ten wait, and ten are applied once each")
    func killed() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      screen.down(slot: 0, x: 0.5, y: 0.5)
      try #require(try service.sees(1))
      let ids = try (0..<10).map { try service.submit(id: "update-\($0)") }
      service.kill(SIGKILL)
      try service.start()
      #expect(try service.status().updates["waiting"] == 10)
      #expect(service.applied.isEmpty)
      screen.up(slot: 0)
      for id in ids { #expect(try service.end(id)?.state == "applied") }
      #expect(try service.status().updates["applied"] == 10)
      #expect(service.applied == ids, "once each, in the order of arrival")
    }

    @Test(
      "if the service is killed while a handler runs, the next start waits for that handler and applies the update again"
    )
    func killedUnderAHandler() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0", start: false)
      try service.handler(
        "slow",
        exec: #"/bin/sh -c "echo begin >> \#(service.folder)/slow; sleep 2; echo end >> \#(service.folder)/slow""#
      )
      try service.start()
      func slow() -> [Substring] {
        ((try? String(contentsOfFile: "\(service.folder)/slow", encoding: .utf8)) ?? "").split(separator: "\n")
      }
      let id = try service.submit("slow")
      #expect(eventually { slow() == ["begin"] })
      service.kill(SIGKILL)
      try service.start()
      #expect(try service.update(id).state == "applying")
      #expect(try service.end(id)?.state == "applied")
      #expect(slow() == ["begin", "end", "begin", "end"], "never two at a time")
      #expect(try service.update(id).attempts == 1, "an interruption is no attempt")
    }

    @Test("SIGTERM waits for the running handler, and its result is stored")
    func terminated() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0", start: false)
      try service.handler("slow", exec: #"/bin/sh -c "touch \#(service.folder)/began; sleep 1""#)
      try service.start()
      let id = try service.submit("slow")
      #expect(eventually { FileManager.default.fileExists(atPath: "\(service.folder)/began") })
      #expect(service.kill(SIGTERM) == 0)
      try service.start()
      #expect(try service.update(id).state == "applied")
      #expect(try service.update(id).attempts == 1)
    }

    @Test("a handler gets parameters, payload and default signals; a failure is reported with its output")
    func handlers() throws {
      let service = try ServiceUnderTest(gate: "FirstScreenTimeout=0", start: false)
      let out = "\(service.folder)/out"
      try service.handler(
        "show",
        exec: #"/bin/sh -c "(echo $TOUCHGATE_PARAM_URL; cat; grep -E 'Sig(Blk|Ign)' /proc/self/status) > \#(out)""#,
        more: "Param=url ^https?://")
      try service.handler("fail", exec: #"/bin/sh -c "echo disk is on fire >&2; exit 3""#)
      try service.handler("hang", exec: #"/bin/sh -c "sleep 1000 & sleep 1000""#, more: "Timeout=1s")
      try service.start()

      let shown = try service.connection.submit(
        SubmitRequest(handler: "show", parameters: ["url": "https://example.org/a b"], payload: "päyload\n")
      ).id
      #expect(try service.end(shown)?.state == "applied")
      let lines = try String(contentsOfFile: out, encoding: .utf8).split(separator: "\n")
      #expect(lines.prefix(2) == ["https://example.org/a b", "päyload"])
      // glibc's posix_spawn ignores its two internal signals (32 and 33) in every child.
      #expect(lines.dropFirst(2) == ["SigBlk:\t0000000000000000", "SigIgn:\t0000000180000000"])

      let failed = try service.submit("fail")
      #expect(try service.end(failed)?.state == "failed")
      let result = try #require(try service.update(failed).result)
      #expect(result.exitCode == 3)
      #expect(result.message.contains("disk is on fire"))

      let hung = try service.submit("hang")
      #expect(try service.end(hung, within: .seconds(9))?.state == "failed")
      #expect(try service.update(hung).result?.message.contains("timeout of 1 s") == true)
      let left = try Run("/bin/sh", ["-c", "pgrep -fxc 'sleep 1000'"]).output
      #expect(left.trimmingCharacters(in: .whitespacesAndNewlines) == "0", "the whole process group is ended")
    }

    @Test("the service has one thread")
    func oneThread() throws {
      let screen = try VirtualTouchscreen(ScreenDescription("Lobby"))
      let service = try ServiceUnderTest()
      try #require(try service.knows(screens: 1))
      let id = try service.submit()
      #expect(eventually { service.isApplied(id) })
      let status = try String(contentsOfFile: "/proc/\(service.pid)/status", encoding: .utf8)
      let threads = status.split(separator: "\n").first { $0.hasPrefix("Threads:") }
      #expect(threads?.hasSuffix("\t1") == true, "\(threads ?? "")")
      let memory = status.split(separator: "\n").filter { $0.hasPrefix("VmRSS") || $0.hasPrefix("Rss") }
      print("memory: \(memory.map { $0.replacingOccurrences(of: "\t", with: " ") }.joined(separator: ", "))")
      withExtendedLifetime(screen) {}
    }
  }
}
