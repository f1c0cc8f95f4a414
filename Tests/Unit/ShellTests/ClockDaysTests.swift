import Foundation
import Handlers
import Scheduling
import Seeded
import ServiceConfiguration
import ServiceLog
import Testing
import Timeline
import UpdateStore

@testable import Service

/// Machines whose clock is wrong at the boot, is set by NTP, and is set by anybody in between, with power cuts, while spans and times of
/// every kind are pending. The engine, the store and the clocks are the shipped ones; the judge knows only the true time, for how long the machine
/// was on. `CLOCK_DAYS` sets how many, `CLOCK_SEED` repeats one.
@Suite("Days with a wrong clock")
struct ClockDaysTests {
  /// Handlers never run longer than a moment, and the screen is touched all the time: only what is forced starts.
  private final class World: EngineScreens, EngineHandlers {
    var gateStates: [GateScope: GateState] = [
      .machine: .blocked(Blocker(code: .touched, since: at(0), contacts: 1, clears: .contactsEnd))
    ]
    var started: [UpdateID] = []
    func recheck(_ now: Instant) {}
    func lastLook(screen: String?, grab: Bool, _ now: Instant) -> Bool { false }
    func decided(starts: Bool, _ now: Instant) {}
    func handlerEnded(_ now: Instant) {}
    func prepare(_ update: Update, attempt: Int, at now: Instant) -> HandlerProgress { .ready }
    func discardPrepared() {}
    func start(_ update: Update, attempt: Int, releasedAt: Instant?, at now: Instant) -> HandlerProgress {
      started.append(update.id)
      return .ready
    }
    func probe(_ update: Update, at now: Instant) -> ProbeAnswer { .ended }
  }

  /// What the judge knows of one pending update, in seconds.
  private struct Pending {
    let update: UpdateID
    /// Of true time; nil: it is a time.
    let span: Int64?
    /// Of true time: when it was submitted, or the time itself.
    let time: Int64
    /// For how long the machine had been on then.
    let on: Int64
    /// It may have been noticed, and waited for another one since.
    var wasDue = false
  }

  private static let ntp: Int64 = 1_800_000_000

  private final class Machine {
    /// True time, and the time since the boot; seconds.
    var truth = ClockDaysTests.ntp
    var sinceBoot: Int64 = 0
    var on: Int64 = 0
    /// What the clock shows minus the true time.
    var error: Int64 = 0
    var isSynchronized = false

    func pass(_ seconds: Int64) {
      truth += seconds
      sinceBoot += seconds
      on += seconds
    }

    var wall: WallTime { WallTime(millisecondsSinceEpoch: (truth + error) * 1000) }
  }

