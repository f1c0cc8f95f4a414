import Foundation
import Seeded
import Testing

private let environment = ProcessInfo.processInfo.environment
/// Where `Tests/Tools/run` has built Tests/Tools/crash; without it these tests are skipped.
private let tools = environment["CRASH_TOOLS"]
private let rounds = environment["CRASH_ROUNDS"].flatMap { Int($0) } ?? 100

@Suite(
  "Killed at any moment", .enabled(if: tools != nil, "needs the programs: make test, make test-crash"), .serialized)
struct CrashTests {
  let seed = environment["CRASH_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)

  @Test("nothing that was accepted is lost, and nothing is applied twice by accident")
  func killed() throws {
    expectGood(try run("crash", rounds, .none), rounds)
  }

  @Test(
    "the same while the disk is full now and then",
    .enabled(if: getuid() == 0, "needs root, to mount a small file system"))
  func killedOnFullDisk() throws {
    let rounds = max(1, rounds / 2)
    let ending = try run("crash on a full disk", rounds, .fullDisk)
    expectGood(ending, rounds)
    #expect(ending.refusals["storeFull"] ?? 0 > 0, "the disk was never full")
  }

  @Test("the same at power failures, after which writes that were not synchronized may be missing")
  func powerFails() throws {
    let rounds = max(1, rounds / 4)
    expectGood(try run("power failures", rounds, .power), rounds)
  }

  @Test("a queue that is not synchronized loses updates at power failures, and this is noticed")
  func unsynchronized() throws {
    let ending = try run("power failures without synchronization", 20, .powerUnsynchronized)
    #expect(ending.lost + ending.judge.doubled + ending.judge.wrong != [], "\(ending.hint)")
  }

  /// What came of one run.
  private struct Ending {
    var judge: Judge
    var lost: [String]
    /// Refused without a good reason.
    var strange: [String]
    var accepted: Int
    var refusals: [String: Int]
    /// How often the service ended by itself.
    var exits: Int
    var hint: String
  }

  private func expectGood(_ ending: Ending, _ rounds: Int) {
    #expect(ending.lost == [], "\(ending.hint)")
    #expect(ending.judge.doubled == [], "\(ending.hint)")
    #expect(ending.judge.wrong + ending.strange == [], "\(ending.hint)")
    #expect(ending.judge.givenUp <= 1 + rounds / 20, "three deaths in a row under one update are rare; \(ending.hint)")
    #expect(ending.exits == 0, "the service ended by itself \(ending.exits) times; \(ending.hint)")
    #expect(ending.accepted >= rounds / 2, "the clients were hardly served")
  }

  private func run(_ name: String, _ rounds: Int, _ failure: CrashingService.Failure) throws -> Ending {
    let onFullDisk = failure == .fullDisk
    let service = try CrashingService(
      tools: try #require(tools), program: "\(environment["TOUCHGATE_PROGRAMS"] ?? "")/usr/sbin/touchgated",
      failure: failure)
    let clients = Clients(socket: service.socket, log: service.log, padding: onFullDisk ? 20_000 : 0)
    var random = SplitMix64(seed: seed)
    let disk = onFullDisk ? try FillingDisk(at: service.state, size: "9m") : nil
    try service.start()
    clients.waitForService()
    disk?.start(seed: random.next())
    clients.start(3, seed: random.next())
    var exits = 0
    let boundaries = CrashingService.boundaries.shuffled(using: &random)
    for round in 0..<rounds {
      // One in four at any moment, the others at a boundary; not every run reaches its boundary.
      if round % 4 == 0 {
        usleep(UInt32(1000 * random.below(400)))
      } else {
        service.waitForEnd(within: .milliseconds(800))
      }
      if service.kill(SIGKILL) != SIGKILL { exits += 1 }
      let next = (round + 1) % 4 == 0 ? nil : boundaries[round % boundaries.count]
      try service.start(boundary: next, number: random.oneIn(2) ? 1 : 1 + random.below(20))
    }
    service.waitForEnd(within: .milliseconds(800))
    service.kill(SIGKILL)
    if onFullDisk {
      // On a slow machine every short run may have fallen between two full disks: one more, until a client met one.
      try service.start()
      let limit = ContinuousClock.now + .seconds(30)
      while clients.with({ $0.refusals["storeFull"] }) == nil, ContinuousClock.now < limit { usleep(2000) }
      service.kill(SIGKILL)
    }
    clients.stop()
    disk?.stop()

    // One undisturbed run, to the end of the queue.
    try service.start()
    let limit = ContinuousClock.now + .seconds(120)
    clients.waitForService(until: limit)
    clients.settle()
    clients.waitForEnds(until: limit)
    let outcomes = try clients.outcomes()
    let place = disk.map { "; \($0.place)" } ?? ""
    service.kill(SIGTERM)

    let memory = clients.with { $0 }
    let wanted = memory.wanted.values.sorted { $0.id < $1.id }
    let judge = Judge(wanted, outcomes, try service.handlerLog(), historyGivesWay: onFullDisk)
    let accepted = wanted.filter(\.isAccepted).count
    let died = try service.boundaries()
    let refused = memory.refusals.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    print("seed \(seed); died at \(died.count) of \(boundaries.count) kinds of boundaries; refused: \(refused)")
    if judge.givenUp > 0 { print("given up, because each start had ended with the service: \(judge.givenUp)") }
    if environment["CRASH_VERBOSE"] != nil {
      for (boundary, count) in died.sorted(by: { $0.key < $1.key }) { print("  \(count)  \(boundary)") }
    }
    let lost = judge.lost + (onFullDisk ? [] : memory.missing)
    print("\(name): \(rounds) rounds, \(accepted) updates accepted, \(lost.count) lost, \(judge.doubled.count) doubled")
    let hint = "seed \(seed)\(place), the service's last words: \(service.journal.suffix(2000))"
    return Ending(
      judge: judge, lost: lost, strange: memory.strange, accepted: accepted, refusals: memory.refusals, exits: exits,
      hint: hint)
  }
}
