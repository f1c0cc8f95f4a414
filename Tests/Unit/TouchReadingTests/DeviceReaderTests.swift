import Testing
import Timeline
import TouchModel
import TouchReading

@Suite("Reading events")
struct EventReadingTests {
  let bench = Bench.opened()

  @Test("a frame that has arrived is reported as changes, in order")
  func frame() {
    bench.send(Send.id(5), Send.touch(1), Send.report, Send.id(-1), Send.touch(0), Send.report)
    let now = bench.now
    #expect(
      bench.readable() == [
        .change(.began(finger(0, 5), at: now)), .change(.ended(finger(0, 5), .lifted, at: now)),
      ])
    #expect(bench.reader.verdict == .idle)
  }

  @Test("part of a frame changes nothing until the rest of it arrives")
  func partOfFrame() {
    bench.send(Send.id(5))
    #expect(bench.readable() == [])
    bench.send(Send.report)
    #expect(bench.readable() == [.change(.began(finger(0, 5), at: bench.now))])
  }

  @Test("a frame that arrives in several reads is one frame")
  func chunks() {
    bench.source.chunk = 1
    bench.send(Send.id(5), Send.slot(1), Send.id(6), Send.report)
    #expect(bench.readable().count == 2)
    #expect(bench.reader.tracker.contacts == [finger(0, 5), finger(1, 6)])
  }

  @Test("one input reads at most 4096 events; the rest stays queued")
  func flood() {
    for _ in 0..<3000 { bench.send(Send.slot(0), Send.report) }
    let read = bench.source.eventsRead
    _ = bench.readable()
    #expect(bench.source.eventsRead - read == 4096)
    #expect(bench.source.hasQueued)
    _ = bench.readable()
    #expect(!bench.source.hasQueued)
  }

  // MARK: Stamps

  @Test("a stamp in the past is kept")
  func pastStamp() {
    let stamp = bench.now - .milliseconds(3)
    bench.send(Send.id(5), Send.report, stamp: stamp)
    #expect(bench.readable() == [.change(.began(finger(0, 5), at: stamp))])
  }

  @Test("a stamp in the future is replaced by the time of reading")
  func futureStamp() {
    bench.send(Send.id(5), Send.report, stamp: bench.now + .seconds(1))
    #expect(bench.readable() == [.change(.began(finger(0, 5), at: bench.now))])
  }

  @Test("a stamp that goes back is replaced by the time of reading")
  func stampGoesBack() {
    bench.send(Send.id(5), Send.report)
    _ = bench.readable()
    let earlier = bench.now - .milliseconds(5)
    bench.now = bench.now + .milliseconds(10)
    bench.send(Send.id(-1), Send.report, stamp: earlier)
    #expect(bench.readable() == [.change(.ended(finger(0, 5), .lifted, at: bench.now))])
  }

  // MARK: Cut frames

  @Test("a frame that the kernel cut has a deadline 20 ms later")
  func cutFrameDue() {
    bench.send(Send.id(5), Send.kernelReport)
    #expect(bench.readable() == [])
    #expect(bench.reader.cutFrameDue == bench.now + .milliseconds(20))
    #expect(bench.reader.nextDeadline == bench.reader.cutFrameDue)
  }

  @Test("the rest of a cut frame completes it")
  func cutFrameCompleted() {
    bench.send(Send.id(5), Send.kernelReport)
    _ = bench.readable()
    bench.send(Send.slot(1), Send.id(6), Send.report)
    #expect(bench.readable().count == 2)
    #expect(bench.reader.cutFrameDue == nil)
  }

  @Test("a cut frame whose rest does not arrive within 20 ms counts as complete")
  func cutFrameTimesOut() {
    bench.send(Send.id(5), Send.kernelReport)
    _ = bench.readable()
    #expect(bench.pass(.milliseconds(19)) == [])
    #expect(bench.pass(.milliseconds(1)) == [.change(.began(finger(0, 5), at: bench.now))])
    #expect(bench.reader.cutFrameDue == nil)
  }

  @Test("the rest of a cut frame that is queued when its time is over still belongs to it")
  func cutFrameRestQueued() {
    bench.send(Send.id(5), Send.kernelReport)
    _ = bench.readable()
    bench.now = bench.now + .milliseconds(20)
    bench.send(Send.id(-1), Send.report)
    // Down and up in one frame: activity, no contact.
    #expect(bench.timePassed() == [.change(.activity(at: bench.now))])
    #expect(bench.reader.tracker.contacts == [])
  }

  // MARK: Losses

  @Test("after lost events the slot table is read and decides")
  func loss() {
    bench.send(Send.id(5), Send.report)
    _ = bench.readable()
    bench.hide(Send.id(-1), Send.slot(2), Send.id(9))
    bench.send(Send.dropped, Send.report)
    let now = bench.now
    #expect(
      bench.readable() == [
        .change(.becameUncertain(.eventsLost, at: now)), .change(.ended(finger(0, 5), .endedDuringLoss, at: now)),
        .change(.began(finger(2, 9), at: now)), .change(.becameCertain(at: now)),
      ])
  }

  @Test("until the frame after a loss has ended, the verdict is uncertain")
  func lossGoesOn() {
    bench.send(Send.dropped, Send.id(5))
    #expect(bench.readable() == [.change(.becameUncertain(.eventsLost, at: bench.now))])
    #expect(bench.reader.verdict == .uncertain)
  }

  @Test("events that were queued behind a loss are discarded: the slot table includes them")
  func lossDiscards() {
    bench.send(Send.dropped, Send.report, Send.id(5), Send.report, Send.id(-1), Send.report, Send.id(6), Send.report)
    bench.source.chunk = 3
    _ = bench.readable()
    #expect(bench.source.discarded > 0)
    #expect(!bench.source.hasQueued)
    #expect(bench.reader.tracker.contacts == [finger(0, 6)])
  }

  // MARK: The end

  @Test("a device that is gone is reported with the number of its contacts, after what it had sent")
  func gone() {
    bench.send(Send.id(5), Send.report)
    _ = bench.readable()
    bench.source.isGone = true
    #expect(bench.readable() == [.gone(contacts: 1)])
    #expect(bench.reader.tracker.contacts == [] && bench.reader.verdict == .idle)
  }

  @Test("after a device is gone, no input does anything and nothing is due")
  func afterGone() {
    bench.send(Send.id(5), Send.kernelReport)
    _ = bench.readable()
    bench.source.isGone = true
    bench.now = bench.now + .milliseconds(20)
    #expect(bench.timePassed() == [.gone(contacts: 0)])
    #expect(bench.reader.nextDeadline == nil)
    #expect(bench.readable() == [] && bench.recheck() == [] && bench.timePassed() == [] && bench.distrust() == [])
  }

  // MARK: Positions

  @Test("positions are wanted while a contact is in doubt, and the slot table is adopted after each change of the mask")
  func positions() {
    bench.send(Send.id(5), Send.touch(1), Send.report)
    _ = bench.readable()
    #expect(!bench.source.sendsPositions)
    bench.send(Send.touch(0), Send.report)
    let reads = bench.source.tableReads
    _ = bench.readable()
    #expect(bench.source.sendsPositions)
    #expect(bench.source.tableReads == reads + 2)
    bench.send(Send.id(-1), Send.report)
    _ = bench.readable()
    _ = bench.pass(.milliseconds(999))
    #expect(bench.source.sendsPositions, "they may be wanted again soon")
    _ = bench.pass(.milliseconds(1))
    #expect(!bench.source.sendsPositions)
  }

  @Test("a device whose BTN_TOUCH flaps changes the mask once, and back a second after the last flap")
  func flappingButton() {
    bench.send(Send.id(5), Send.touch(1), Send.report)
    _ = bench.readable()
    let (reads, changes) = (bench.source.tableReads, bench.source.maskChanges)
    for frame: Int32 in 0..<400 {
      bench.send(Send.touch(frame % 2), Send.x(frame), Send.report)
      _ = bench.readable()
      _ = bench.pass(.milliseconds(8))
      #expect(bench.reader.verdict != .idle)
    }
    #expect(bench.source.maskChanges == changes + 1)
    #expect(bench.source.tableReads <= reads + 4, "the two of the change, and their confirmation")
    _ = bench.pass(.milliseconds(991))
    #expect(bench.source.sendsPositions)
    _ = bench.pass(.milliseconds(1))
    #expect(!bench.source.sendsPositions && bench.source.maskChanges == changes + 2)
    #expect(bench.reader.verdict == .touched)
  }

  @Test("while positions are wanted no time masks them")
  func positionsStayWanted() {
    bench.send(Send.id(5), Send.touch(1), Send.report, Send.touch(0), Send.report)
    _ = bench.readable()
    _ = bench.pass(.seconds(60))  // The contact is marked, and comes back when its position changes.
    #expect(bench.reader.verdict == .idle && bench.source.sendsPositions)
  }

  @Test("what the slot table holds when the last finger lifts is not activity later")
  func rest() {
    bench.send(Send.id(5), Send.x(100), Send.report, Send.id(-1), Send.report)
    _ = bench.readable()
    #expect(bench.recheck() == [])
    // A position that changes afterwards without a frame is.
    bench.hide(Send.x(200))
    #expect(bench.recheck() == [.change(.activity(at: bench.now))])
    #expect(bench.pass(.milliseconds(20)) == [.repaired(1)])
  }
}
