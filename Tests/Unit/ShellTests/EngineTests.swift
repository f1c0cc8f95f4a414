import Foundation
import Handlers
import Linux
import Scheduling
import ServiceConfiguration
import ServiceLog
import Testing
import Timeline
import UpdateStore

@testable import Service

/// The engine with a real store, screens and handlers of the test's own.
@Suite("The engine")
final class EngineTests {
  final class World: EngineScreens, EngineHandlers {
    var gateStates: [GateScope: GateState] = [.machine: .clear(since: at(0))]
    var log: [String] = []
    /// What the last look finds; it happens in its middle.
    var touchAtLastLook = false
    var preparing: HandlerProgress = .ready
    var starting: HandlerProgress = .ready
    var probing: ProbeAnswer = .ended

    func recheck(_ now: Instant) { log.append("recheck") }
    func lastLook(screen: String?, grab: Bool, _ now: Instant) -> Bool {
      log.append(grab ? "last look, grab" : "last look")
      return touchAtLastLook
    }
    func decided(starts: Bool, _ now: Instant) { log.append("decided \(starts)") }
    func handlerEnded(_ now: Instant) { log.append("guard ends") }
    func prepare(_ update: Update, attempt: Int, at now: Instant) -> HandlerProgress {
      log.append("prepare \(update.id), attempt \(attempt)")
      return preparing
    }
    func discardPrepared() { log.append("discard") }
    func start(_ update: Update, attempt: Int, releasedAt: Instant?, at now: Instant) -> HandlerProgress {
      log.append("start \(update.id)")
      return starting
    }
    func probe(_ update: Update, at now: Instant) -> ProbeAnswer { probing }

    func take() -> [String] {
      defer { log = [] }
      return log
    }
  }

  let world = World()
  let engine: Engine
  private let clock = Clock()

  /// The time of day: so many seconds after 1970, and as many as have passed on the monotonic clock.
  private final class Clock {
    var time = wall(1_000_000)
  }
  let folder = NSTemporaryDirectory() + "touchgate-engine-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let store = try QueueStore(path: "\(folder)/queue.sqlite", now: WallTime(millisecondsSinceEpoch: 0))
    engine = try Engine(
      Scheduler(quietPeriod: .zero, interval: .seconds(1)), store: store, log: Log(), metrics: Metrics(),
      screens: world, handlers: world,
      clock: MachineClock(
        .init(
          wall: { [clock] in clock.time }, timeAsleep: { .zero }, isSynchronized: { true },
          earliest: WallTime(millisecondsSinceEpoch: 0)), record: nil, boot: "",
        at(0)),
      now: at(0))
    engine.announced = { [world] announcement, _ in
      switch announcement {
      case .accepted(let id): world.log.append("accepted \(id)")
      case .ended(let id, let result): world.log.append("ended \(id): \(result.state.rawValue)")
      case .refused, .notEnded, .done, .notDone: world.log.append("\(announcement)")
      }
    }
    engine.feedGateStates(at(0))
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func submit(_ text: String, attempts: Int = 1) throws -> Update {
    let update = Update(
      id: try #require(UpdateID(text)), handler: "page", parameters: [:],
      createdAt: WallTime(millisecondsSinceEpoch: 0), submitter: Submitter(uid: 1, pid: 2),
      sequence: engine.nextSequence())
    engine.feed { $0.submit(update, payload: [1], at: at(1)) }
    return update
  }

  private func result(_ state: FinalState) -> HandlerEnd {
    HandlerEnd(
      result: UpdateResult(
        state: state, exitCode: 0, message: "", finishedAt: SystemClock.wall,
        releaseToStartMilliseconds: nil))
  }

