import Testing
import Timeline
import TouchModel
import TouchReading

@Suite("Reading slot tables")
struct TableReadingTests {
  // MARK: The first table

  @Test("a new reader is uncertain and wants its first table at once")
  func new() {
    let bench = Bench()
    #expect(bench.reader.verdict == .uncertain)
    #expect(bench.reader.isAwaitingTable)
    #expect(bench.reader.nextDeadline.map { $0 <= bench.now } == true)
  }

  @Test("the first table reports the fingers that are down already, then ready")
  func first() {
    let bench = Bench()
    bench.hide(Send.slot(1), Send.id(5))
    #expect(bench.timePassed() == [.change(.began(finger(1, 5), at: bench.now)), .ready])
    #expect(bench.reader.verdict == .touched)
    #expect(!bench.reader.isAwaitingTable)
  }

  @Test("events that were queued before the first table are discarded")
  func queuedBeforeFirst() {
    let bench = Bench()
    bench.send(Send.id(5), Send.report, Send.id(-1), Send.report)
    #expect(bench.timePassed() == [.ready])
    #expect(!bench.source.hasQueued)
  }

  @Test("a device that does not come to rest is uncertain, and its table is tried again 50 ms later")
  func restless() {
    let bench = Bench()
    bench.source.restless = 1
    #expect(bench.timePassed() == [.change(.becameUncertain(.eventsLost, at: bench.now))])
    #expect(bench.reader.nextDeadline == bench.now + .milliseconds(50))
    #expect(bench.pass(.milliseconds(49)) == [])
    #expect(bench.pass(.milliseconds(1)) == [.change(.becameCertain(at: bench.now)), .ready])
  }

  // MARK: Settled reads

  @Test("a table has settled if two reads agree with nothing queued in between")
  func settled() {
    let bench = Bench()
    // Between the first two reads a finger lands, and its frame is queued only after the second.
    bench.source.afterTable = { [unowned bench] reads in if reads == 1 { bench.hide(Send.id(5)) } }
    _ = bench.timePassed()
    #expect(bench.source.tableReads == 4)
    #expect(bench.reader.tracker.contacts == [finger(0, 5)])
  }

  @Test("events that arrive between two reads void them")
  func disturbed() {
    let bench = Bench()
    bench.source.afterTable = { [unowned bench] reads in if reads <= 2 { bench.send(Send.id(5), Send.report) } }
    _ = bench.timePassed()
    #expect(bench.source.tableReads == 4)
    #expect(bench.source.discarded == 4)
    #expect(bench.reader.tracker.contacts == [finger(0, 5)])
  }

  @Test("after 20 pairs of reads that disagree the table is tried again 50 ms later")
  func neverSettles() {
    let bench = Bench()
    bench.source.afterTable = { [unowned bench] reads in bench.hide(Send.x(Int32(reads))) }
    _ = bench.timePassed()
    #expect(bench.source.tableReads == 40)
    #expect(bench.reader.isAwaitingTable)
    #expect(bench.reader.nextDeadline == bench.now + .milliseconds(50))
  }

  @Test("a table read forgets the frame that had begun, so its end adds nothing")
  func resetsFrame() {
    let bench = Bench.opened()
    bench.send(Send.id(5))
    _ = bench.readable()
    bench.hide(Send.id(-1))
    _ = bench.distrust()
    bench.send(Send.report)
    #expect(bench.readable() == [])
    #expect(bench.reader.tracker.contacts == [])
  }

  // MARK: Rechecks

  @Test("a recheck reads queued events before it compares the table")
  func drainsFirst() {
    let bench = Bench.opened()
    bench.send(Send.id(5), Send.report)
    #expect(bench.recheck() == [.change(.began(finger(0, 5), at: bench.now))])
    #expect(bench.reader.tracker.drift == 0)
  }

  @Test("a contact that only the table has is added at once")
  func adds() {
    let bench = Bench.opened()
    bench.hide(Send.id(5))
    #expect(bench.recheck() == [.change(.began(finger(0, 5), at: bench.now))])
  }

