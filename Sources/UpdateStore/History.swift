import Scheduling
import Timeline

/// Counts that are maintained on each write, so that no query has to scan the tables.
struct Tally {
  /// Updates by name of state; every state is present.
  private(set) var states: [String: Int]
  /// The history of each user who has one.
  private(set) var users: [UInt32: Share] = [:]

  /// One user's part of the history.
  struct Share: Equatable {
    /// Updates that have ended.
    var entries = 0
    /// Sum of `kept`.
    var keptBytes = 0
  }

  init(_ states: [String: Int]) { self.states = states }

  /// Nil: the update did not exist before, or no longer exists.
  mutating func move(from old: String?, to new: String?, ofUser uid: UInt32) {
    if let old {
      states[old, default: 0] -= 1
      if Self.isEnd(old) { change(uid) { $0.entries -= 1 } }
    }
    if let new {
      states[new, default: 0] += 1
      if Self.isEnd(new) { change(uid) { $0.entries += 1 } }
    }
  }

  /// What the store holds when it is opened.
  mutating func add(_ count: Int, _ keptBytes: Int, in state: String, ofUser uid: UInt32) {
    states[state, default: 0] += count
    if Self.isEnd(state) {
      change(uid) {
        $0.entries += count
        $0.keptBytes += keptBytes
      }
    }
  }

  mutating func keep(_ bytes: Int, ofUser uid: UInt32) { change(uid) { $0.keptBytes += bytes } }

  private mutating func change(_ uid: UInt32, _ edit: (inout Share) -> Void) {
    var share = users[uid, default: Share()]
    edit(&share)
    users[uid] = share == Share() ? nil : share
  }

  private static func isEnd(_ state: String) -> Bool { state != "waiting" && state != "applying" }

  var ended: Int { users.values.reduce(0) { $0 + $1.entries } }
  var keptBytes: Int { users.values.reduce(0) { $0 + $1.keptBytes } }

  /// The user with the longest history, and how much longer it is than the next: what gives way at the limit. Nil:
  /// there is no history.
  var longest: (uid: UInt32, lead: Int)? { most(\.entries) }
  /// The same by bytes of payload.
  var largest: (uid: UInt32, lead: Int)? { most(\.keptBytes) }

  private func most(_ size: KeyPath<Share, Int>) -> (uid: UInt32, lead: Int)? {
    let order = users.filter { $0.value[keyPath: size] > 0 }
      .sorted { ($1.value[keyPath: size], $0.key) < ($0.value[keyPath: size], $1.key) }
    guard let first = order.first else { return nil }
    let next = order.dropFirst().first?.value[keyPath: size] ?? 0
    return (first.key, first.value[keyPath: size] - next)
  }
}

extension Connection {
  func tally() throws(StoreError) -> Tally {
    var states = ["waiting": 0, "applying": 0]
    for state in FinalState.allCases { states[state.rawValue] = 0 }
    var tally = Tally(states)
    let rows = try query("SELECT state, uid, COUNT(*), SUM(kept) FROM updates GROUP BY state, uid") { row in
      (
        state: row.text(0), uid: UInt32(truncatingIfNeeded: row.integer(1)), count: Int(row.integer(2)),
        kept: Int(row.integer(3))
      )
    }
    for row in rows { tally.add(row.count, row.kept, in: row.state, ofUser: row.uid) }
    return tally
  }

  /// Removes ended updates and payloads beyond the limits, at most `batch` of each. Returns how many were removed.
  func prune(_ limits: HistoryLimits, _ now: WallTime, batch: Int, _ tally: inout Tally) throws(StoreError) -> Int {
    var count = 0
    while count < batch, tally.ended > limits.entries {
      let removed = try giveWay(min(batch - count, tally.ended - limits.entries), &tally)
      if removed == 0 { break }
      count += removed
    }
    if let cutoff = limits.cutoff(now) {
      count += try forget(batch, endedBefore: cutoff, since: limits.earliest, &tally)
    }
    if tally.keptBytes > limits.payloadBytes { count += try dropPayloads(batch, beyond: limits.payloadBytes, &tally) }
    return count
  }

  /// Removes at most `count` updates that ended first of the user who has most, so that no user's history is removed
  /// because of another who has more. Returns how many.
  func giveWay(_ count: Int, _ tally: inout Tally) throws(StoreError) -> Int {
    guard let (uid, lead) = tally.longest else { return 0 }
    return try forget(
      "uid = ? ORDER BY finished_at, sequence LIMIT ?",
      [.integer(Int64(uid)), .integer(Int64(min(count, max(1, lead))))], &tally)
  }

  /// Removes at most `count` updates that ended before `cutoff`, those that ended first. Returns how many.
  private func forget(
    _ count: Int, endedBefore cutoff: WallTime, since earliest: WallTime, _ tally: inout Tally
  ) throws(StoreError) -> Int {
    try forget(
      "finished_at < ? AND finished_at >= ? ORDER BY finished_at, sequence LIMIT ?",
      [
        .integer(cutoff.millisecondsSinceEpoch), .integer(earliest.millisecondsSinceEpoch), .integer(Int64(count)),
      ], &tally)
  }

  private func forget(_ which: String, _ values: [SQLValue], _ tally: inout Tally) throws(StoreError) -> Int {
    let oldest = try query(
      "SELECT sequence, state, kept, uid FROM updates WHERE finished_at IS NOT NULL AND \(which)", values
    ) { row in
      (
        sequence: row.integer(0), state: row.text(1), kept: Int(row.integer(2)),
        uid: UInt32(truncatingIfNeeded: row.integer(3))
      )
    }
    for entry in oldest {
      try run("DELETE FROM payloads WHERE sequence = ?", [.integer(entry.sequence)])
      try run("DELETE FROM updates WHERE sequence = ?", [.integer(entry.sequence)])
      tally.move(from: entry.state, to: nil, ofUser: entry.uid)
      tally.keep(-entry.kept, ofUser: entry.uid)
    }
    return oldest.count
  }

  /// Drops the payloads of at most `count` updates, until the total is within `bytes`: of the user whose payloads are
  /// largest together, those that ended first. Returns how many.
  func dropPayloads(_ count: Int, beyond bytes: Int, _ tally: inout Tally) throws(StoreError) -> Int {
    var dropped = 0
    while dropped < count, tally.keptBytes > bytes, let (uid, lead) = tally.largest {
      let oldest = try query(
        "SELECT sequence, kept FROM updates WHERE kept > 0 AND uid = ? ORDER BY finished_at, sequence LIMIT ?",
        [.integer(Int64(uid)), .integer(Int64(count - dropped))]
      ) { row in (sequence: row.integer(0), kept: Int(row.integer(1))) }
      if oldest.isEmpty { break }
      var given = 0
      for entry in oldest where tally.keptBytes > bytes && (given == 0 || given < lead) {
        try run("DELETE FROM payloads WHERE sequence = ?", [.integer(entry.sequence)])
        try run("UPDATE updates SET kept = 0 WHERE sequence = ?", [.integer(entry.sequence)])
        tally.keep(-entry.kept, ofUser: uid)
        given += entry.kept
        dropped += 1
      }
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
