import Scheduling
import Testing
import Timeline

@Suite("Turns, and updates that an application applies itself")
struct TurnTests {
  @Test("a turn waits for quiet as an update does, and while it lasts nothing is applied")
  func turn() {
    var bench = Bench(quiet: .seconds(2))
    bench.touch()
    bench.turn("t")
    bench.submit("a")
    bench.pass(until: 10)
    #expect(bench.running == nil)
    #expect(bench.scheduler.blockers(of: .turn(id("t")), at: bench.now).map(\.code) == [.touched])
    bench.release()
    bench.pass(until: 11.9)
    #expect(bench.running == nil && bench.turnRunning == nil)
    _ = bench.news()
    bench.pass(until: 12)
    #expect(
      bench.news().suffix(4) == ["last look t", "start t, 2000 ms after the release", "store bind", "done bind"],
      "nothing is stored before it begins")
    bench.pass(until: 100)
    #expect(bench.turnRunning == id("t"))
    let blocker = bench.scheduler.blockers(of: id("a"), at: bench.now).first
    #expect(blocker?.code == .turn && blocker?.owner == "flash.service, user 3, process 1")
    #expect(blocker?.reason == .words("firmware") && blocker?.clears == .turnEnds(id("t"), orAt: at(12 + 600)))
    bench.leave("t")
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("a turn that has begun is kept over a restart as a hold of its screen, one that waits is not")
  func kept() {
    var bench = Bench()
    bench.release()
    bench.turn("t", screen: "panel")
    bench.turn("u", screen: "panel")
    #expect(bench.turnRunning == id("t") && bench.bound.keys.map(\.text) == ["t"])
    bench.stop()
    bench.leave("t")
    bench.submit("a")
    bench.restart(handlerLives: false)
    bench.release()
    let held = bench.scheduler.activeHolds
    #expect(held.map(\.id.text) == ["t"] && held.first?.screen == "panel" && held.first?.reason == "firmware")
    bench.pass(until: 20)
    #expect(bench.running == nil)
    bench.takeAgain("t")
    bench.pass(until: 100)
    #expect(bench.running == nil)
    bench.letGo("t")
    #expect(bench.running == id("a") && bench.bound.isEmpty)
    #expect(bench.violations == [])
  }

