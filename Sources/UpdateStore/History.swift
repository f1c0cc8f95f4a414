import Scheduling
import Timeline

/// Counts that are maintained on each write, so that no query has to scan the tables.
struct Tally {
  /// Updates by name of state; every state is present.
  private(set) var states: [String: Int]
  /// Sum of `kept`.
  var keptBytes = 0

  init(_ states: [String: Int]) { self.states = states }

  /// Nil: the update did not exist before, or no longer exists.
  mutating func move(from old: String?, to new: String?) {
    if let old { states[old, default: 0] -= 1 }
    if let new { states[new, default: 0] += 1 }
  }

  var ended: Int { states.values.reduce(0, +) - states["waiting", default: 0] - states["applying", default: 0] }
}

extension Connection {
  func tally() throws(StoreError) -> Tally {
    var states = ["waiting": 0, "applying": 0]
    for state in FinalState.allCases { states[state.rawValue] = 0 }
    for (state, count) in try query(
      "SELECT state, COUNT(*) FROM updates GROUP BY state", [],
      { row in
        (row.text(0), Int(row.integer(1)))
      })
    {
      states[state] = count
    }
    var tally = Tally(states)
    let kept = try query("SELECT COALESCE(SUM(kept), 0) FROM updates WHERE kept > 0") { row in Int(row.integer(0)) }
    tally.keptBytes = kept.first ?? 0
    return tally
  }

  /// Removes ended updates and payloads beyond the limits, at most `batch` of each. Returns how many were removed.
  func prune(_ limits: HistoryLimits, _ now: WallTime, batch: Int, _ tally: inout Tally) throws(StoreError) -> Int {
    var count = try forget(min(batch, max(0, tally.ended - limits.entries)), endedBefore: nil, &tally)
    if let cutoff = limits.cutoff(now) { count += try forget(batch, endedBefore: cutoff, &tally) }
    if tally.keptBytes > limits.payloadBytes { count += try dropPayloads(batch, beyond: limits.payloadBytes, &tally) }
    return count
  }

  /// Removes the `count` updates that ended first, or fewer if there are fewer. Returns how many.
  func forget(_ count: Int, endedBefore cutoff: WallTime?, _ tally: inout Tally) throws(StoreError) -> Int {
    if count == 0 { return 0 }
    let oldest = try query(
      """
      SELECT sequence, state, kept FROM updates WHERE finished_at IS NOT NULL AND finished_at < ?
      ORDER BY finished_at, sequence LIMIT ?
      """, [.integer(cutoff?.millisecondsSinceEpoch ?? .max), .integer(Int64(count))]
    ) { row in (sequence: row.integer(0), state: row.text(1), kept: Int(row.integer(2))) }
    for entry in oldest {
      try run("DELETE FROM payloads WHERE sequence = ?", [.integer(entry.sequence)])
      try run("DELETE FROM updates WHERE sequence = ?", [.integer(entry.sequence)])
      tally.move(from: entry.state, to: nil)
      tally.keptBytes -= entry.kept
    }
    return oldest.count
  }

  /// Drops the payloads of at most `count` updates that ended first, until the total is within `bytes`. Returns how
  /// many.
  func dropPayloads(_ count: Int, beyond bytes: Int, _ tally: inout Tally) throws(StoreError) -> Int {
    let oldest = try query(
      "SELECT sequence, kept FROM updates WHERE kept > 0 ORDER BY finished_at, sequence LIMIT ?",
      [.integer(Int64(count))]
    ) { row in (sequence: row.integer(0), kept: Int(row.integer(1))) }
    var dropped = 0
    for entry in oldest where tally.keptBytes > bytes {
      try run("DELETE FROM payloads WHERE sequence = ?", [.integer(entry.sequence)])
      try run("UPDATE updates SET kept = 0 WHERE sequence = ?", [.integer(entry.sequence)])
      tally.keptBytes -= entry.kept
      dropped += 1
    }
    return dropped
  }
}

extension FinalState {
  /// Whether the update can be retried, so that its payload is kept.
  var keepsPayload: Bool {
    switch self {
    case .failed, .cancelled, .expired: true
    case .applied, .superseded: false
    }
  }
}
