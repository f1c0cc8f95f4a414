import Scheduling
import Testing
import Timeline

@Suite("Updates of one screen, and of all")
struct ScreenScopeTests {
  private func bench(quiet: Duration = .zero) -> Bench {
    var bench = Bench(quiet: quiet)
    bench.world[.screen("door")] = .clear(since: at(0))
    bench.release()
    return bench
  }

  @Test("a finger on one screen does not delay an update for the other, and delays one for all")
  func twoScreens() {
    var bench = bench()
    bench.touch()
    bench.submit("all")
    bench.submit("p", screen: "panel")
    bench.submit("d", screen: "door")
    #expect(bench.running == id("d"))
    bench.handlerEnds()
    #expect(bench.running == nil)
    #expect(bench.scheduler.blockers(of: id("p"), at: bench.now).first?.screen == "panel")
    bench.release()
    #expect(bench.running == id("all"))
    #expect(bench.violations == [])
  }

  @Test("the quiet period is that of its screen")
  func quiet() {
    var bench = bench(quiet: .seconds(5))
    bench.sleep(until: at(4))
    bench.release()
    bench.submit("d", screen: "door")
    bench.submit("p", screen: "panel")
    bench.pass(until: 5)
    #expect(bench.running == id("d"))
    bench.handlerEnds()
    bench.pass(until: 8.9)
    #expect(bench.running == nil)
    bench.pass(until: 9)
    #expect(bench.running == id("p"))
    #expect(bench.violations == [])
  }

  @Test("an update for a missing screen waits, names that blocker, and starts once the screen is present and clear")
  func missing() {
    var bench = bench()
    bench.submit("x", screen: "till")
    bench.pass(until: 5)
    #expect(bench.running == nil)
    let blocker = bench.scheduler.blockers(of: id("x"), at: bench.now).first
    #expect(blocker?.code == .unknown && blocker?.screen == "till")
    bench.world[.screen("till")] = .clear(since: bench.now)
    bench.tell()
    #expect(bench.running == id("x"))
    #expect(bench.violations == [])
  }

  @Test("an absent screen blocks its own updates and no others")
  func absent() {
    var bench = bench()
    bench.world[.screen("door")] = .absent(
      Blocker(code: .unknown, since: at(0), screen: "door", clears: .screenIsBack(orAt: nil)))
    bench.tell()
    bench.submit("d", screen: "door")
    bench.submit("all")
    #expect(bench.running == id("all"))
    bench.handlerEnds()
    bench.pass(until: 10)
    #expect(bench.running == nil)
    #expect(bench.scheduler.blockers(of: id("d"), at: bench.now).map(\.code) == [.unknown])
    #expect(bench.scheduler.blockedTimes(of: id("d"), at: bench.now)?[.unknown] == .seconds(10))
    bench.world[.screen("door")] = .clear(since: bench.now)
    bench.tell()
    #expect(bench.running == id("d"))
    #expect(bench.violations == [])
  }

  @Test("while the state of the machine is unknown all updates wait")
  func machine() {
    var bench = bench()
    bench.world[.machine] = .blocked(Blocker(code: .unknown, since: at(0), clears: .devicesAreOpened))
    bench.tell()
    bench.submit("d", screen: "door")
    #expect(bench.running == nil)
    #expect(bench.violations == [])
  }

  @Test("a screen with an empty name is not the machine: it blocks its own updates and those of all screens")
  func emptyName() {
    var bench = bench()
    bench.world[.screen("")] = touched(since: 0, "")
    bench.tell()
    bench.submit("d", screen: "door")
    #expect(bench.running == id("d"))
    bench.handlerEnds()
    bench.submit("all")
    #expect(bench.running == nil)
    #expect(bench.violations == [])
  }
}
