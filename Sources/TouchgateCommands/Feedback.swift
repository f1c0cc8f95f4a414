import Glibc
import TouchgateAPI
import TouchgateClient

/// `feedback KIND [-- COMMAND…]`: the pulse, and at that moment the command, in the place of this process. Whatever
/// becomes of the pulse, the command runs.
func feedback(_ kind: String, command: [String], _ session: Session) throws(Failure) -> ExitCode {
  if command.isEmpty {
    let reply = try asking { () throws(ClientError) in try session.service.play(kind) }
    if session.json { try session.printJSON(reply) }
    return .done
  }
  return try session.service.feedback(kind) { () throws(Failure) in try replace(by: command) }
}

/// execvp(3); returns only by an error.
private func replace(by command: [String]) throws(Failure) -> ExitCode {
  // Ignored signals would be inherited; this command ignores none.
  var pointers = command.map { strdup($0) } + [nil]
  execvp(command[0], &pointers)
  let reason = errno
  throw Failure(message: "cannot run \(command[0]): \(String(cString: strerror(reason)))", code: .ownFailure)
}

/// The seven, as the service knows them.
let feedbackKinds = ["success", "warning", "error", "light", "medium", "heavy", "selection"]

/// `feedback --self-test`: each kind five times on the device at hand.
func feedbackSelfTest(_ session: Session) throws(Failure) -> ExitCode {
  var test = SelfTest()
  test.device = try asking { () throws(ClientError) in try session.service.status() }.haptics?.device
  for kind in Array(repeating: feedbackKinds, count: 5).joined() {
    let reply = try asking { () throws(ClientError) in try session.service.play(kind) }
    test.add(reply)
  }
  if session.json { try session.printJSON(test.report) } else { try session.print(test.text) }
  return test.wasFelt ? .done : .otherwise
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
  /// Of the last call that was not felt.
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

  /// At least once.
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
