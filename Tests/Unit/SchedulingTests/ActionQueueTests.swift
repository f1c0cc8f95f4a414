import Scheduling
import Testing
import Timeline

/// Effects that only write down what was called, with answers that the test sets.
private struct ScriptedEffects: ActionEffects {
  var scheduler = Scheduler(quietPeriod: .zero, interval: .seconds(1))
  var actions = ActionQueue()
  var calls: [String] = []
  /// Writes of these updates fail, and every group that one of them is in.
  var unwritable: Set<UpdateID> = []
  var preparing = HandlerProgress.ready
  var starting = HandlerProgress.ready
  var found: [GateScope: GateState] = [.machine: .clear(since: at(0))]
  var afterDecision: [GateScope: GateState]?
  /// Done once, within the next last look.
  var duringLastLook: ((inout Self) -> Void)?
  /// Done once, within the next announcement.
  var duringAnnouncement: ((inout Self) -> Void)?

  init() { _ = scheduler.screens(found, at: at(0)) }

  mutating func submit(_ text: String, _ sequence: Int64 = 1) {
    actions.append(scheduler.submit(update(text, sequence), payload: [], at: at(1)))
  }

  mutating func news() -> [String] {
    defer { calls = [] }
    return calls
  }

  mutating func store(_ writes: [StoreWrite], at now: Instant) -> StoreFailure? {
    calls.append("store " + writes.map(\.words).joined(separator: ", "))
    return writes.contains { $0.id.map(unwritable.contains) == true } ? .full("disk full") : nil
  }

  mutating func recheck(at now: Instant) -> [GateScope: GateState] {
    calls.append("recheck")
    return found
  }

  mutating func prepare(_ update: Update, attempt: Int, at now: Instant) -> HandlerProgress {
    calls.append("prepare \(update.id), attempt \(attempt)")
    return preparing
  }

  mutating func discardPrepared(_ id: UpdateID, at now: Instant) { calls.append("discard \(id)") }

  mutating func lastLook(for work: Work, at now: Instant) -> LastLook {
    calls.append("last look \(work.id)")
    let change = duringLastLook
    duringLastLook = nil
    change?(&self)
    return LastLook(isDisturbed: false, screens: found)
  }

  mutating func decided(starts: Bool, at now: Instant) -> [GateScope: GateState] {
    calls.append(starts ? "starts" : "does not start")
    if let afterDecision { found = afterDecision }
    return found
  }

  mutating func start(_ update: Update, attempt: Int, releasedAt: Instant?, at now: Instant) -> HandlerProgress {
    calls.append("start \(update.id)")
    return starting
  }

  mutating func startTurn(_ turn: Turn, releasedAt: Instant?, at now: Instant) { calls.append("start turn \(turn.id)") }

  mutating func probe(_ id: UpdateID, at now: Instant) -> ProbeAnswer {
    calls.append("probe \(id)")
    return .ended
  }

  mutating func announce(_ announcement: Announcement, at now: Instant) {
    switch announcement {
    case .accepted(let id): calls.append("accepted \(id)")
    case .refused(let id, let reason): calls.append("refused \(id): \(reason)")
    case .ended(let id, let result): calls.append("ended \(id): \(result.state.rawValue)")
    case .notEnded(let id, let reason): calls.append("not ended \(id): \(reason)")
    case .done(let write): calls.append("done \(write.words)")
    case .notDone(let write, let reason): calls.append("not done \(write.words): \(reason)")
    }
    let change = duringAnnouncement
    duringAnnouncement = nil
    change?(&self)
  }
}

@Suite("The queue of actions")
struct ActionQueueTests {
  private let whole = [
    "store accept a", "accepted a", "store beginApplying a", "prepare a, attempt 1", "last look a", "starts", "start a",
  ]

  @Test("an update is stored, accepted, marked, prepared, looked at for the last time and started, in this order")
  func order() {
    var effects = ScriptedEffects()
    effects.submit("a")
    effects.drain(at: at(1))
    #expect(effects.news() == whole)
    #expect(effects.actions.isEmpty)
  }