  @Test(
    "nothing is forced, expires or ends early, and nothing is lost: spans by the time that has passed, times by a right clock"
  )
  func days() throws {
    let environment = ProcessInfo.processInfo.environment
    let days = environment["CLOCK_DAYS"].flatMap(Int.init) ?? 15
    var early = 0
    var lost = 0
    var judged = 0
    for day in 0..<days {
      let seed = environment["CLOCK_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0 ... .max >> 1)
      let result = try self.day(seed)
      early += result.early
      lost += result.lost
      judged += result.judged
      #expect(result.early == 0 && result.lost == 0, "day \(day), CLOCK_SEED=\(seed)")
    }
    print("clock: \(days) days, \(judged) spans and times judged, \(early) early or forced, \(lost) lost")
    #expect(judged > days)
  }

  private func day(_ seed: UInt64) throws -> (early: Int, lost: Int, judged: Int) {
    var dice = SplitMix64(seed: seed)
    let folder = NSTemporaryDirectory() + "touchgate-clock-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let machine = Machine()
    var pending: [UpdateID: Pending] = [:]
    var (early, lost, judged, number) = (0, 0, 0, 0)
    for boot in 0..<4 {
      // A machine without a battery shows 1970, or where it was; with one, the time or something near it.
      machine.error = [-machine.truth + 5, 0, -86_400 * 400, 3600, -3600, -7][dice.below(6)]
      machine.isSynchronized = false
      machine.sinceBoot = 0
      let synchronizes = dice.below(3) > 0 ? Int64(20 + dice.below(4000)) : .max
      try run(
        folder, boot, machine, synchronizes: synchronizes, lasts: Int64(1800 + dice.below(30_000)), &dice, &pending,
        &number,
        &early, &lost, &judged)
      // Power cut: nothing is closed.
      machine.truth += Int64(60 + dice.below(100_000))
    }
    return (early, lost, judged)
  }

  // swift-format-ignore
  private func run(
    _ folder: String, _ boot: Int, _ machine: Machine, synchronizes: Int64, lasts: Int64, _ dice: inout SplitMix64,
    _ pending: inout [UpdateID: Pending], _ number: inout Int, _ early: inout Int, _ lost: inout Int, _ judged: inout Int
  ) throws {
    let world = World()
    let store = try QueueStore(path: "\(folder)/queue.sqlite", now: machine.wall)
    func now() -> Instant { at(Double(machine.sinceBoot)) }
    let clock = MachineClock(
      .init(
        wall: { machine.wall }, timeAsleep: { .zero }, isSynchronized: { machine.isSynchronized },
        earliest: WallTime(millisecondsSinceEpoch: (Self.ntp - 86_400) * 1000)),
      ClockSettings(), record: try store.clock(), boot: "boot \(boot)", now())
    let engine = try Engine(
      Scheduler(
        policy: HandlerPolicy(), interval: .seconds(1), boot: "boot \(boot)", seed: 1), store: store, log: Log(),
      metrics: Metrics(), screens: world, handlers: world, clock: clock, now: now())
    var ended: [UpdateID] = []
    engine.announced = { announcement, _ in if case .ended(let id, _) = announcement { ended.append(id) } }
    engine.feedGateStates(now())
    try engine.recover(now())
    engine.drain(at: now())
    while machine.sinceBoot < lasts {
      if dice.below(3) == 0 { try submit(engine, machine, now(), &dice, &pending, &number) }
      let step = [1, 7, 60, 599, 3000][dice.below(5)] as Int64
      machine.pass(step)
      if machine.sinceBoot >= synchronizes && !machine.isSynchronized {
        (machine.error, machine.isSynchronized) = (0, true)
      } else if dice.below(6) == 0, !machine.isSynchronized {
        // Anybody sets it, or a step by an hour, a day, a year.
        machine.error += [3600, -3600, 86_400, -86_400, 365 * 86_400, -365 * 86_400][dice.below(6)]
      }
      for (id, item) in pending where isDue(item, machine) { pending[id]?.wasDue = true }
      // Twice: after a boot it is asked first what has become of the handler that ran when the power failed.
      for _ in 0..<2 {
        engine.wakesUp(now())
        engine.timePassed(now())
        engine.drain(at: now())
        engine.followSpans(now())
        machine.pass(1)
      }
      while !world.started.isEmpty || !ended.isEmpty {
        let (starts, ends) = (world.started, ended)
        (world.started, ended) = ([], [])
        for id in starts + ends {
          guard let gone = pending.removeValue(forKey: id) else { continue }
          judged += 1
          if !gone.wasDue && !isDue(gone, machine) {
            early += 1
            print("\(id): early by \(due(gone) - machine.truth) s in boot \(boot), \(gone)")
          }
        }
        for update in starts.compactMap(engine.scheduler.update) {
          engine.handlerEnded(update, HandlerEnd(result: applied), ran: .zero, now())
        }
      }
      // A span of which the machine was on for all, or a time at which the clock is right, must have been noticed.
      for (id, item) in pending where isOverdue(item, machine) {
        lost += 1
        print("\(id): late in boot \(boot), \(item)")
        pending[id] = nil
      }
    }
  }

  private func submit(
    _ engine: Engine, _ machine: Machine, _ now: Instant, _ dice: inout SplitMix64,
    _ pending: inout [UpdateID: Pending],
    _ number: inout Int
  ) throws {
    number += 1
    let id = try #require(UpdateID("u\(number)"))
    let clocks = engine.scheduler.clocks(now)
    let length = Int64(10 + dice.below(40_000))
    let isSpan = dice.below(3) > 0
    let deadline: Moment =
      isSpan
      ? .steady(clocks.steady + .seconds(length))
      : .wall(WallTime(millisecondsSinceEpoch: (machine.truth + length) * 1000))
    let update = Update(
      id: id, handler: "page", parameters: [:], createdAt: machine.wall, submitter: Submitter(uid: 1, pid: 2),
      sequence: engine.nextSequence(), deadline: deadline, onDeadline: dice.below(2) == 0 ? .force : .expire,
      spansBegan: clocks.steady)
    pending[id] = Pending(
      update: id, span: isSpan ? length : nil, time: isSpan ? machine.truth : machine.truth + length, on: machine.on)
    if let item = pending[id], isDue(item, machine) { pending[id]?.wasDue = true }
    engine.feed { $0.submit(update, payload: [], at: now) }
    engine.drain(at: now)
  }

  private var applied: UpdateResult {
    UpdateResult(
      state: .applied, exitCode: 0, message: "", finishedAt: WallTime(millisecondsSinceEpoch: 0),
      releaseToStartMilliseconds: nil)
  }

  /// A span, once it has passed in truth. A time, also when a clock shows it that nobody has verified for ten minutes
  /// (`ClockWait=`), but never when the clock is known to be wrong.
  private func isDue(_ item: Pending, _ machine: Machine) -> Bool {
    if machine.truth >= due(item) { return true }
    let shown = machine.wall >= WallTime(millisecondsSinceEpoch: item.time * 1000)
    return item.span == nil && !machine.isSynchronized && machine.sinceBoot >= 600 && shown
  }

  /// True time at which it is due at the earliest.
  private func due(_ item: Pending) -> Int64 { item.time + (item.span ?? 0) }

  private func isOverdue(_ item: Pending, _ machine: Machine) -> Bool {
    guard let span = item.span else { return machine.isSynchronized && machine.truth > item.time + 3000 }
    // A power cut costs what was not stored, ten minutes and a step at most, in each boot.
    return machine.on > item.on + span + 4 * (600 + 3000)
  }
}
