import ControlAPI
import HTTPTypes
import Testing
import Timeline

@testable import Service

@Suite("The event feed")
struct EventFeedTests {
  var feed = EventFeed()

  /// What a reader is handed now: numbers of events, and gaps as negative numbers of missed ones.
  private mutating func pump(room: Int = 1_000_000) -> [UInt64: [Int64]] {
    var handed: [UInt64: [Int64]] = [:]
    var left = room
    feed.pump(
      unsent: { _ in left > 0 ? 0 : EventFeed.unsentLimit },
      gap: { token, missed, _ in handed[token.number, default: []].append(-missed) },
      event: { token, event in
        left -= 1
        handed[token.number, default: []].append(event.sequence)
      })
    return handed
  }

  private mutating func note(_ count: Int) {
    for number in 0..<count { feed.note(.update(id: "\(number)", handler: "page", state: "waiting"), at: wall(1)) }
  }

  @Test("a reader gets the events from now on, or from the event that it names")
  mutating func since() {
    note(3)
    feed.addReader(token(1), since: nil)
    feed.addReader(token(2), since: 1)
    #expect(pump() == [2: [2, 3]])
    note(1)
    #expect(pump() == [1: [4], 2: [4]])
    #expect(pump() == [:])
  }

  @Test("a reader whose buffer is full gets the rest later, or the number of events that were dropped meanwhile")
  mutating func slow() {
    feed.addReader(token(1), since: nil)
    note(3)
    #expect(pump(room: 2) == [1: [1, 2]])
    #expect(pump() == [1: [3]])
    note(1030)
    let handed = pump()[1] ?? []
    #expect(handed.first == -6 && handed.count == 1025 && handed.last == 1033)
  }

  @Test("a reader that has disconnected gets nothing")
  mutating func gone() {
    feed.addReader(token(1), since: nil)
    feed.removeReader(token(1))
    note(1)
    #expect(pump() == [:])
  }

  @Test("touch and screens are reported when they change, and a screen that is gone is reported as gone")
  mutating func screens() {
    feed.addReader(token(1), since: nil)
    for _ in 0..<3 { feed.noteScreens(touched: false, contacts: 0, screens: ["lobby": ("clear", 0)], at: wall(1)) }
    #expect(pump() == [1: [1, 2]])
    feed.noteScreens(touched: true, contacts: 1, screens: ["lobby": ("touched", 1)], at: wall(2))
    #expect(pump() == [1: [3, 4]])
    feed.noteScreens(touched: true, contacts: 1, screens: [:], at: wall(3))
    feed.noteScreens(touched: true, contacts: 1, screens: [:], at: wall(3))
    #expect(pump() == [1: [5]])
  }
}
