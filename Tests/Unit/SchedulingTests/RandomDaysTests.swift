import Foundation
import Scheduling
import Seeded
import Testing
import Timeline

typealias Dice = SplitMix64

extension Dice {
  mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
}

/// Days of a service: requests, fingers seen and unseen, full disks, deaths, in any order. `RANDOM_DAYS` sets how many,
/// `RANDOM_SEED` repeats one.
@Suite("Random days")
struct RandomDaysTests {
  static let stepsADay = 250
  static let seeds: [UInt64] = {
    var generator = SystemRandomNumberGenerator()
    if let seed = ProcessInfo.processInfo.environment["RANDOM_SEED"].flatMap(UInt64.init) { return [seed] }
    let days = ProcessInfo.processInfo.environment["RANDOM_DAYS"].flatMap(Int.init) ?? 80
    return (0..<days).map { _ in UInt64.random(in: 0...UInt64(UInt32.max), using: &generator) }
  }()

  @Test(
    """
    every accepted update ends in exactly one way once all is quiet, and never runs after that unless somebody takes \
    it up again; one handler at a time; unless forced none while its screen is shut or held, while all is paused, \
    before its quiet period, its time or the end of its backoff; by priority and place among those that may; only \
    failures are counted; every update knows what has blocked it; and every write before what depends on it
    """)
  func days() {
    for seed in Self.seeds {
      let violations = day(seed)
      // A failure prints its seed; RANDOM_SEED repeats that day.
      #expect(violations == [], "seed \(seed)")
    }
  }

  private static let policies = [
    "page": HandlerPolicy(),
    "flaky": HandlerPolicy(quietPeriod: .seconds(1), attempts: 3, backoff: .seconds(2), coalescing: .latest),
    "first": HandlerPolicy(attempts: 2, backoff: .milliseconds(300), coalescing: .first),
    "reboot": HandlerPolicy(attempts: 2, backoff: .seconds(1), rebootTimeout: .seconds(20)),
    "once": HandlerPolicy(onInterrupted: .fail, isSatisfiedByReboot: true),
    "all": HandlerPolicy(quietPeriod: .seconds(5), attempts: 4, backoff: .seconds(1), coalescing: .all),
  ]

  private func day(_ seed: UInt64) -> [String] {
    var dice = Dice(seed: seed)
    let quiet: Duration = [.zero, .milliseconds(700), .seconds(3)][dice.roll(3)]
    // On half of the days all are alike; on the others they are as different as can be.
    var bench = Bench(quiet: quiet, policies: dice.roll(2) == 0 ? [:] : Self.policies, seed: seed)
    for number in 0..<Self.stepsADay {
      step(&bench, &dice, number)
      if bench.isDead {
        let reboot = dice.roll(3) == 0
        bench.restart(handlerLives: !reboot && dice.roll(2) == 0, reboot: reboot)
      }
      judge(&bench)
    }
    calm(&bench)
    return bench.violations
  }

