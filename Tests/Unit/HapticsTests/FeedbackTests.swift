import Haptics
import Testing
import Timeline

@Suite("Seven calls")
struct FeedbackTests {
  /// A motor of values: keeps what it was sent.
  final class Motor: FeedbackMotor {
    var commands: [MotorCommand] = []
    func send(_ command: MotorCommand) { commands.append(command) }
  }

  /// A feedback with a clock in the hand.
  final class Bench {
    var now = Instant(nanoseconds: 0)
    let motor = Motor()
    private(set) lazy var feedback = Feedback(motor: motor) { [unowned self] in now }
    var ran = 0

    init(device: Bool = true) { if device { feedback.use(node: "/dev/input/event9") } }

    func call(_ kind: FeedbackKind) {
      let count: () -> Void = { [unowned self] in ran += 1 }
      switch kind {
      case .success: feedback.success(count)
      case .warning: feedback.warning(count)
      case .error: feedback.error(count)
      case .light: feedback.light(count)
      case .medium: feedback.medium(count)
      case .heavy: feedback.heavy(count)
      case .selection: feedback.selection(count)
      }
    }

    func hear(_ event: MotorReport.Event, session: Int = 1) {
      feedback.received(MotorReport(session: session, event))
    }

    func pass(_ milliseconds: Int) {
      now = now + .milliseconds(milliseconds)
      feedback.timePassed(now)
    }

    /// The last play that was sent.
    var lastPlay: FeedbackCalls.ID? {
      motor.commands.compactMap { if case .play(let id, _, _, _) = $0 { id } else { nil } }.last
    }
  }

  @Test(
    "prepare at the call, the pulse 100 ms later and not before, the action when it was played",
    arguments: FeedbackKind.allCases)
  func order(_ kind: FeedbackKind) throws {
    let bench = Bench()
    bench.call(kind)
    #expect(bench.motor.commands.last == .prepare(kind, session: 1))
    bench.hear(.prepared(kind, took: .milliseconds(2)))
    bench.pass(99)
    #expect(bench.lastPlay == nil && bench.ran == 0)
    bench.pass(1)
    let id = try #require(bench.lastPlay)
    #expect(bench.ran == 0)
    bench.hear(.played(id, at: bench.now, took: .zero))
    #expect(bench.ran == 1)
  }

  @Test("without haptics the action runs at once, before the call returns, and no caller checks availability")
  func silent() {
    var ran: [FeedbackKind] = []
    // Nothing at all, and a motor for which no device was found.
    let motor = Motor()
    let clock = { Instant(nanoseconds: 0) }
    for feedback in [Feedback(clock: clock), Feedback(motor: motor, clock: clock)] {
      ran = []
      feedback.success { ran.append(.success) }
      #expect(ran == [.success])
      feedback.warning { ran.append(.warning) }
      #expect(ran.last == .warning)
      feedback.error { ran.append(.error) }
      #expect(ran.last == .error)
      feedback.light { ran.append(.light) }
      #expect(ran.last == .light)
      feedback.medium { ran.append(.medium) }
      #expect(ran.last == .medium)
      feedback.heavy { ran.append(.heavy) }
      #expect(ran.last == .heavy)
      feedback.selection { ran.append(.selection) }
      #expect(ran == FeedbackKind.allCases)
      #expect(feedback.nextDeadline == nil)
    }
    #expect(motor.commands == [])
  }

