import EventLoop
import Glibc
import Linux
import Scheduling
import ServiceLog
import Testing
import Timeline

@testable import Service

/// Real processes, whose holds a former run has stored.
@Suite("Owners of holds after a restart")
struct KeptOwnersTests {
  private let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  /// A process that waits until it is killed.
  private func process() throws -> pid_t {
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/sleep"), strdup("1000"), nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    try #require(posix_spawn(&pid, "/bin/sleep", nil, nil, &words, environ) == 0)
    return pid
  }

  private func end(_ pid: pid_t) {
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  private func bound(_ text: String, _ pid: pid_t, _ ticks: UInt64?) throws -> BoundHold {
    BoundHold(
      hold: Hold(
        id: try #require(HoldID(text)), owner: Submitter(uid: 7, pid: pid), reason: "flashing", since: wall(1),
        until: nil),
      startTicks: ticks, boot: "")
  }

  @Test("a hold ends at once if its process has ended or its number is another's, and with it; others are kept")
  func processes() throws {
    let (living, dead) = (try process(), try process())
    defer { end(living) }
    let ticks = try #require(ProcessIdentity(of: living)).startTicks
    let former = try #require(ProcessIdentity(of: dead)).startTicks
    end(dead)
    let stored = [
      try bound("living", living, ticks), try bound("dead", dead, former), try bound("reused", living, ticks + 1),
      try bound("unknown", 0, nil),
    ]
    let engine = try EngineTests()
    engine.engine.feed { $0.recover(Recovered(updates: [], bound: stored), at: at(1)) }
    let owners = KeptOwners(loop: loop, engine: engine.engine, log: Log())
    owners.begin(stored, at(1))
    engine.engine.drain(at: at(1))
    #expect(engine.engine.scheduler.activeHolds.map(\.id.text).sorted() == ["living", "unknown"])
    end(living)
    let limit = try loop.timer(.timers) { [loop] _ in loop.stop(1) }
    limit.arm(SystemClock.monotonic + .seconds(20))
    loop.afterEach = { [loop] now in
      engine.engine.drain(at: at(2))
      if engine.engine.scheduler.activeHolds.count < 2 { loop.stop(0) }
    }
    #expect(try loop.run() == 0)
    #expect(engine.engine.scheduler.activeHolds.map(\.id.text) == ["unknown"])
  }
}