  private func step(_ bench: inout Bench, _ dice: inout Dice, _ number: Int) {
    switch dice.roll(37) {
    case 0..<4:
      submit(&bench, &dice, number)
    case 4..<6:
      bench.touch()
    case 6..<9:
      bench.release()
    case 9:  // Unseen: only a look finds it.
      bench.world[.screen("panel")] = dice.roll(2) == 0 ? touched(since: 0) : .clear(since: bench.now)
    case 10:
      bench.world[.screen("door")] = dice.roll(3) == 0 ? touched(since: 0, "door") : .clear(since: bench.now)
      bench.tell()
    case 11:
      let gone = Blocker(code: .unknown, since: bench.now, screen: "door", clears: .screenIsBack(orAt: nil))
      bench.world[.screen("door")] = dice.roll(2) == 0 ? nil : .absent(gone)
      bench.tell()
    case 12..<15:
      bench.pass(until: seconds(bench) + Double(dice.roll(4000)) / 1000)
    case 15:
      bench.oversleep(until: seconds(bench) + Double(dice.roll(30_000)) / 1000)
    case 16, 20:
      let fails = dice.roll(2) == 0
      bench.handlerEnds(fails ? .failed : .applied, tryLater: fails && dice.roll(3) == 0)
    case 17:
      bench.failing = Set(Bench.Write.allCases.filter { _ in dice.roll(3) == 0 })
      bench.preparing = dice.roll(3) == 0 ? .failed(result(.failed)) : .ready
    case 18:
      bench.failing = []
      bench.preparing = .ready
      if dice.roll(2) == 0 {
        let shuts = dice.roll(2) == 0
        bench.duringLastLook = { $0.world[.screen("panel")] = shuts ? touched(since: 0) : .clear(since: $0.now) }
      }
    case 21:
      bench.cancel("u\(dice.roll(number + 1))")
    case 22:
      if let waits = bench.unfinished.randomElement(using: &dice) { bench.cancel(waits.update.id.text) }
    case 23:
      if let waits = bench.unfinished.randomElement(using: &dice) { bench.expedite(waits.update.id.text) }
    case 24:
      if dice.roll(4) == 0 { bench.isClockSet.toggle() }
      if dice.roll(3) == 0 { bench.clockSet = [.zero, year, .zero - year, .seconds(-20), .seconds(20)][dice.roll(5)] }
    case 25:
      bench.wake()
    case 26:
      if dice.roll(3) == 0, let waits = bench.unfinished.randomElement(using: &dice) {
        bench.force(waits.update.id.text)
      }
    case 27:
      bench.retry("u\(dice.roll(number + 1))")
    case 28:
      if dice.roll(3) == 0 { bench.pauseAll() } else { bench.resumeAll() }
    case 29:
      let seconds = dice.roll(2) == 0 ? Double(dice.roll(8000)) / 1000 : nil
      if dice.roll(2) == 0 {
        bench.hold(
          (seconds == nil ? "b" : "h") + "\(dice.roll(3))", screen: [nil, "panel", "door"][dice.roll(3)],
          seconds: seconds)
      }
    case 32:
      bench.turn(
        "t\(dice.roll(3))", quiet: dice.roll(2) == 0 ? nil : .seconds(dice.roll(4)),
        screen: [nil, "panel", "door"][dice.roll(3)])
    case 33:
      bench.leave("t\(dice.roll(3))")
    case 34:
      bench.receivers(of: ["page", "flaky"][dice.roll(2)], present: dice.roll(3) > 0)
    case 35:
      if dice.roll(4) == 0 { bench.notTaken() }
    case 30:
      switch dice.roll(4) {
      case 0: bench.takeAgain(["b", "t"][dice.roll(2)] + "\(dice.roll(3))")
      case 1: bench.disconnect(["b", "t"][dice.roll(2)] + "\(dice.roll(3))")
      default: bench.letGo(["b", "h"][dice.roll(2)] + "\(dice.roll(3))")
      }
    default:
      if dice.roll(2) == 0 {
        bench.actionsLeft = dice.roll(6)
      } else if dice.roll(4) == 0 {
        bench.stop()
      }
    }
  }

  private func submit(_ bench: inout Bench, _ dice: inout Dice, _ number: Int) {
    let (text, now) = ("u\(number)", seconds(bench))
    if dice.roll(3) == 0 { return bench.submit(text) }
    let notBefore = dice.roll(4) == 0 ? now + Double(dice.roll(20_000)) / 1000 - 2 : nil
    let deadline = dice.roll(4) == 0 ? max(now, notBefore ?? now) + Double(dice.roll(20_000) + 1) / 1000 : nil
    bench.submit(
      text, to: ["page", "flaky", "first", "all", "other", "reboot", "once"][dice.roll(7)],
      key: dice.roll(2) == 0 ? "k\(dice.roll(3))" : nil, priority: dice.roll(3) == 0 ? dice.roll(5) - 2 : 0,
      quiet: dice.roll(4) == 0 ? [.zero, .milliseconds(500), .seconds(8)][dice.roll(3)] : nil,
      from: notBefore.map { moment($0, bench, &dice) }, until: deadline.map { moment($0, bench, &dice) },
      onDeadline: [.expire, .apply, .apply, .force][dice.roll(4)],
      screen: [nil, nil, "panel", "door"][dice.roll(4)], user: UInt32(dice.roll(3)))
  }