  @Test("a kind that was prepared ahead plays without a lead, once, and not after the preparation has expired")
  func ahead() throws {
    let bench = Bench()
    bench.feedback.prepare(.success, for: .seconds(10))
    bench.hear(.prepared(.success, took: .milliseconds(2)))
    bench.call(.success)
    bench.hear(.played(try #require(bench.lastPlay), at: bench.now, took: .zero))
    #expect(bench.ran == 1)
    bench.call(.success)
    #expect(bench.lastPlay == 0, "the second one has its lead")
    bench.pass(100)
    #expect(bench.lastPlay == 1)
    bench.hear(.played(1, at: bench.now, took: .zero))

    bench.feedback.prepare(.success, for: .seconds(10))
    bench.pass(10_000)
    bench.call(.success)
    #expect(bench.lastPlay == 1, "expired")
    bench.pass(100)
    #expect(bench.lastPlay == 2)
  }

  @Test("if the motor does not answer, the action runs 15 ms after the lead, and later ones at once until it does")
  func stuck() {
    let bench = Bench()
    bench.call(.light)
    bench.pass(100)
    #expect(bench.ran == 0)
    bench.pass(14)
    #expect(bench.ran == 0)
    bench.pass(1)
    #expect(bench.ran == 1)
    #expect(bench.feedback.silentBecause?.contains("has not returned") == true)
    for number in 2...100 {
      bench.call(.success)
      #expect(bench.ran == number)
    }
    #expect(bench.motor.commands.count == 2, "nothing piles up behind it")
    bench.hear(.prepared(.light, took: .seconds(30)))
    #expect(bench.feedback.silentBecause == nil)
    #expect(bench.lastPlay == nil, "no pulse comes late")
    bench.call(.light)
    #expect(bench.ran == 100)
  }

  @Test("if the device refuses, the action runs at once, the reason is reported, and the device is retried after 5 s")
  func broken() {
    let bench = Bench()
    bench.call(.light)
    bench.hear(.failed("cannot open"))
    #expect(bench.ran == 1)
    #expect(bench.feedback.silentBecause == "cannot open")
    bench.call(.light)
    #expect(bench.ran == 2)
    #expect(bench.motor.commands.count == 2)
    bench.pass(5000)
    bench.call(.light)
    #expect(bench.ran == 3 && bench.motor.commands.count == 3, "asked again, but not waited for")
    bench.hear(.prepared(.light, took: .milliseconds(1)))
    #expect(bench.feedback.silentBecause == nil)
  }

  @Test("a device that refused is retried as soon as it changes, and the reason stays until it works")
  func mayWorkAgain() {
    let bench = Bench()
    bench.call(.light)
    bench.hear(.failed("Permission denied"))
    bench.feedback.mayWorkAgain()
    #expect(bench.feedback.silentBecause == "Permission denied", "nothing is known to have changed yet")
    #expect(bench.motor.commands.last == .prepare(.light, session: 1) && bench.motor.commands.count == 3)
    bench.hear(.failed("Permission denied"))
    #expect(bench.feedback.silentBecause == "Permission denied")
    bench.feedback.mayWorkAgain()
    bench.hear(.prepared(.light, took: .milliseconds(1)))
    #expect(bench.feedback.silentBecause == nil)
    bench.call(.light)
    #expect(bench.ran == 1, "it is waited for again")
    bench.pass(100)
    bench.hear(.played(1, at: bench.now, took: .zero))
    #expect(bench.ran == 2)
  }

  @Test("a change of a device that works, does not answer, or is gone has no effect")
  func mayWorkAgainOtherwise() {
    let bench = Bench()
    bench.call(.light)
    bench.feedback.mayWorkAgain()
    #expect(bench.ran == 0 && bench.motor.commands.count == 2)
    bench.pass(115)
    bench.feedback.mayWorkAgain()
    #expect(bench.feedback.silentBecause?.contains("has not returned") == true)
    bench.feedback.useNone(because: "gone")
    bench.feedback.mayWorkAgain()
    #expect(bench.feedback.silentBecause == "gone" && bench.motor.commands.count == 3)
  }

  @Test("unplugged between prepare and pulse: the action runs at once, and later reports of the old device are ignored")
  func unplugged() {
    let bench = Bench()
    bench.call(.heavy)
    bench.hear(.prepared(.heavy, took: .milliseconds(1)))
    bench.feedback.useNone(because: "gone")
    #expect(bench.ran == 1)
    bench.feedback.use(node: "/dev/input/event10")
    bench.call(.heavy)
    bench.hear(.failed("the old one"))
    bench.hear(.prepared(.heavy, took: .zero))
    #expect(bench.ran == 1 && bench.feedback.silentBecause == nil)
    bench.pass(100)
    #expect(bench.lastPlay == nil, "only the new one's word counts")
    bench.hear(.prepared(.heavy, took: .zero), session: 3)
    #expect(bench.lastPlay != nil)
  }

  @Test("pending actions run when the service stops; later ones run at once")
  func stopping() {
    let bench = Bench()
    bench.call(.error)
    bench.feedback.stop()
    #expect(bench.ran == 1)
    bench.call(.error)
    #expect(bench.ran == 2)
    bench.pass(1000)
    #expect(bench.ran == 2)
  }

  @Test("a device that was not used for 30 s is closed, and prepared again when it is needed")
  func idle() {
    let bench = Bench()
    bench.feedback.prepare(.light, for: .seconds(40))
    bench.hear(.prepared(.light, took: .zero))
    bench.pass(39_000)
    #expect(bench.motor.commands.last != .release, "still prepared ahead")
    bench.pass(1000)
    #expect(bench.motor.commands.last == .release)
    #expect(bench.feedback.nextDeadline == nil)
    bench.call(.light)
    #expect(bench.motor.commands.last == .prepare(.light, session: 1))
  }

  @Test("an action may itself give feedback")
  func nested() {
    let bench = Bench(device: false)
    bench.feedback.success { bench.feedback.light { bench.ran += 1 } }
    #expect(bench.ran == 1)
  }
}
