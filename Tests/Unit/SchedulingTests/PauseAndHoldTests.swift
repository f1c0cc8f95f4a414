import Scheduling
import Testing
import Timeline

@Suite("The operator's pause, and holds")
struct PauseAndHoldTests {
  @Test("while paused nothing starts, updates are accepted, and each names who paused and why; resume starts at once")
  func pause() {
    var bench = Bench()
    bench.release()
    bench.pauseAll()
    bench.submit("a")
    bench.pass(until: 100)
    #expect(bench.running == nil)
    let blocker = bench.scheduler.blockers(of: id("a"), at: bench.now).first
    #expect(blocker?.code == .paused && blocker?.owner == "user 0" && blocker?.reason == .words("a test"))
    bench.resumeAll()
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("paused while a handler runs: it ends, and nothing follows")
  func pauseWhileRunning() {
    var bench = Bench()
    bench.submit("a")
    bench.submit("b")
    bench.pauseAll()
    bench.handlerEnds()
    bench.pass(until: 10)
    #expect(bench.store[id("a")]?.state.name == "applied" && bench.running == nil)
    #expect(bench.violations == [])
  }

  @Test("a pause outlives a restart, and so does a hold with a time to live")
  func restart() {
    var bench = Bench()
    bench.hold("ttl", seconds: 60)
    bench.pauseAll()
    bench.submit("a")
    bench.sleep(until: at(20))
    bench.restart(handlerLives: false)
    bench.release()
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.paused, .hold])
    bench.resumeAll()
    bench.pass(until: 59.9)
    #expect(bench.running == nil)
    bench.pass(until: 60)
    #expect(bench.running == id("a"))
    #expect(bench.scheduler.activeHolds == [])
    #expect(bench.violations == [])
  }

  @Test("held between the mark and the start: it goes back, and no attempt is used")
  func holdBeforeStart() {
    var bench = Bench()
    bench.release()
    bench.duringLastLook = { $0.hold("b") }
    bench.submit("a")
    bench.pass(until: 3)
    #expect(bench.running == nil)
    #expect(bench.store[id("a")]?.attempts == 0 && bench.store[id("a")]?.state == .waiting)
    #expect(bench.violations == [])
  }

  @Test("holds are a set: all must end, in any order; the same id twice is one hold")
  func set() {
    var bench = Bench()
    bench.release()
    for name in ["x", "y", "x"] { bench.hold(name) }
    bench.submit("a")
    bench.letGo("y")
    bench.letGo("never")
    #expect(bench.running == nil)
    bench.letGo("x")
    #expect(bench.running == id("a"))
    #expect(bench.violations == [])
  }

  @Test("a hold of one screen holds its updates and those for all, and no others")
  func ofOneScreen() {
    var bench = Bench()
    bench.world[.screen("door")] = .clear(since: at(0))
    bench.release()
    bench.hold("h", screen: "door")
    bench.submit("d", screen: "door")
    bench.submit("all")
    bench.submit("p", screen: "panel")
    #expect(bench.running == id("p"))
    bench.handlerEnds()
    #expect(bench.running == nil)
    bench.letGo("h")
    bench.handlerEnds()
    bench.handlerEnds()
    #expect(bench.store.values.allSatisfy { $0.state.name == "applied" })
    #expect(bench.violations == [])
  }

  @Test("a hold that is bound to a connection is kept for 30 s over a restart, and no longer")
  func kept() {
    var bench = Bench()
    bench.hold("h", screen: "panel")
    bench.submit("a")
    bench.sleep(until: at(10))
    bench.restart(handlerLives: false)
    bench.release()
    let kept = bench.scheduler.keptHold(id("h"))
    #expect(kept?.screen == "panel" && kept?.reason == "a test" && kept?.until == bench.steady + .seconds(30))
    let blocker = bench.scheduler.blockers(of: id("a"), at: bench.now).first
    #expect(blocker?.code == .hold && blocker?.clears == .holdIsReleased(orAt: at(40)))
    bench.pass(until: 39.9)
    #expect(bench.running == nil)
    bench.pass(until: 41)
    #expect(bench.running == id("a") && bench.bound.isEmpty)
    #expect(bench.violations == [])
  }

  @Test("holds of one moment are listed by arrival, whatever their ids, and one taken again keeps its place")
  func order() {
    var bench = Bench()
    bench.submit("a")
    let names = ["m", "z", "a", "k"]
    for name in names { bench.hold(name) }
    bench.hold("b", seconds: 60)
    let listed = (names + ["b"]).map { id($0) as HoldID }
    #expect(bench.scheduler.activeHolds.map(\.id) == listed)
    bench.hold("z")
    #expect(bench.scheduler.activeHolds.map(\.id) == listed)
  }

  @Test("an owner that comes back after a restart has its hold again, as old as it was, and bound to its connection")
  func takenAgain() {
    var bench = Bench()
    bench.hold("h")
    let since = bench.scheduler.activeHolds.first?.since
    bench.submit("a")
    bench.sleep(until: at(10))
    bench.restart(handlerLives: false)
    bench.release()
    bench.pass(until: 20)
    bench.takeAgain("h")
    #expect(bench.scheduler.keptHold(id("h")) == nil)
    #expect(bench.scheduler.activeHolds.map(\.since) == [since] && bench.scheduler.activeHolds.first?.until == nil)
    bench.pass(until: 500)
    #expect(bench.running == nil)
    bench.disconnect("h")
    #expect(bench.running == id("a") && bench.bound.isEmpty)
    #expect(bench.violations == [])
  }

  @Test("an owner's attempt that it has given up does not use up the time for which its hold is kept; its end does")
  func givenUp() {
    for ends in [true, false] {
      var bench = Bench()
      bench.hold("h")
      bench.submit("a")
      bench.sleep(until: at(10))
      bench.restart(handlerLives: false)
      bench.release()
      bench.pass(until: 20)
      bench.takeAgain("h")
      if ends { bench.ownerEnds("h") }
      bench.disconnect("h")
      #expect((bench.running == id("a")) == ends)
      if !ends {
        #expect(bench.scheduler.keptHold(id("h")) != nil)
        bench.pass(until: 39.9)
        #expect(bench.running == nil)
        bench.pass(until: 41)
        #expect(bench.running == id("a"))
      }
      #expect(bench.bound.isEmpty && bench.violations == [])
    }
  }

  @Test("a hold that continues a turn is not kept longer than the turn would have lasted")
  func turnEnds() {
    var bench = Bench()
    bench.release()
    bench.turn("t")
    #expect(bench.bound[id("t")]?.hold.ends == SteadyTime(milliseconds: 5_600_000))
    bench.sleep(until: at(590))
    bench.restart(handlerLives: false)
    #expect(bench.scheduler.keptHold(id("t"))?.until == SteadyTime(milliseconds: 5_600_000))
  }

  @Test("a kept hold that is being released is not taken again")
  func onItsWayOut() {
    var bench = Bench()
    bench.hold("h")
    bench.restart(handlerLives: false)
    _ = bench.scheduler.release(id("h"), at: bench.now)
    #expect(bench.scheduler.keptHold(id("h")) == nil)
  }

  @Test("a connection that the service closes because it stops does not end the hold; any other end does")
  func keptOverStop() {
    var bench = Bench()
    bench.hold("h")
    bench.hold("i")
    bench.disconnect("i")
    bench.stop()
    bench.disconnect("h")
    #expect(bench.bound.keys.map(\.text) == ["h"])
    bench.restart(handlerLives: false)
    #expect(bench.scheduler.activeHolds.map(\.id) == [id("h")])
    bench.letGo("h")
    #expect(bench.scheduler.activeHolds == [] && bench.bound.isEmpty)
    #expect(bench.violations == [])
  }

  @Test("after a reboot no process is left that has a bound hold")
  func rebooted() {
    var bench = Bench()
    bench.hold("h")
    bench.restart(handlerLives: false, reboot: true)
    #expect(bench.scheduler.activeHolds == [] && bench.bound.isEmpty)
    #expect(bench.violations == [])
  }

  @Test("a bound hold that cannot be stored is in force all the same")
  func unstored() {
    var bench = Bench()
    bench.failing = [.bind]
    bench.hold("h")
    bench.failing = []
    bench.release()
    bench.submit("a")
    bench.pass(until: 10)
    #expect(bench.running == nil && bench.bound.isEmpty)
    #expect(bench.scheduler.blockers(of: id("a"), at: bench.now).map(\.code) == [.hold])
    #expect(bench.violations == [])
  }

  @Test("a clock that is set, also while the service is off, makes no hold longer than it was asked for")
  func clock() {
    for set in [year, .zero - year] {
      var bench = Bench()
      bench.hold("h", seconds: 60)
      bench.submit("a")
      bench.sleep(until: at(10))
      bench.clockSet = set
      bench.restart(handlerLives: false)
      bench.release()
      bench.pass(until: 71)
      #expect(bench.running == id("a"), "\(set)")
      #expect(bench.violations == [])
    }
  }
}