  @Test("turns are listed: the one that lasts first, then those that wait, in order of arrival")
  func listed() {
    var bench = Bench()
    bench.submit("a")
    for name in ["t", "u", "v"] { bench.turn(name) }
    #expect(bench.scheduler.turns.map(\.turn.id) == [id("t"), id("u"), id("v")])
    #expect(bench.scheduler.currentTurn == nil && bench.scheduler.turns.allSatisfy { $0.ends == nil })
    bench.leave("t")
    bench.handlerEnds()
    #expect(
      bench.scheduler.currentTurn?.turn.id == id("u") && bench.scheduler.currentTurn?.ends == bench.now + .seconds(600))
    bench.leave("u")
    bench.leave("v")
    #expect(bench.scheduler.turns == [] && bench.scheduler.currentTurn == nil)
  }

  @Test("a turn is no update: it counts in no queue, and has no attempts and no times")
  func noUpdate() {
    var bench = Bench()
    bench.touch()
    bench.turn("t")
    let scheduler = bench.scheduler
    #expect(scheduler.isAnythingWaiting && scheduler.isHoldOrTurn("t"))
    #expect(scheduler.waitingCount == 0 && scheduler.waitingCount(of: 3) == 0 && scheduler.oldestWaiting == nil)
    #expect(scheduler.update(id("t")) == nil && scheduler.attempts(of: id("t")) == nil)
    #expect(scheduler.rechecks(of: id("t")) == nil && scheduler.blockedTimes(of: id("t"), at: bench.now) == nil)
    #expect(scheduler.allBlockedTimes(at: bench.now).isEmpty)
    bench.leave("t")
    #expect(!bench.scheduler.isAnythingWaiting)
  }

  @Test("a client that leaves while it waits loses its turn, and then no timer runs")
  func leaves() {
    var bench = Bench()
    bench.touch()
    bench.turn("t")
    #expect(bench.scheduler.nextDeadline == at(1) && bench.scheduler.oldestWaiting == nil)
    bench.leave("t")
    #expect(bench.scheduler.nextDeadline == nil && bench.scheduler.waitingCount == 0)
    bench.release()
    #expect(bench.running == nil)
    #expect(bench.violations == [])
  }

  @Test("a finger at the last moment: the turn waits again, and nothing was stored")
  func lastMoment() {
    var bench = Bench()
    bench.release()
    bench.duringLastLook = { $0.world[.screen("panel")] = touched(since: 0) }
    bench.turn("t")
    #expect(bench.turnRunning == nil && bench.scheduler.isHoldOrTurn("t"))
    #expect(!bench.said.contains { $0.hasPrefix("store") })
    bench.release()
    #expect(bench.turnRunning == id("t"))
    #expect(bench.violations == [])
  }

  @Test("holds, the operator and the order count for it, too")
  func others() {
    var bench = Bench()
    bench.release()
    bench.submit("a")
    bench.hold("h")
    bench.turn("t")
    bench.handlerEnds()
    #expect(bench.turnRunning == nil)
    bench.letGo("h")
    #expect(bench.turnRunning == id("t"))
    #expect(bench.violations == [])
  }

  @Test("an update with the id of a turn is not the turn: no request about the update ends it, and both end")
  func sameText() {
    for isWaiting in [false, true] {
      var bench = Bench()
      if isWaiting { bench.touch() } else { bench.release() }
      bench.turn("t")
      bench.submit("t")
      if isWaiting { bench.release() }
      #expect(bench.turnRunning == id("t") && bench.scheduler.isWaiting(id("t")))
      bench.cancel("t")
      #expect(bench.turnRunning == id("t") && bench.store[id("t")]?.isFinished == true)
      bench.submit("next")
      #expect(bench.scheduler.blockers(of: id("next"), at: bench.now).first?.code == .turn)
      bench.leave("t")
      #expect(bench.running == id("next") && bench.scheduler.inProgress == .update(id("next")))
      #expect(bench.violations == [])
    }
  }

  @Test("ids of turns, waiting or begun, and of holds are known, so that no client uses them for an update")
  func idsInUse() {
    var bench = Bench()
    bench.touch()
    bench.turn("t")
    bench.hold("h")
    bench.submit("u")
    let scheduler = bench.scheduler
    #expect(scheduler.isHoldOrTurn("t") && scheduler.isHoldOrTurn("h") && !scheduler.isHoldOrTurn("u"))
    bench.leave("t")
    bench.letGo("h")
    #expect(!bench.scheduler.isHoldOrTurn("t") && !bench.scheduler.isHoldOrTurn("h"))
  }

  // MARK: Receivers

  @Test("without a receiver it waits, names its blocker and delays no other; with one it starts")
  func receivers() {
    var bench = Bench()
    bench.release()
    bench.receivers(of: "app", present: false)
    bench.submit("a", to: "app", priority: 9)
    bench.submit("b")
    #expect(bench.running == id("b"))
    bench.handlerEnds()
    bench.pass(until: 5)
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.noReceiver])
    #expect(bench.scheduler.blockedTimes(of: id("a"), at: bench.now)?[.noReceiver] == .seconds(5))
    bench.force("a")
    #expect(bench.running == nil, "nobody is there to be forced")
    bench.receivers(of: "app", present: true)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("the receiver goes while updates wait for a finger: when they come up they are put aside")
  func goesWhileWaiting() {
    var bench = Bench()
    bench.touch()
    bench.submit("a", to: "app")
    bench.submit("b", to: "app")
    bench.submit("c")
    bench.receivers(of: "app", present: false)
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.touched, .noReceiver])
    bench.release()
    #expect(bench.running == id("c"))
    bench.handlerEnds()
    #expect(bench.running == nil)
    bench.receivers(of: "app", present: true)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("the receiver goes under an update: it waits again, and no attempt is used up")
  func goesUnderIt() {
    var bench = Bench()
    bench.release()
    bench.submit("a", to: "app")
    bench.receivers(of: "app", present: false)
    bench.notTaken()
    #expect(bench.store[id("a")]?.state == .waiting && bench.store[id("a")]?.attempts == 0)
    #expect(bench.running == nil)
    bench.receivers(of: "app", present: true)
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("an update that comes after its handler's receiver has left lacks one since then, not since before")
  func receiverLeftBefore() {
    var bench = Bench()
    bench.receivers(of: "page", present: false)
    bench.pass(until: 5)
    bench.submit("a")
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.since) == [at(5)])
  }
}
