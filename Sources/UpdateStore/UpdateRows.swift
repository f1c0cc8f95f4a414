import CSQLite
import Scheduling
import Timeline

// How an update becomes a row, changes, and becomes a value again.

extension Connection {
  func perform(_ write: StoreWrite) throws(StoreError) {
    switch write {
    case .accept(let update, let payload):
      try insert(update, payload)
    case .replace(let old, let result, with: let update, let payload):
      try finish(old, result, from: ["waiting"])
      try insert(update, payload)
    case .acceptEnded(let update, let payload, let result):
      try insert(update, payload)
      try finish(update.id, result)
    case .beginApplying(let id, let attempt):
      try change(
        id, from: ["waiting"], "UPDATE updates SET state = 'applying', attempts = ? WHERE id = ? AND state = 'waiting'",
        [.integer(Int64(attempt)), .text(id.text)])
    case .backToWaiting(let id, let attempts):
      try change(
        id, from: ["applying"],
        "UPDATE updates SET state = 'waiting', attempts = ? WHERE id = ? AND state = 'applying'",
        [.integer(Int64(attempts)), .text(id.text)])
    case .finish(let id, let result):
      try finish(id, result)
    }
  }

  private func finish(
    _ id: UpdateID, _ result: UpdateResult, from states: [String] = ["waiting", "applying"]
  ) throws(StoreError) {
    try change(
      id, from: states,
      """
      UPDATE updates SET state = ?, exit_code = ?, message = ?, finished_at = ?, release_to_start_ms = ?, successor = ?
      WHERE id = ? AND state IN (SELECT value FROM json_each(?))
      """,
      [
        .text(result.state.rawValue), SQLValue(result.exitCode.map(Int64.init)), .text(result.message),
        .integer(result.finishedAt.millisecondsSinceEpoch), SQLValue(result.releaseToStartMilliseconds),
        SQLValue(result.successor?.text), .text(id.text), .text(JSONText.encode(states)),
      ])
  }

  /// `rest` is what follows the FROM clause.
  func updates(_ rest: String, _ values: [SQLValue] = []) throws(StoreError) -> [StoredUpdate] {
    try query(
      """
      SELECT sequence, id, handler, parameters, created_at, uid, pid, state, attempts, exit_code, message, finished_at,
        release_to_start_ms, place, key, priority, quiet_ms, not_before, deadline, on_deadline, successor
      FROM updates \(rest)
      """, values
    ) { row throws(StoreError) in
      guard let update = StoredUpdate(row) else {
        throw .damaged(path: path, message: "update number \(row.integer(0)) holds values that are none of ours")
      }
      return update
    }
  }

  private func insert(_ update: Update, _ payload: [UInt8]) throws(StoreError) {
    let same = try query("SELECT COUNT(*) FROM updates WHERE id = ?", [.text(update.id.text)]) { row in row.integer(0) }
    guard same == [0] else { throw .duplicateID(update.id) }
    try run(
      """
      INSERT INTO updates (sequence, id, handler, parameters, created_at, uid, pid, state, attempts, place, key,
        priority, quiet_ms, not_before, deadline, on_deadline)
      VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', 0, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(update.sequence), .text(update.id.text), .text(update.handler),
        .text(JSONText.encode(update.parameters)), .integer(update.createdAt.millisecondsSinceEpoch),
        .integer(Int64(update.submitter.uid)), .integer(Int64(update.submitter.pid)),
        .integer(update.place), SQLValue(update.key), .integer(Int64(update.priority)),
        SQLValue(update.quietPeriod?.wholeMilliseconds), SQLValue(update.notBefore?.millisecondsSinceEpoch),
        SQLValue(update.deadline?.millisecondsSinceEpoch), .text(update.onDeadline.rawValue),
      ])
    try run("INSERT INTO payloads (sequence, bytes) VALUES (?, ?)", [.integer(update.sequence), .blob(payload)])
  }

  private func change(
    _ id: UpdateID, from allowed: [String], _ sql: String, _ values: [SQLValue]
  ) throws(StoreError) {
    if try run(sql, values) == 1 { return }
    let states = try query("SELECT state FROM updates WHERE id = ?", [.text(id.text)]) { row in row.text(0) }
    guard let state = states.first else { throw .unknownID(id) }
    throw .wrongState(id, state: state, allowed: allowed)
  }
}

extension StoredUpdate {
  /// Reads the columns of `Connection.updates`. Nil: a value that this program does not write.
  fileprivate init?(_ row: Row) {
    guard let id = UpdateID(row.text(1)), let parameters = JSONText.decode(row.text(3)),
      let uid = UInt32(exactly: row.integer(5)), let pid = Int32(exactly: row.integer(6)),
      let attempts = Int(exactly: row.integer(8)), let state = StoredUpdate.State(row),
      let priority = Int(exactly: row.integer(15)), let onDeadline = OnDeadline(rawValue: row.text(19))
    else { return nil }
    let update = Update(
      id: id, handler: row.text(2), parameters: parameters,
      createdAt: WallTime(millisecondsSinceEpoch: row.integer(4)), submitter: Submitter(uid: uid, pid: pid),
      sequence: row.integer(0), place: row.optionalInteger(13), key: row.optionalText(14), priority: priority,
      quietPeriod: row.optionalInteger(16).map { .milliseconds($0) },
      notBefore: row.optionalInteger(17).map(WallTime.init(millisecondsSinceEpoch:)),
      deadline: row.optionalInteger(18).map(WallTime.init(millisecondsSinceEpoch:)), onDeadline: onDeadline)
    self.init(update: update, attempts: attempts, state: state)
  }
}

extension StoredUpdate.State {
  fileprivate init?(_ row: Row) {
    switch row.text(7) {
    case "waiting": self = .waiting
    case "applying": self = .applying
    case let name:
      guard let state = FinalState(rawValue: name), let finishedAt = row.optionalInteger(11) else { return nil }
      self = .finished(
        UpdateResult(
          state: state, exitCode: row.optionalInteger(9).map(Int.init), message: row.text(10),
          finishedAt: WallTime(millisecondsSinceEpoch: finishedAt),
          releaseToStartMilliseconds: row.optionalInteger(12), successor: row.optionalText(20).flatMap(UpdateID.init)))
    }
  }
}