  @Test("a contact that the table lacks ends with a second read 20 ms later, as one repair")
  func ends() {
    let bench = Bench.opened()
    bench.send(Send.id(5), Send.report)
    _ = bench.readable()
    bench.hide(Send.id(-1))
    #expect(bench.recheck() == [])
    #expect(bench.reader.nextDeadline == bench.now + .milliseconds(20))
    #expect(bench.pass(.milliseconds(19)) == [])
    #expect(
      bench.pass(.milliseconds(1)) == [.change(.ended(finger(0, 5), .tableDisagreed, at: bench.now)), .repaired(1)])
  }

  @Test("a table that was adopted in the middle of a frame is compared once more 20 ms later")
  func adoptedInFrame() {
    let bench = Bench()
    bench.hide(Send.id(5))
    _ = bench.timePassed()
    bench.hide(Send.id(-1))
    #expect(bench.reader.nextDeadline == bench.now + .milliseconds(20))
    _ = bench.pass(.milliseconds(40))
    #expect(bench.reader.tracker.contacts == [])
  }

  @Test("a table is not compared if events arrived while it was read; it is read again")
  func racedOnce() {
    let bench = Bench.opened()
    let reads = bench.source.tableReads
    bench.source.afterTable = { [unowned bench] count in
      if count == reads + 1 { bench.send(Send.id(5), Send.report) }
    }
    #expect(bench.recheck() == [.change(.began(finger(0, 5), at: bench.now))])
    #expect(bench.source.tableReads == reads + 2)
    #expect(bench.reader.nextDeadline == nil, "nothing disagreed, so no second read is due")
  }

  @Test("a recheck gives up after ten attempts that events disturbed")
  func racedForever() {
    let bench = Bench.opened()
    bench.send(Send.id(5), Send.report)
    _ = bench.readable()
    let reads = bench.source.tableReads
    bench.source.afterTable = { [unowned bench] _ in bench.send(Send.x(3), Send.report) }
    #expect(bench.recheck() == [])
    #expect(bench.source.tableReads == reads + 5, "each second attempt reads the events")
  }

  @Test("while a table is due, a recheck does not compare")
  func whileDue() {
    let bench = Bench.opened()
    bench.source.restless = 1
    _ = bench.distrust()
    bench.hide(Send.id(5))
    #expect(bench.recheck() == [])
    #expect(bench.reader.tracker.contacts == [])
  }

  // MARK: Unreadable tables

  @Test("a table that cannot be read makes the device unreadable, until a retry 50 ms later succeeds")
  func unreadable() {
    let bench = Bench.opened()
    bench.source.isTableReadable = false
    #expect(bench.recheck() == [.unreadable])
    #expect(bench.reader.verdict == .uncertain)
    #expect(bench.reader.nextDeadline == bench.now + .milliseconds(50))
    bench.source.isTableReadable = true
    #expect(bench.pass(.milliseconds(50)) == [.ready])
    #expect(bench.reader.verdict == .idle)
  }

  @Test("if the table cannot be read because the device is gone, it is gone")
  func goneInRecheck() {
    let bench = Bench.opened()
    bench.send(Send.id(5), Send.report)
    _ = bench.readable()
    let reads = bench.source.tableReads
    bench.source.afterTable = { [unowned bench] count in
      if count == reads + 1 { bench.send(Send.x(1), Send.report) }
      if count == reads + 2 { bench.source.isGone = true }
    }
    #expect(bench.recheck() == [.gone(contacts: 1)])
  }

  // MARK: Foreign grabs and sleep

  @Test("under a foreign grab the table is read every 50 ms while something waits")
  func sampling() {
    let bench = Bench.opened(somethingWaits: true)
    bench.reader.noteForeignGrab()
    _ = bench.timePassed()
    #expect(bench.reader.nextDeadline == bench.now + .milliseconds(50))
    bench.hide(Send.id(5))
    let outputs = bench.pass(.milliseconds(50))
    #expect(outputs == [.change(.began(finger(0, 5), at: bench.now))])
  }

  @Test("while nothing waits no device is sampled")
  func noSampling() {
    let bench = Bench.opened()
    bench.reader.noteForeignGrab()
    #expect(bench.reader.nextDeadline == nil)
    bench.reader.somethingWaits = true
    #expect(bench.reader.nextDeadline != nil)
  }

  @Test("a frame ends the sampling: the device is no longer grabbed")
  func samplingEnds() {
    let bench = Bench.opened(somethingWaits: true)
    bench.reader.noteForeignGrab()
    bench.send(Send.slot(0), Send.report)
    _ = bench.readable()
    #expect(bench.reader.nextDeadline == nil)
  }

  @Test("a device that is distrusted is uncertain until its table was read, and the table decides")
  func distrust() {
    let bench = Bench.opened()
    bench.send(Send.id(5), Send.report)
    _ = bench.readable()
    bench.hide(Send.id(-1))
    let now = bench.now
    #expect(
      bench.distrust() == [
        .change(.becameUncertain(.eventsLost, at: now)), .change(.ended(finger(0, 5), .endedDuringLoss, at: now)),
        .change(.becameCertain(at: now)),
      ])
  }

  @Test("a distrusted device that does not come to rest stays uncertain until it does")
  func distrustRestless() {
    let bench = Bench.opened()
    bench.source.restless = 2
    _ = bench.distrust()
    #expect(bench.reader.verdict == .uncertain && bench.reader.isAwaitingTable)
    #expect(bench.pass(.milliseconds(99)) == [])
    #expect(bench.pass(.milliseconds(1)) == [.change(.becameCertain(at: bench.now))])
  }

  @Test("a type A device ends its contacts after half a second of silence")
  func silence() {
    let bench = Bench.opened(.typeA)
    _ = bench.pass(.seconds(1))
    bench.send(Send.x(3), (EventType.syn, EventCode.synMTReport, 0), Send.report)
    #expect(bench.readable() == [.change(.began(finger(0, nil), at: bench.now))])
    #expect(bench.pass(.milliseconds(500)) == [.change(.ended(finger(0, nil), .silence, at: bench.now))])
  }

  @Test("a contact that has not changed for the configured time is reported as stuck")
  func stuck() {
    let bench = Bench.opened()
    bench.send(Send.id(5), Send.report)
    _ = bench.readable()
    _ = bench.recheck()
    bench.now = bench.now + .seconds(600)
    #expect(bench.recheck() == [.change(.ended(finger(0, 5), .stuck, at: bench.now)), .stuck(1)])
  }
}
