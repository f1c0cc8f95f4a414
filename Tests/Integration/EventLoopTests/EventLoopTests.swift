import EventLoop
import Glibc
import Linux
import Testing
import Timeline

/// What every wake-up of the service has in common.
@Suite("The event loop", .serialized)
struct EventLoopTests {
  let loop: EventLoop

  init() throws {
    EventLoop.blockSignals([SIGUSR1, SIGCHLD])
    loop = try EventLoop()
  }

  @Test("a descriptor, a timer, a signal and a child each run between one beginning and one end, with one time")
  func brackets() throws {
    var log: [String] = []
    var times: [[Instant]] = []
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    let output = try FileDescriptor(owning: ends[0])
    let input = try FileDescriptor(owning: ends[1])
    try input.write([1])
    var sources: [Source] = []
    func note(_ what: String, _ now: Instant) {
      log.append(what)
      times[times.count - 1].append(now)
    }
    let number = output.raw
    sources.append(
      try loop.watch(number, .requests) { now in
        var byte: UInt8 = 0
        _ = read(number, &byte, 1)
        note("descriptor", now)
      })
    let timer = try loop.timer(.timers) { now in note("timer", now) }
    timer.arm(SystemClock.monotonic)
    sources.append(try loop.signal(SIGUSR1) { now in note("signal", now) })
    pthread_kill(pthread_self(), SIGUSR1)
    var child: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    defer { free(arguments[0]) }
    try #require(posix_spawn(&child, "/bin/true", nil, nil, &arguments, nil) == 0)
    sources.append(try loop.child(child) { end, now in note("child \(end == .exited(0))", now) })
    loop.beforeEach = { now in
      log.append("(")
      times.append([now])
    }
    var count = 0
    loop.afterEach = { [loop] now in
      log.append(")")
      times[times.count - 1].append(now)
      count += 1
      if count == 4 { loop.stop(0) }
    }
    #expect(try loop.run() == 0)
    #expect(log.count == 12)
    #expect(stride(from: 0, to: 12, by: 3).allSatisfy { log[$0] == "(" && log[$0 + 2] == ")" }, "\(log)")
    #expect(Set(log).subtracting(["(", ")"]) == ["descriptor", "timer", "signal", "child true"])
    #expect(times.allSatisfy { Set($0).count == 1 && $0.count == 3 }, "\(times)")
    withExtendedLifetime((sources, timer)) {}
  }

  @Test("a deadline is armed at the end of the wake-up, whichever callback set it")
  func deadline() throws {
    // Whoever sets a deadline need not think of the timer: the kind of fault that once withheld the watchdog ping.
    var deadline: Instant?
    var fired = 0
    let timer = try loop.timer(.timers) { [loop] now in
      fired += 1
      #expect(deadline.map { $0 <= now } == true)
      deadline = fired < 3 ? now + .milliseconds(1) : nil
      if fired == 3 { loop.stop(0) }
    }
    let signal = try loop.signal(SIGUSR1) { now in deadline = now + .milliseconds(1) }
    loop.afterEach = { _ in timer.arm(deadline) }
    pthread_kill(pthread_self(), SIGUSR1)
    #expect(try loop.run() == 0)
    #expect(fired == 3 && timer.due == nil)
    withExtendedLifetime((timer, signal)) {}
  }
}
