import TouchgateAPI
import TouchgateClient

/// `feedback --self-test`: plays each kind five times and prints what was measured.
struct FeedbackSelfTest: Action {
  func run(_ session: Session) throws(Failure) -> ExitCode {
    var test = SelfTest()
    test.device = try asking { () throws(ClientError) in try session.service.status() }.haptics?.device
    for kind in Array(repeating: feedbackKinds, count: 5).joined() {
      let reply = try asking { () throws(ClientError) in try session.service.play(kind) }
      test.add(reply)
    }
    try session.print(test.report) { _ in test.text }
    return test.wasFelt ? .success : .failure
  }
}

/// What a self-test measured, in milliseconds.
struct SelfTest {
  struct Figures: Encodable, Equatable {
    let median: Double
    let worst: Double
  }

  struct Report: Encodable, Equatable {
    let device: String?
    let silentBecause: String?
    let calls: Int
    let plays: Int
    let prepareMs: Figures?
    let fireMs: Figures?
    let skewMs: Figures?
  }

  var device: String?
  /// Why the last call that was not felt was silent.
  private(set) var silentBecause: String?
  private var calls = 0
  private var plays = 0
  private var prepare: [Double] = []
  private var fire: [Double] = []
  private var skew: [Double] = []

  mutating func add(_ reply: FeedbackReply) {
    calls += 1
    if let reason = reply.silentBecause { silentBecause = reason } else { plays += 1 }
    prepare += [reply.prepareMs].compactMap(\.self)
    fire += [reply.fireMs].compactMap(\.self)
    skew += [reply.skewMs].compactMap(\.self)
  }

  /// Whether at least one pulse was played.
  var wasFelt: Bool { plays > 0 }

  var report: Report {
    Report(
      device: device, silentBecause: silentBecause, calls: calls, plays: plays, prepareMs: Self.figures(prepare),
      fireMs: Self.figures(fire), skewMs: Self.figures(skew))
  }

  var text: String {
    var lines = ["device    \(device.map(printable) ?? "none")", "plays     \(plays) of \(calls)"]
    if let silentBecause { lines.append("silent    \(printable(silentBecause))") }
    for (name, figures) in [("prepare", prepare), ("fire", fire), ("skew", skew)] {
      guard let figures = Self.figures(figures) else { continue }
      let label = name + String(repeating: " ", count: 10 - name.count)
      lines.append("\(label)median \(figures.median) ms, worst \(figures.worst) ms")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func figures(_ values: [Double]) -> Figures? {
    let sorted = values.sorted()
    guard let worst = sorted.last else { return nil }
    return Figures(median: sorted[sorted.count / 2], worst: worst)
  }
}
