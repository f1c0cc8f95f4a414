import Racing
import Testing
import Timeline

/// The judge of the race tests must find what it looks for.
@Suite("The contacts that one reader saw")
struct AccountTests {
  private func account(_ lines: String...) -> Account { Account(lines.compactMap { Sighting(line: $0) }) }
  private func instants(_ nanoseconds: Int64...) -> [Instant] { nanoseconds.map { Instant(nanoseconds: $0) } }

  @Test("complete contacts and keys leave no halves")
  func whole() {
    let seen = account(
      "10 begin 0 5", "10 press 330", "15 begin 1 6", "20 end 0", "25 end 1", "25 release 330", "30 press 116",
      "31 release 116")
    #expect(seen.halves == 0 && seen.losses == 0)
    #expect(seen.contacts.map(\.slot) == [0, 1])
    #expect(seen.contacts.map(\.begin) == instants(10, 15) && seen.contacts.map(\.end) == instants(20, 25))
  }

  @Test("a beginning without an end is found where the log ends and where another begins in its slot")
  func beginsWithoutEnd() {
    let seen = account("10 begin 0 5", "20 begin 0 6", "25 end 0", "30 begin 1 7")
    #expect(seen.beginsWithoutEnd == instants(10, 30))
    #expect(seen.halves == 2)
  }

  @Test("an end without a beginning is found, by slot")
  func endsWithoutBegin() {
    let seen = account("10 begin 0 5", "12 end 1", "20 end 0", "30 end 0")
    #expect(seen.endsWithoutBegin == instants(12, 30))
    #expect(seen.halves == 2)
  }

  @Test("a key that stays pressed is found, and a release of one that was not pressed")
  func keys() {
    let seen = account("10 press 116", "20 press 116", "30 release 115", "40 press 330")
    #expect(seen.pressesWithoutRelease == instants(10, 20, 40))
    #expect(seen.releasesWithoutPress == instants(30))
    #expect(seen.halves == 4)
  }

  @Test("a start hits from the instant of the beginning up to but without that of the end")
  func hits() {
    let seen = account("10 begin 0 5", "20 end 0", "30 begin 0 6", "35 begin 1 7", "40 end 0", "50 end 1")
    #expect(seen.hits(instants(9, 20, 29, 50, 60)) == [])
    #expect(seen.hits(instants(38, 10, 19, 45)) == [0, 9, 8, 10].map { .nanoseconds($0) }, "in order of the starts")
  }

  @Test("a contact whose end was not seen hits all starts up to the next in its slot, or to the last")
  func endless() {
    #expect(account("10 begin 0 5").hits(instants(9, 10, 1000)).count == 2)
    #expect(account("10 begin 0 5", "20 begin 0 6", "30 end 0").hits(instants(9, 19, 29, 30)).count == 2)
  }

  @Test("a loss is counted")
  func losses() {
    #expect(account("10 begin 0 5", "20 loss").losses == 1)
  }

  @Test("lines of other text are ignored; a line that was written is read back unchanged")
  func lines() {
    for line in ["", "10", "x begin 0 5", "10 begin 0", "10 begin 0 x", "10 end", "10 press", "10 fall 3"] {
      #expect(Sighting(line: line) == nil, "\(line)")
    }
    for kind: Sighting.Kind in [.begin(slot: 3, id: 65535), .end(slot: 3), .press(330), .release(116), .loss] {
      let sighting = Sighting(Instant(nanoseconds: 12_345_678_901), kind)
      #expect(Sighting(line: sighting.description) == sighting)
    }
  }
}
