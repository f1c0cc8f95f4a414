import Haptics
import Testing
import Timeline

@Suite("The timing of calls")
struct CallTimesTests {
  /// Milliseconds after the first moment.
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: 0) + .milliseconds(milliseconds) }

  /// Calls with a device on which this kind is prepared at 0.
  private func ready(_ kind: FeedbackKind) -> FeedbackCalls {
    var calls = FeedbackCalls()
    _ = calls.found(at: at(0))
    _ = calls.prepare(kind, until: at(1000), at: at(0))
    _ = calls.prepared(kind, at: at(0))
    return calls
  }

  @Test("a call after the preparation has expired needs its lead, even if timePassed was not called in between")
  func expired() {
    var calls = ready(.light)
    #expect(calls.call(.light, lead: .milliseconds(100), at: at(1000)).1 == [])
    #expect(calls.nextDeadline == at(1100))
  }

  @Test("a pulse that is being played is not played again")
  func playedOnce() {
    var calls = ready(.light)
    let (id, outputs) = calls.call(.light, lead: .milliseconds(100), at: at(0))
    #expect(outputs == [.play(id, .light, until: at(15))])
    #expect(calls.timePassed(at(5)) == [])
  }

  @Test("a loop that is later than the deadline runs the action without a pulse")
  func tooLate() {
    var calls = ready(.light)
    let (id, outputs) = calls.call(.light, lead: .milliseconds(100), at: at(2000))
    #expect(outputs == [])
    #expect(calls.timePassed(at(2115)) == [.run(id, .silent("the device did not answer in time"))])
  }

  @Test("a device is closed at the deadline that was announced")
  func closed() throws {
    var calls = ready(.light)
    let due = try #require(calls.nextDeadline)
    #expect(due == at(30_000))
    #expect(calls.timePassed(at(29_999)) == [])
    #expect(calls.timePassed(due) == [.release])
  }
}

@Suite("Room on a device")
struct EffectRoomTests {
  @Test("a spare effect is used before another kind has to make room")
  func spareFirst() throws {
    let motor = try #require(MotorDescription(codes: [0x50], slots: 3))
    var bank = EffectBank(table: PatternTable(), strength: 1, motor: motor)
    var next: Int16 = 0
    func prepare(_ kind: FeedbackKind) {
      for upload in bank.missing(kind) {
        bank.uploaded(kind, upload, id: upload.id ?? next)
        if upload.id == nil { next += 1 }
      }
    }
    // Two pulses and one: full. The third kind takes one of the two, and the other is spare.
    for kind in [FeedbackKind.success, .light, .medium, .heavy] { prepare(kind) }
    #expect(next == 3)
    #expect(bank.missing(.light) == [])
  }
}
