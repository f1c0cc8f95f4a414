import Foundation
import Racing
import Testing
import Timeline

extension VMTests {
  @Suite("The gate cannot be raced")
  struct RaceTests {
    /// `make race-test` says how long; `make test` takes the short form.
    static let span = Duration.seconds(
      Int(ProcessInfo.processInfo.environment["TOUCHGATE_RACE_SECONDS"] ?? "") ?? 20)
    static let seed =
      ProcessInfo.processInfo.environment["TOUCHGATE_RACE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...999_999)

    @Test(
      "a tapper against a stream of updates: with Guard=grab no handler starts inside a contact and nobody sees half a touch; with Guard=verify the window is measured"
    )
    func race() throws {
      print("race: seed \(Self.seed), \(TimeSpan.describe(Self.span)) with grab, half of it with verify")
      let verify = try RaceOnTrial(guarding: "verify", lasting: Self.span / 2, seed: Self.seed)
      print(verify)
      // Without a guard the reader sees all that the tapper does, or it is no witness.
      #expect(verify.seen.contacts.count == verify.made.contacts.count)
      #expect(verify.seen.halves == 0 && verify.seen.losses == 0)
      #expect(verify.starts.count == verify.updates && verify.failed == [])

      let grab = try RaceOnTrial(guarding: "grab", lasting: Self.span, seed: Self.seed + 1)
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
      // Each tap is over long before the bound: what is left is a finger that lands while the devices are let go of.
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

    /// The kernel tells a slot only when it changes. A change that a grab has swallowed leaves all other readers with the
    /// wrong slot up to the next change; with one finger that is a name and nothing more, with two it confuses them.
    @Test("the same with two fingers: each tap is seen whole or not at all, and libinput lifts all that it saw begin")
    func twoFingers() throws {
      let race = try RaceOnTrial(guarding: "grab", fingers: 2, lasting: Self.span / 2, seed: Self.seed + 2)
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
