import Racing
import Testing
import Timeline

@Suite("The taps that one reader saw")
struct TapAccountTests {
  private func account(made: [String], seen: [String]) -> TapAccount {
    TapAccount(made: made.compactMap { Sighting(line: $0) }, seen: seen.compactMap { Sighting(line: $0) })
  }
  private let two = ["1000000 begin 0 0", "2000000 begin 1 0", "3000000 end 0", "4000000 end 1"]

  @Test("a tap is seen completely, even under a wrong slot, or swallowed, or seen by half")
  func taps() {
    let whole = account(made: two, seen: ["1001000 begin 1 5", "2001000 begin 1 6", "2999000 end 0", "3999000 end 1"])
    #expect(whole.taps.count == 1 && whole.halves == 0 && whole.swallowed == 0 && whole.strays == 0)
    let none = account(made: two, seen: [])
    #expect(none.halves == 0 && none.swallowed == 1)
    #expect(account(made: two, seen: ["3999000 end 1"]).halves == 1)
    #expect(account(made: two, seen: ["1001000 begin 0 5"]).halves == 1)
    #expect(account(made: two, seen: ["2001000 begin 0 5", "3999000 end 1"]).split == 1)
  }

  @Test("a contact belongs to the tap during which it was stamped; otherwise it is a stray")
  func times() {
    let made = two + ["5000000 begin 0 0", "6000000 end 0"]
    let seen = ["1001000 begin 0 5", "3999000 end 0", "4500000 end 0", "5000000 begin 0 6", "5999000 end 0"]
    let account = account(made: made, seen: seen)
    #expect(account.taps.map(\.begins) == [1, 1] && account.taps.map(\.ends) == [1, 1])
    #expect(account.strays == 1)
  }

  @Test("a start hits a tap that the reader saw, not one that it did not")
  func hits() {
    let made = two + ["5000000 begin 0 0", "6000000 end 0"]
    // The tapper's own times are wider than the contact: only what the reader saw counts.
    let times: [Int64] = [900_000, 1_000_500, 1_500_000, 3_999_500, 4_500_000, 5_500_000, 7_000_000]
    let starts = times.map { Instant(nanoseconds: $0) }
    #expect(account(made: made, seen: ["1001000 begin 0 5", "3999000 end 0"]).hits(starts) == 1)
    #expect(account(made: made, seen: ["5001000 begin 0 5", "5999000 end 0"]).hits(starts) == 1)
    #expect(account(made: made, seen: []).hits(starts) == 0)
  }
}
