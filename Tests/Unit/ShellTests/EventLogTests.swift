import ControlAPI
import Testing
import Timeline

@testable import Service

@Suite("Events for readers that come and go")
struct EventLogTests {
  private let time = WallTime(millisecondsSinceEpoch: 0)

  private func log(_ count: Int, capacity: Int = 4) -> EventLog {
    var log = EventLog(capacity: capacity)
    for number in 0..<count { log.add(.touch(touched: true, contacts: number), at: time) }
    return log
  }

  /// The numbers that a reader gets, with gaps as negative numbers.
  private func read(_ log: EventLog, from sequence: Int64) -> [Int64] {
    var (next, numbers) = (sequence, [Int64]())
    while let news = log.read(from: next), numbers.count < 100 {
      switch news {
      case .event(let event):
        numbers.append(event.sequence)
        next = event.sequence + 1
      case .gap(let missed, let resumed):
        numbers.append(-missed)
        next = resumed
      }
    }
    return numbers
  }

  @Test("numbers begin at 1 and increase by one; a reader gets each event once, in order")
  func order() {
    #expect(read(log(0), from: 1) == [])
    #expect(read(log(3), from: 1) == [1, 2, 3])
    #expect(read(log(3), from: 3) == [3])
    #expect(read(log(3), from: 4) == [])
    #expect(log(3).next == 4)
  }

  @Test("a reader that is too slow gets the number of dropped events, and continues with the oldest that is left")
  func gap() {
    #expect(read(log(10), from: 1) == [-6, 7, 8, 9, 10])
    #expect(read(log(10), from: 7) == [7, 8, 9, 10])
    #expect(read(log(10), from: 6) == [-1, 7, 8, 9, 10])
  }

  @Test("a number from before a restart of the service: a gap, then all of this run")
  func restart() {
    #expect(read(log(2), from: 500) == [0, 1, 2])
    #expect(read(log(0), from: 500) == [0])
  }

  @Test("a number of any other run, lower or higher: a gap of unknown size, then all of this run, exactly in a double")
  func runs() {
    var log = EventLog(run: 7)
    for number in 0..<3 { log.add(.touch(touched: true, contacts: number), at: time) }
    let first: Int64 = 7 << 32 + 1
    #expect(read(log, from: first) == [first, first + 1, first + 2])
    for other in [0, 1, 500, 6 << 32 + 3, 8 << 32 + 1] as [Int64] {
      #expect(read(log, from: other) == [0, first, first + 1, first + 2])
    }
    #expect(Int64(Double((1 << 20) << 32 as Int64)) == (1 << 20) << 32)
  }

  @Test("it never keeps more than its capacity, and each event is the one of its number")
  func capacity() {
    let log = log(1000)
    #expect(read(log, from: 0).count == 5)
    guard case .event(let event)? = log.read(from: 999) else {
      Issue.record("no event")
      return
    }
    #expect(event.happening == .touch(touched: true, contacts: 998))
  }
}