  /// A time, or the end of a span.
  private func moment(_ seconds: Double, _ bench: Bench, _ dice: inout Dice) -> Moment {
    switch dice.roll(5) {
    case 0, 1: .wall(wall(seconds))
    case 2: TimeOfDay(minutes: dice.roll(1440)).map(Moment.daily) ?? bench.after(1)
    default: bench.after(seconds - self.seconds(bench))
    }
  }

  /// What holds after every step.
  private func judge(_ bench: inout Bench) {
    // Where one write fails and the next does not, a wake-up more than needed does no harm. A second would be a spin.
    if let due = bench.scheduler.nextDeadline, due < bench.now { bench.wake() }
    if let due = bench.scheduler.nextDeadline, due < bench.now { bench.violate("overdue since \(due)") }
    let scheduler = bench.scheduler
    let waiting = bench.unfinished.filter { $0.state == .waiting }
    if scheduler.waitingCount != waiting.count {
      // One whose mark or giving back is not written yet stands in between.
      let between = scheduler.applying.map { id in waiting.contains { $0.update.id == id } } ?? false
      if !between || scheduler.waitingCount != waiting.count - 1 {
        bench.violate("\(scheduler.waitingCount) wait, \(waiting.count) of them in the store")
      }
    }
    let turnWaits = bench.turns.keys.contains { $0 != bench.turnRunning }
    if scheduler.isAnythingWaiting != (scheduler.waitingCount > 0 || turnWaits) {
      bench.violate("turns that wait are not seen")
    }
    if scheduler.isAnythingWaiting {
      guard let due = scheduler.nextDeadline else { return bench.violate("something waits, and no timer runs") }
      if due > bench.now + scheduler.interval { bench.violate("the next recheck is at \(due)") }
    } else if scheduler.inProgress == nil, bench.failing.isEmpty, bench.holds.isEmpty, bench.isBoundForGood,
      bench.lastFailed + scheduler.interval < bench.now, scheduler.nextDeadline != nil
    {
      bench.violate("nothing waits, and a timer runs")
    }
    let counted = (0..<4).map { scheduler.waitingCount(of: $0) }.reduce(0, +)
    if counted != scheduler.waitingCount { bench.violate("\(counted) wait of all users") }
    for waits in waiting where scheduler.applying != waits.update.id {
      let blockers = scheduler.blockers(of: waits.update.id, at: bench.now)
      let blocked = scheduler.blockedTimes(of: waits.update.id, at: bench.now)
      if blockers.isEmpty || blocked == nil { bench.violate("\(waits.update.id) waits, and nothing is in its way") }
    }
  }

  /// The fingers go, the disk has room, the handlers end: then all must come to an end.
  private func calm(_ bench: inout Bench) {
    bench.restart(handlerLives: true)
    bench.failing = []
    bench.preparing = .ready
    bench.resumeAll()
    for handler in ["page", "flaky"] { bench.receivers(of: handler, present: true) }
    for turn in 0..<3 { bench.leave("t\(turn)") }
    for hold in 0..<3 { bench.letGo("h\(hold)") }
    // Every notBefore has come by then.
    (bench.clockSet, bench.isClockSet) = (year * 2, true)
    bench.world = [
      .machine: .clear(since: at(0)), .screen("panel"): .clear(since: bench.now),
      .screen("door"): .clear(since: bench.now),
    ]
    bench.tell()
    bench.wake()
    var rounds = 0
    while !bench.unfinished.isEmpty && rounds < 3 * Self.stepsADay {
      rounds += 1
      bench.pass(until: seconds(bench) + 4)
      bench.handlerEnds()
      // What waits because the machine has rebooted too often, somebody lets go.
      for waits in bench.unfinished where rounds % 50 == 0 { bench.expedite(waits.update.id.text) }
    }
    for left in bench.unfinished { bench.violate("\(left.update.id) never ended") }
    // Holds that were kept for owners who do not come back.
    bench.pass(until: seconds(bench) + 31)
    if bench.scheduler.nextDeadline != nil { bench.violate("nothing waits, and a timer runs") }
  }

  private func seconds(_ bench: Bench) -> Double { Double(bench.now.nanoseconds) / 1e9 }
}
