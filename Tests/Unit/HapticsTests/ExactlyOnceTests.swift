import Foundation
import Haptics
import Testing
import Timeline

@Suite("Each action runs exactly once")
struct ExactlyOnceTests {
  /// All that can come to pass, in whatever order.
  enum Input: CaseIterable {
    case prepareAhead, call, callAtOnce, prepared, playedFirst, playedSecond, missed, failed, mayWorkAgain, found, gone
    case stop
    case nextDeadline, aMoment, sleep
  }

  struct World {
    var calls = FeedbackCalls()
    var now = Instant(nanoseconds: 0)
    /// By call, when it must have run.
    var due: [Int: Instant] = [:]
    var ran: [Int: Int] = [:]
    var late = 0
    /// Asked of the motor and not answered.
    var asked: Set<FeedbackKind> = []
    var playing: Set<Int> = []
    var falselyStuck = 0
    var path: [Input] = []

    mutating func apply(_ input: Input) {
      path.append(input)
      switch input {
      case .prepareAhead: take(calls.prepare(.success, until: now + .seconds(10), at: now))
      case .call: call(.success, .milliseconds(100))
      case .callAtOnce: call(.error, .zero)
      case .prepared:
        asked.remove(.success)
        take(calls.prepared(.success, at: now))
      case .playedFirst:
        playing.remove(0)
        take(calls.played(0))
      case .playedSecond:
        playing.remove(1)
        take(calls.played(1))
      case .missed:
        playing.remove(0)
        take(calls.missed(0))
      case .failed:
        (asked, playing) = ([], [])
        take(calls.failed("refused", at: now))
      case .mayWorkAgain: take(calls.mayWorkAgain(at: now))
      case .found:
        (asked, playing) = ([], [])
        take(calls.found(at: now))
      case .gone:
        (asked, playing) = ([], [])
        take(calls.gone("unplugged"))
      case .stop: take(calls.stop())
      case .nextDeadline:
        guard let next = calls.nextDeadline else { return }
        now = max(now, next)
        take(calls.timePassed(now))
      case .aMoment:
        now = now + .milliseconds(7)
        take(calls.timePassed(now))
      case .sleep:
        // The loop comes round late.
        now = now + .milliseconds(120)
      }
      // From stuck only a report leads back, so one must be on its way.
      if calls.silentBecause?.contains("has not returned") == true && asked.isEmpty && playing.isEmpty {
        falselyStuck += 1
      }
    }

    private mutating func call(_ kind: FeedbackKind, _ lead: Duration) {
      let isSilent = calls.silentBecause != nil
      let (id, outputs) = calls.call(kind, lead: lead, at: now)
      due[id] = now + lead + FeedbackCalls.grace
      take(outputs)
      // Without a motor it has run when the call returns.
      if isSilent && ran[id] != 1 { late += 1 }
    }

    private mutating func take(_ outputs: [FeedbackCalls.Output]) {
      for case .run(let id, _) in outputs {
        ran[id, default: 0] += 1
        if let due = due[id], now > due + .milliseconds(7), !path.contains(.sleep) { late += 1 }
      }
      for output in outputs {
        switch output {
        case .prepare(let kind): asked.insert(kind)
        case .play(let id, _, until: _): playing.insert(id)
        case .release, .run: break
        }
      }
    }

    /// Lets time pass until nothing is under way.
    mutating func finish() {
      for _ in 0..<10 where ran.count < due.count { apply(.nextDeadline) }
    }

    var violations: Int { late + falselyStuck + due.keys.count { ran[$0] != 1 } + ran.keys.count { due[$0] == nil } }
  }

  static let depth = ProcessInfo.processInfo.environment["HAPTICS_DEPTH"].flatMap { Int($0) } ?? 4

  @Test("in every order of inputs from every initial state: once, in time, and immediately without a motor")
  func everyOrder() {
    var orders = 0
    var violations = 0
    var example = ""
    func explore(_ world: World, _ depth: Int) {
      if depth == 0 {
        var end = world
        end.finish()
        orders += 1
        if end.violations > 0 {
          if violations == 0 { example = "\(end.path)" }
          violations += end.violations
        }
        return
      }
      for input in Input.allCases {
        var next = world
        next.apply(input)
        explore(next, depth - 1)
      }
    }
    let beginnings: [[Input]] = [
      [], [.found, .call], [.found, .prepareAhead, .prepared, .call], [.found, .callAtOnce],
    ]
    for beginning in beginnings {
      var world = World()
      for input in beginning { world.apply(input) }
      explore(world, Self.depth)
    }
    print("exactly once: \(orders) orders of inputs, \(violations) violations")
    #expect(violations == 0, "\(example)")
    #expect(orders == 4 * Int(pow(Double(Input.allCases.count), Double(Self.depth))))
  }
}
