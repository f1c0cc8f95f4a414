import Foundation
import Racing
import Testing
import Timeline

extension VMTests {
  @Suite("Races between fingers and handlers")
  struct RaceTests {
    /// Set by `make race-test`; short in `make test`.
    static let span = Duration.seconds(
      Int(ProcessInfo.processInfo.environment["TOUCHGATE_RACE_SECONDS"] ?? "") ?? 20)
    static let seed =
      ProcessInfo.processInfo.environment["TOUCHGATE_RACE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...999_999)

    @Test(
      "taps during a stream of updates: with Guard=grab no handler starts inside a contact and no program sees half a touch; with Guard=verify the window is measured"
    )
    func race() throws {
      print("race: seed \(Self.seed), \(TimeSpan.describe(Self.span)) with grab, half of it with verify")
      let verify = try RaceUnderTest(guarding: "verify", lasting: Self.span / 2, seed: Self.seed)
      print(verify)
      // Without a guard the reader must see everything that the tapper does, or it proves nothing.
      #expect(verify.seen.contacts.count == verify.made.contacts.count)
      #expect(verify.seen.halves == 0 && verify.seen.losses == 0)
      #expect(verify.starts.count == verify.updates && verify.failed == [])

      let grab = try RaceUnderTest(guarding: "grab", lasting: Self.span, seed: Self.seed + 1)
      print(grab)
      if grab.halves > 0 || grab.hits != [] { print(grab.faults) }
      #expect(grab.seen.losses == 0)
      #expect(grab.hits == [])
      #expect(grab.starts.count == grab.updates && grab.failed == [])
      #expect(grab.updates > 20 && grab.taps > 50, "a race with nobody in it proves nothing")
      #expect(grab.halves == 0)
      #expect(grab.seen.beginsWithoutEnd == [] && grab.seen.pressesWithoutRelease == [])
      let over = try #require(grab.counters["releasedOver"])
      #expect(grab.byTap.halves <= over && grab.byTap.strays == 0)
      // Each tap ends long before the limit; the rest are fingers that land while the devices are released.
      #expect(over * 20 <= grab.updates)
      #expect(grab.libinput.left == 0 && grab.libinput.contradictions == 0)
      #expect(grab.libinput.downs > 0 && grab.libinput.downs == grab.libinput.ups)
      // Otherwise the guard would be a way to lose touches.
      #expect(grab.byTap.swallowed * 2 < grab.taps)
      print(
        "race: \(verify.updates + grab.updates) updates, handler starts inside a contact: \(grab.hits.count) with grab, "
          + "\(verify.hits.count) with verify; \(grab.halves) half touches seen by others"
          + (grab.byTap.halves > 0 ? ", and \(grab.byTap.halves) ends of touches that a counted release cut" : ""))
    }

    /// The kernel sends ABS_MT_SLOT only when the slot changes. If a grab hides a change, all other readers use the wrong
    /// slot until the next one. With one finger that is only a wrong number; with two it mixes them up.
    @Test(
      "the same with two fingers: each tap is seen whole or not at all, and libinput lifts every touch that it saw begin"
    )
    func twoFingers() throws {
      let race = try RaceUnderTest(guarding: "grab", fingers: 2, lasting: Self.span / 2, seed: Self.seed + 2)
      print("With two fingers: \(race)")
      let over = try #require(race.counters["releasedOver"])
      if race.byTap.halves > over { print(race.faults) }
      #expect(race.seen.losses == 0 && race.failed == [])
      #expect(race.byTap.hits(race.starts) == 0)
      #expect(race.byTap.halves <= over && race.byTap.split == 0 && race.byTap.strays == 0)
      #expect(over * 20 <= race.updates)
      #expect(race.libinput.left == 0 && race.libinput.contradictions == 0)
      #expect(race.libinput.downs > 0 && race.libinput.downs == race.libinput.ups)
    }
  }
}