  @Test("a step executes one action, and says when there is none")
  func steps() {
    var effects = ScriptedEffects()
    effects.submit("a")
    var after: [Int] = []
    while effects.step(at: at(1)) { after.append(effects.calls.count) }
    #expect(after == [1, 2, 3, 6, 7], "preparing, the last look and its verdict are one step")
    let more = effects.step(at: at(1))
    #expect(!more)
  }

  // MARK: Writes

  @Test("writes that follow each other are one transaction; each is accepted after it")
  func groupCommit() {
    var effects = ScriptedEffects()
    effects.found = [:]
    _ = effects.scheduler.screens([:], at: at(1))
    for (number, text) in ["a", "b", "c"].enumerated() { effects.submit(text, Int64(number + 1)) }
    effects.drain(at: at(1))
    #expect(
      effects.news() == ["store accept a, accept b, accept c", "accepted a", "accepted b", "accepted c"])
  }

  @Test("if a group cannot be written each write is tried on its own, in its order, and only the bad one is refused")
  func failingGroup() {
    var effects = ScriptedEffects()
    _ = effects.scheduler.screens([:], at: at(1))
    effects.unwritable = [id("b")]
    for (number, text) in ["a", "b", "c"].enumerated() { effects.submit(text, Int64(number + 1)) }
    effects.drain(at: at(1))
    #expect(
      effects.news() == [
        "store accept a, accept b, accept c", "store accept a", "store accept b", "store accept c", "accepted a",
        "refused b: disk full", "accepted c",
      ])
  }

  @Test("after a group that failed the next group is one transaction again")
  func nextGroup() {
    var effects = ScriptedEffects()
    _ = effects.scheduler.screens([:], at: at(1))
    effects.unwritable = [id("b")]
    effects.submit("a")
    effects.submit("b", 2)
    effects.drain(at: at(1))
    _ = effects.news()
    effects.submit("c", 3)
    effects.submit("d", 4)
    effects.drain(at: at(1))
    #expect(effects.news().first == "store accept c, accept d")
  }

  @Test("an announcement between two writes separates their transactions")
  func separated() {
    var effects = ScriptedEffects()
    _ = effects.scheduler.screens([:], at: at(1))
    effects.duringAnnouncement = { $0.submit("b", 2) }
    effects.submit("a")
    effects.drain(at: at(1))
    #expect(effects.news() == ["store accept a", "accepted a", "store accept b", "accepted b"])
  }

  // MARK: The last look

  @Test("actions queued during the last look wait until the handler has been started")
  func nothingBetween() {
    var effects = ScriptedEffects()
    effects.duringLastLook = { $0.submit("b", 2) }
    effects.submit("a")
    effects.drain(at: at(1))
    #expect(effects.news() == whole + ["store accept b", "accepted b"])
  }

  @Test("a finger found by the last look sends the update back, and the prepared handler is discarded")
  func sentBack() {
    var effects = ScriptedEffects()
    effects.duringLastLook = { $0.found[.screen("panel")] = touched(since: 1) }
    effects.submit("a")
    effects.drain(at: at(1))
    #expect(
      effects.news() == whole.dropLast(2) + ["does not start", "discard a", "store backToWaiting a"])
    #expect(effects.scheduler.isWaiting(id("a")))
  }

  @Test("what the released devices report after the verdict does not undo it, and counts for the next update")
  func gatesAfterwards() {
    var effects = ScriptedEffects()
    effects.afterDecision = [.machine: .clear(since: at(0)), .screen("panel"): touched(since: 1)]
    effects.submit("a")
    effects.submit("b", 2)
    effects.drain(at: at(1))
    #expect(effects.news().contains("start a"), "it was decided before")
    _ = effects.scheduler.handlerEnded(id("a"), result(.applied), at: at(2))
    #expect(effects.scheduler.blockers(of: id("b"), at: at(2)).map(\.code) == [.touched, .applying])
  }

  @Test("a recheck reports the gates first, so it can start an update")
  func recheck() {
    var effects = ScriptedEffects()
    effects.found[.screen("panel")] = touched(since: 1)
    _ = effects.scheduler.screens(effects.found, at: at(1))
    effects.submit("a")
    effects.drain(at: at(1))
    _ = effects.news()
    effects.found[.screen("panel")] = .clear(since: at(1.5))
    effects.actions.append(effects.scheduler.timePassed(at(2)))
    effects.drain(at: at(2))
    #expect(effects.news() == ["recheck"] + whole.dropFirst(2))
  }

  // MARK: Preparing

  @Test("a handler that cannot be prepared has failed: no last look, and no start")
  func notPrepared() {
    var effects = ScriptedEffects()
    effects.preparing = .failed(result(.failed))
    effects.submit("a")
    effects.drain(at: at(1))
    #expect(effects.news() == whole.dropLast(3) + ["store finish a", "ended a: failed"])
  }

  @Test("an update that is not permitted any more has failed at its start, with attempts left, and never starts")
  func notPermitted() {
    for isForced in [false, true] {
      var effects = ScriptedEffects()
      effects.preparing = .refused(result(.failed))
      _ = effects.scheduler.configure(
        policy: HandlerPolicy(attempts: 5), policies: [:], interval: .seconds(1), at: at(1))
      if isForced { _ = effects.scheduler.screens([:], at: at(1)) }
      effects.submit("a")
      effects.drain(at: at(1))
      if isForced { effects.actions.append(effects.scheduler.expedite(id("a"), .force)) }
      effects.drain(at: at(2))
      #expect(effects.news().suffix(3) == ["prepare a, attempt 1", "store finish a", "ended a: failed"])
      #expect(effects.scheduler.inProgress == nil && !effects.scheduler.isAnythingWaiting)
    }
  }

  @Test("an update without a receiver waits again, whether that is found before the last look or at the start")
  func notTaken() {
    for isFoundEarly in [true, false] {
      var effects = ScriptedEffects()
      _ = effects.scheduler.receivers(of: "page", present: true, at: at(0))
      if isFoundEarly { effects.preparing = .notTaken } else { effects.starting = .notTaken }
      effects.submit("a")
      for _ in 0..<(isFoundEarly ? 5 : 6) { effects.step(at: at(1)) }
      #expect(effects.news().last == "store backToWaiting a")
      #expect(effects.scheduler.attempts(of: id("a")) == 0)
    }
  }

  @Test("a turn has a last look and nothing to prepare or to store")
  func turn() {
    var effects = ScriptedEffects()
    let turn = Turn(
      id: id("t"), owner: Submitter(uid: 1, pid: 2), since: WallTime(millisecondsSinceEpoch: 0), screen: nil,
      quietPeriod: nil, sequence: 1)
    effects.actions.append(effects.scheduler.takeTurn(turn, at: at(1)))
    effects.drain(at: at(1))
    #expect(effects.news() == ["last look t", "starts", "start turn t"])
  }

  @Test("a turn whose client leaves before the last look has none")
  func turnIsLeft() {
    var effects = ScriptedEffects()
    let turn = Turn(
      id: id("t"), owner: Submitter(uid: 1, pid: 2), since: WallTime(millisecondsSinceEpoch: 0), screen: nil,
      quietPeriod: nil, sequence: 1)
    effects.actions.append(effects.scheduler.takeTurn(turn, at: at(1)))
    effects.actions.append(effects.scheduler.leave(id("t"), at: at(1)))
    effects.drain(at: at(1))
    #expect(effects.news() == [])
  }

  @Test("a forced update has no last look: prepared, then started")
  func forced() {
    var effects = ScriptedEffects()
    effects.found[.screen("panel")] = touched(since: 1)
    _ = effects.scheduler.screens(effects.found, at: at(1))
    effects.submit("a")
    effects.drain(at: at(1))
    _ = effects.news()
    effects.actions.append(effects.scheduler.expedite(id("a"), .force))
    effects.drain(at: at(2))
    #expect(
      effects.news() == [
        "store expedite a", "done expedite a", "store beginApplying a", "prepare a, attempt 1", "start a",
      ])
  }

  @Test("a forced update that cannot be prepared has failed")
  func forcedNotPrepared() {
    var effects = ScriptedEffects()
    effects.preparing = .failed(result(.failed))
    effects.submit("a")
    _ = effects.scheduler.screens([:], at: at(1))
    effects.drain(at: at(1))
    effects.actions.append(effects.scheduler.expedite(id("a"), .force))
    effects.drain(at: at(2))
    #expect(effects.news().suffix(3) == ["prepare a, attempt 1", "store finish a", "ended a: failed"])
  }

  @Test("a forced update whose mark is stored after the service began to stop is not started")
  func forcedWhileStopping() {
    var effects = ScriptedEffects()
    _ = effects.scheduler.screens([:], at: at(1))
    effects.submit("a")
    effects.drain(at: at(1))
    effects.actions.append(effects.scheduler.expedite(id("a"), .force))
    while !effects.calls.contains("done expedite a") { effects.step(at: at(2)) }
    effects.scheduler.stop(at: at(2))
    effects.drain(at: at(2))
    #expect(effects.news().suffix(2) == ["discard a", "store backToWaiting a"])
  }

  @Test("a start that fails is the end of the attempt")
  func startFails() {
    var effects = ScriptedEffects()
    effects.starting = .failed(result(.failed))
    effects.submit("a")
    effects.drain(at: at(1))
    #expect(effects.news() == whole + ["store finish a", "ended a: failed"])
  }

  // MARK: Re-entrancy

  @Test("draining within an effect has no effect; what the effect appended comes after it")
  func reentrancy() {
    var effects = ScriptedEffects()
    _ = effects.scheduler.screens([:], at: at(1))
    effects.duringAnnouncement = {
      $0.submit("b", 2)
      $0.drain(at: at(1))
      $0.calls.append($0.step(at: at(1)) ? "stepped" : "announced")
    }
    effects.submit("a")
    effects.drain(at: at(1))
    #expect(effects.news() == ["store accept a", "accepted a", "announced", "store accept b", "accepted b"])
  }

  @Test("effects that are an object may use their own scheduler within an effect")
  func object() {
    let engine = Engine()
    engine.actions.append(engine.scheduler.submit(update("a"), payload: [], at: at(1)))
    engine.drain(at: at(1))
    #expect(engine.attempts == [0, 1])
    #expect(engine.actions.isEmpty)
  }

  /// As the service's engine: an object that reads its scheduler and drains again while it is being drained.
  private final class Engine: ActionEffects {
    var scheduler = Scheduler(quietPeriod: .zero, interval: .seconds(1))
    var actions = ActionQueue()
    var attempts: [Int?] = []
    private let clear: [GateScope: GateState] = [.machine: .clear(since: at(0))]

    init() { _ = scheduler.screens(clear, at: at(0)) }

    func store(_ writes: [StoreWrite], at now: Instant) -> StoreFailure? { nil }
    func recheck(at now: Instant) -> [GateScope: GateState] { clear }
    func prepare(_ update: Update, attempt: Int, at now: Instant) -> HandlerProgress { .ready }
    func discardPrepared(_ id: UpdateID, at now: Instant) {}
    func startTurn(_ turn: Turn, releasedAt: Instant?, at now: Instant) {}
    func lastLook(for work: Work, at now: Instant) -> LastLook { LastLook(isDisturbed: false, screens: clear) }
    func decided(starts: Bool, at now: Instant) -> [GateScope: GateState] { clear }
    func probe(_ id: UpdateID, at now: Instant) -> ProbeAnswer { .pending }

    func start(_ update: Update, attempt: Int, releasedAt: Instant?, at now: Instant) -> HandlerProgress {
      attempts.append(scheduler.attempts(of: update.id))
      return .ready
    }

    func announce(_ announcement: Announcement, at now: Instant) {
      attempts.append(scheduler.attempts(of: id("a")))
      actions.append(scheduler.screens(clear, at: now))
      drain(at: now)
    }
  }
}
