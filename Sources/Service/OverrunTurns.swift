import Linux
import Scheduling
import Timeline

/// Turns that have lasted as long as they may. Their commands were not killed, and may still run, without protection.
struct OverrunTurns {
  private struct Overrun {
    let turn: Turn
    let reason: String
    let end: WallTime
    /// Nil: not visible here.
    let process: ProcessIdentity?
  }

  /// The newest are kept.
  static let most = 16
  /// How long one is reported whose process is not visible.
  static let longest: Duration = .seconds(86_400)

  private var overruns: [Overrun] = []

  mutating func note(_ turn: Turn, _ reason: String, at end: WallTime) {
    overruns.append(Overrun(turn: turn, reason: reason, end: end, process: ProcessIdentity(of: turn.owner.pid)))
    overruns.removeFirst(max(0, overruns.count - Self.most))
  }

  /// The process goes on with other turns: it was not one command.
  mutating func forget(of pid: Int32) { overruns.removeAll { $0.turn.owner.pid == pid } }

  /// Of those whose process still runs, as far as can be seen.
  func warnings(at wall: WallTime) -> [String] {
    overruns.filter { $0.process?.isAlive ?? (wall - $0.end < Self.longest) }.map {
      let owner = "user \($0.turn.owner.uid), process \($0.turn.owner.pid)"
      let (unit, why) = ($0.turn.unit.map { "\($0), " } ?? "", $0.turn.reason.isEmpty ? "" : " (\($0.turn.reason))")
      return
        "the turn \($0.turn.id) of \(unit)\(owner)\(why) ended at \($0.end.rfc3339): \($0.reason); its command may "
        + "still run, and updates are applied meanwhile"
    }
  }
}