  @Test("feeding executes nothing; draining stores, answers, marks, prepares, looks last and starts, in this order")
  func order() throws {
    let update = try submit("a")
    #expect(world.take() == [] && engine.actions.count == 1)
    engine.drain(at: at(1))
    #expect(
      world.take() == [
        "accepted a", "prepare a, attempt 1", "last look", "decided true", "start a",
      ])
    #expect(engine.actions.isEmpty)
    #expect(try engine.store.find(update.id)?.state == .applying)
    #expect(try engine.store.payload(of: update.id) == [1])
  }

  @Test("the end of a handler is stored when it has been reported")
  func end() throws {
    let update = try submit("a")
    engine.drain(at: at(1))
    _ = world.take()
    engine.handlerEnded(update, result(.applied), ran: .seconds(1), at(2))
    #expect(world.take() == ["guard ends", "ended a: applied"])
    guard case .finished = try engine.store.find(update.id)?.state else {
      Issue.record("its end is not stored")
      return
    }
  }

  @Test("a touch at the last look: what was prepared is discarded, and the update waits again")
  func disturbed() throws {
    world.touchAtLastLook = true
    let update = try submit("a")
    engine.drain(at: at(1))
    #expect(
      world.take() == ["accepted a", "prepare a, attempt 1", "last look", "decided false", "discard"])
    #expect(engine.scheduler.isWaiting(update.id) && engine.scheduler.attempts(of: update.id) == 0)
  }

  @Test("a handler that cannot be prepared has failed, without a last look")
  func unprepared() throws {
    world.preparing = .failed(result(.failed).result)
    _ = try submit("a")
    engine.drain(at: at(1))
    #expect(world.take() == ["accepted a", "prepare a, attempt 1", "guard ends", "ended a: failed"])
  }

  @Test("the guard decides whether there is a last look, and whether devices are grabbed for it")
  func guards() throws {
    engine.guardKind = { _ in .none }
    let update = try submit("a")
    engine.drain(at: at(1))
    #expect(world.take() == ["accepted a", "prepare a, attempt 1", "decided true", "start a"])
    engine.handlerEnded(update, result(.applied), ran: .seconds(1), at(2))
    _ = world.take()
    engine.guardKind = { _ in .grab }
    _ = try submit("b")
    engine.drain(at: at(3))
    #expect(world.take().contains("last look, grab"))
  }

  @Test("an update without a receiver waits for one, and no attempt is used")
  func notTaken() throws {
    world.starting = .notTaken
    let update = try submit("a")
    engine.drain(at: at(1))
    #expect(engine.scheduler.isWaiting(update.id) && engine.scheduler.attempts(of: update.id) == 0)
    #expect(engine.scheduler.blockers(of: update.id, at: at(1)).contains { $0.code == .noReceiver })
  }

  @Test("updates that were waiting at a stop are found at the next start")
  func recovers() throws {
    _ = try submit("a")
    engine.drain(at: at(1))
    _ = try submit("b")
    engine.drain(at: at(1))
    try engine.close(at(5))
    let again = World()
    let store = try QueueStore(path: "\(folder)/queue.sqlite", now: WallTime(millisecondsSinceEpoch: 0))
    let next = try Engine(
      Scheduler(quietPeriod: .zero, interval: .seconds(1)), store: store, log: Log(), metrics: Metrics(),
      screens: again, handlers: again,
      clock: MachineClock(
        .init(
          wall: { [clock] in clock.time }, timeAsleep: { .zero }, isSynchronized: { true },
          earliest: WallTime(millisecondsSinceEpoch: 0)),
        record: try store.clock(),
        boot: "", at(0)),
      now: at(0))
    again.probing = .running
    try next.recover(at(0))
    next.drain(at: at(0))
    #expect(next.scheduler.applying?.text == "a" && next.scheduler.waitingCount == 1)
    #expect(next.nextSequence() == 3)
    #expect(again.take() == [], "a handler of the former run still runs")
  }

  @Test("while a span is counted, what the clocks say is stored every ten minutes, and with every other write")
  func clockStored() throws {
    func stored() throws -> Duration? { try engine.store.clock()?.sinceBoot }
    engine.wakesUp(at(5))
    engine.followSpans(at(5))
    #expect(try stored() == nil && engine.nextDeadline == nil, "nothing waits")
    let update = Update(
      id: try #require(UpdateID("a")), handler: "page", parameters: [:], createdAt: wall(0),
      submitter: Submitter(uid: 1, pid: 2), sequence: engine.nextSequence(),
      notBefore: .steady(engine.scheduler.clocks(at(5)).steady + .seconds(10_000)))
    engine.feed { $0.submit(update, payload: [], at: at(5)) }
    engine.drain(at: at(5))
    engine.followSpans(at(5))
    #expect(try stored() == .seconds(5))
    for (seconds, expected) in [(604, 5), (605, 605), (1204, 605), (1205, 1205)] as [(Double, Int64)] {
      engine.wakesUp(at(seconds))
      engine.timePassed(at(seconds))
      engine.drain(at: at(seconds))
      engine.followSpans(at(seconds))
      #expect(try stored() == .seconds(expected), "\(seconds)")
    }
    try engine.close(at(1300))
  }

  @Test("a hold that a version without a steady clock stored does not last longer than it was asked for")
  func olderHold() throws {
    clock.time = wall(10)
    let hold = Hold(
      id: try #require(HoldID("h")), owner: Submitter(uid: 1, pid: 2), reason: "sale", since: wall(1_000_000_000),
      until: SteadyTime(milliseconds: 1_000_000_600_000))
    try engine.store.perform([.hold(hold)])
    try engine.recover(at(0))
    #expect(engine.scheduler.activeHolds.first?.until == engine.scheduler.clocks(at(0)).steady + .seconds(600))
  }

  @Test("a clock that is set back while nothing waits: notBefore and a deadline count from the time that it shows then")
  func clockSetBack() throws {
    engine.wakesUp(at(10))
    clock.time = wall(500_000)
    // The next wake-up is that of a request.
    engine.wakesUp(at(20))
    let update = Update(
      id: try #require(UpdateID("a")), handler: "page", parameters: [:], createdAt: wall(500_000),
      submitter: Submitter(uid: 1, pid: 2), sequence: engine.nextSequence(), notBefore: .wall(wall(500_060)),
      deadline: .wall(wall(500_120)))
    engine.feed { $0.submit(update, payload: [], at: at(20)) }
    engine.drain(at: at(20))
    #expect(world.take() == ["accepted a"], "neither started nor expired")
    #expect(engine.scheduler.blockers(of: update.id, at: at(20)).map(\.code) == [.notBefore])
    clock.time = wall(500_061)
    engine.wakesUp(at(81))
    engine.timePassed(at(81))
    engine.drain(at: at(81))
    #expect(world.take().last == "start a")
  }

  @Test("while an update waits, the slot tables are read each second")
  func rechecks() throws {
    world.gateStates[.machine] = .clear(since: at(0))
    world.gateStates[.screen("lobby")] = .blocked(
      Blocker(code: .touched, since: at(0), screen: "lobby", contacts: 1, clears: .contactsEnd))
    engine.feedGateStates(at(0))
    _ = try submit("a")
    engine.drain(at: at(1))
    _ = world.take()
    for second in 2...4 {
      #expect(engine.nextDeadline == at(Double(second)))
      engine.timePassed(at(Double(second)))
      engine.drain(at: at(Double(second)))
      #expect(world.take() == ["recheck"])
    }
  }

  @Test("an answer about the present reads the slot tables first, also while nothing waits")
  func readsFirst() {
    engine.recheckNow(at(1))
    #expect(world.take() == ["recheck"])
  }
}
