import ControlAPI
import Scheduling
import Testing
import Timeline

@testable import Service

@Suite("The wording of blockers")
struct BlockerWordingTests {
  private let now = Instant(nanoseconds: 10_000_000_000)
  private let noon = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)

  private func clears(_ clears: Blocker.Clears) -> String { clears.wording(at: now, in: FixedZone(.seconds(3600))) }

  @Test("times of the monotonic clock are spans from now, and times of day are local")
  func times() {
    #expect(clears(.at(noon)) == "at 2023-11-14T23:13:20+01:00")
    #expect(clears(.passed(now + .seconds(90))) == "in 1 min 30 s")
    #expect(clears(.quietPeriodEnds(now + .milliseconds(750))) == "in 750 ms, if nobody touches before then")
    #expect(clears(.quietPeriodEnds(now + .seconds(89))) == "in 1 min 29 s, if nobody touches before then")
    #expect(clears(.backoffEnds(now + .seconds(9), setbacks: 1)) == "in 9 s, after 1 unsuccessful start")
    #expect(clears(.backoffEnds(now + .seconds(9), setbacks: 2)) == "in 9 s, after 2 unsuccessful starts")
    #expect(
      clears(.holdIsReleased(orAt: now + .seconds(5))) == "in 5 s, or when the hold is released")
    #expect(clears(.screenIsFound(orAt: now + .seconds(7))) == "when a touchscreen is found, or in 7 s without one")
    #expect(clears(.screenIsBack(orAt: now + .seconds(3))) == "when the screen is connected, or in 3 s")
    #expect(
      clears(.screenIsBackOrForgotten("Panel 2", orAt: now + .seconds(3)))
        == "when the screen is connected, in 3 s, or after `touchgate screens --forget 'Panel 2'`")
    #expect(
      clears(.screenIsBackOrForgotten("Panel", orAt: nil))
        == "when the screen is connected, or after `touchgate screens --forget 'Panel'`")
  }

  @Test("a span that is over is worded as no time")
  func over() {
    #expect(clears(.quietPeriodEnds(Instant(nanoseconds: 0))) == "in 0 s, if nobody touches before then")
  }

  @Test("what a command or a call clears names it")
  func commands() throws {
    let id = try #require(UpdateID("menu-7"))
    #expect(clears(.expedited(id)) == "after `touchgate apply menu-7`")
    #expect(clears(.resumed) == "after `touchgate resume`")
    #expect(clears(.receiverConnects).contains("GET /v1/deliveries"))
    #expect(clears(.screenIsFound(orAt: nil)).contains("OnNoScreen=apply"))
    #expect(clears(.ends(.update(id))) == "when menu-7 has ended")
  }

  @Test("reasons name the handler and the screen")
  func reasons() {
    #expect(Blocker.Reason.words("disk full").wording == "disk full")
    #expect(Blocker.Reason.noSuchScreen("door").wording == "there is no screen 'door'")
    #expect(
      Blocker.Reason.rebooted(times: 3, within: .seconds(3600), handler: "os").wording
        == "the machine has rebooted 3 times in 1 h for handler 'os'")
  }
}
