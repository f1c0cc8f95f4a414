import Scheduling
import Testing
import Timeline

@Suite("Blockers of an update")
struct BlockerTests {
  private func blockers(_ bench: Bench, _ text: String) -> [Blocker] {
    bench.scheduler.blockers(of: id(text), at: bench.now)
  }

  @Test("a blocked screen's blocker is passed on as it is")
  func shut() {
    var bench = Bench()
    bench.pass(until: 3)
    bench.touch()
    bench.submit("a")
    #expect(
      blockers(bench, "a") == [
        Blocker(code: .touched, since: at(3), screen: "panel", contacts: 1, clears: .contactsEnd)
      ])
  }

  @Test("blocked screens are listed by name, the machine first")
  func severalShut() {
    var bench = Bench()
    let starting = Blocker(code: .unknown, since: at(0), clears: .devicesAreOpened)
    bench.world = [
      .screen("z"): touched(since: 1, "z"), .machine: .blocked(starting), .screen("b"): touched(since: 2, "b"),
      .screen("c"): .clear(since: at(0)),
    ]
    bench.tell()
    bench.submit("a")
    #expect(blockers(bench, "a").map(\.code) == [.unknown, .touched, .touched])
    #expect(blockers(bench, "a").map(\.screen) == [nil, "b", "z"])
  }

  @Test("a quiet period that is not over: since when, and for how long still")
  func settling() {
    var bench = Bench(quiet: .seconds(90))
    bench.pass(until: 10)
    bench.touch()
    bench.submit("a")
    bench.pass(until: 20)
    bench.release()
    bench.pass(until: 21)
    #expect(
      blockers(bench, "a") == [
        Blocker(code: .settling, since: at(20), clears: .quietPeriodEnds(at(110)))
      ])
  }

  @Test("while a screen is blocked nothing settles")
  func notSettling() {
    var bench = Bench(quiet: .seconds(90))
    bench.touch()
    bench.submit("a")
    #expect(blockers(bench, "a").map(\.code) == [.touched])
  }

  @Test("another one that is being applied, named, and since when")
  func applying() {
    var bench = Bench()
    bench.pass(until: 2)
    bench.submit("a")
    bench.pass(until: 5)
    bench.submit("b")
    #expect(
      blockers(bench, "b") == [Blocker(code: .applying, since: at(2), owner: "a", clears: .ends(.update(id("a"))))])
  }

  @Test("an earlier one that waits, named, since this one was accepted")
  func order() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.pass(until: 5)
    bench.submit("b")
    bench.submit("c")
    #expect(blockers(bench, "a").map(\.code) == [.touched])
    for text in ["b", "c"] {
      #expect(
        blockers(bench, text).last
          == Blocker(code: .order, since: at(5), owner: "a", clears: .turnComes))
    }
    bench.release()
    #expect(blockers(bench, "c").map(\.code) == [.applying, .order])
    #expect(blockers(bench, "c").map(\.owner) == ["a", "b"])
  }

  @Test("a turn that waits before it is named by its owner and its reason, and by what ends it")
  func orderOfTurn() {
    var bench = Bench()
    bench.touch()
    bench.turn("t")
    bench.submit("a")
    #expect(
      blockers(bench, "a").last
        == Blocker(
          code: .order, since: at(0), owner: "flash.service, user 3, process 1", reason: .words("firmware"),
          clears: .turnHasEnded(id("t"))))
  }

  @Test("the handler of a former run blocks like any other")
  func orphan() {
    var bench = Bench()
    bench.submit("a")
    bench.submit("b")
    bench.pass(until: 7)
    bench.restart(handlerLives: true)
    #expect(blockers(bench, "b").map(\.code) == [.applying])
    #expect(blockers(bench, "b").first?.since == at(7))
  }

  @Test("a store that cannot be written, since the first time, with its reason")
  func storeFull() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.pass(until: 2)
    bench.failing = [.beginApplying]
    bench.release()
    #expect(
      blockers(bench, "a") == [
        Blocker(code: .storeFull, since: at(2), reason: .words("disk full"), clears: .storeIsWritable)
      ])
  }

  @Test("a store that fails for another reason than a full disk is not called full")
  func storeFailed() {
    var bench = Bench()
    bench.failing = [.beginApplying]
    bench.storeFailure = .failed("input/output error")
    bench.submit("a")
    #expect(
      blockers(bench, "a") == [
        Blocker(code: .storeFailed, since: at(0), reason: .words("input/output error"), clears: .storeIsWritable)
      ])
    bench.pass(until: 3)
    #expect(bench.scheduler.blockedTimes(of: id("a"), at: bench.now)?.milliseconds["storeFailed"] == 3000)
  }

  @Test("a service that is being stopped")
  func stopping() {
    var bench = Bench()
    bench.touch()
    bench.submit("a")
    bench.pass(until: 4)
    bench.stop()
    #expect(blockers(bench, "a").map(\.code) == [.stopping, .touched])
    #expect(blockers(bench, "a").first?.since == at(4))
  }

  @Test("everything at once, in a fixed order")
  func all() {
    var bench = Bench(quiet: .seconds(1))
    bench.submit("a")
    bench.submit("b")
    bench.submit("c")
    bench.pass(until: 1)
    bench.failing = [.finish]
    bench.handlerEnds()
    bench.touch()
    bench.stop()
    #expect(blockers(bench, "c").map(\.code) == [.stopping, .storeFull, .touched, .applying, .order])
  }

  @Test("an update that is being applied, has ended or is unknown has no blockers")
  func none() {
    var bench = Bench()
    bench.submit("a")
    bench.touch()
    #expect(blockers(bench, "a") == [])
    bench.handlerEnds()
    #expect(blockers(bench, "a") == [])
    #expect(blockers(bench, "never") == [])
  }
}
