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
    case .beginApplying(let id, let attempt, let boot, let overrode):
      try change(
        id, from: ["waiting"],
        "UPDATE updates SET state = 'applying', attempts = ?, boot = ?, overrode = ? WHERE id = ? AND state = 'waiting'",
        [
          .integer(Int64(attempt)), .text(boot), .text(JSONText.encode(overrode.map(\.rawValue))), .text(id.text),
        ])
    case .backToWaiting(let id, let attempts, let pause, let interruptions):
      // After a failure, what `hurry` said is used up; what forced it is not.
      try change(
        id, from: ["applying"],
        """
        UPDATE updates SET state = 'waiting', attempts = ?1, setbacks = ?2, retry_at = ?3, retry_reason = ?4,
          interruptions = ?5, urgency = CASE WHEN ?3 IS NOT NULL AND urgency = 1 THEN 0 ELSE urgency END
        WHERE id = ?6 AND state = 'applying'
        """,
        [
          .integer(Int64(attempts)), .integer(Int64(pause?.setbacks ?? 0)),
          SQLValue(pause?.until.millisecondsSinceEpoch), SQLValue(pause?.reason),
          .integer(Int64(interruptions)), .text(id.text),
        ])
    case .hurry(let id, let urgency):
      try change(
        id, from: ["waiting", "applying"],
        """
        UPDATE updates SET urgency = MAX(urgency, ?), setbacks = 0, retry_at = NULL, retry_reason = NULL
        WHERE id = ? AND state IN ('waiting', 'applying')
        """,
        [.integer(Int64(urgency.rawValue)), .text(id.text)])
    case .finish(let id, let result):
      try finish(id, result)
    case .reopen(let update):
      try reopen(update)
    case .pause(let pause):
      try keep(pause)
    case .hold(let hold):
      try keep(hold)
    case .release(let id):
      try run("DELETE FROM holds WHERE id = ?", [.text(id.text)])
    }
  }

  private func finish(
    _ id: UpdateID, _ result: UpdateResult, from states: [String] = ["waiting", "applying"]
  ) throws(StoreError) {
    try change(
      id, from: states,
      """
      UPDATE updates SET state = ?, exit_code = ?, message = ?, finished_at = ?, release_to_start_ms = ?, successor = ?,
        blocked = ?
      WHERE id = ? AND state IN (SELECT value FROM json_each(?))
      """,
      [
        .text(result.state.rawValue), SQLValue(result.exitCode.map(Int64.init)), .text(result.message),
        .integer(result.finishedAt.millisecondsSinceEpoch), SQLValue(result.releaseToStartMilliseconds),
        SQLValue(result.successor?.text), .text(JSONText.encode(result.blocked.milliseconds)), .text(id.text),
        .text(JSONText.encode(states)),
      ])
  }

  private func reopen(_ update: Update) throws(StoreError) {
    let states = FinalState.allCases.filter { $0 != .applied }.map(\.rawValue)
    try change(
      update.id, from: states,
      """
      UPDATE updates SET state = 'waiting', attempts = 0, exit_code = NULL, message = NULL, finished_at = NULL,
        release_to_start_ms = NULL, successor = NULL, deadline = ?, urgency = 0, setbacks = 0, retry_at = NULL,
        retry_reason = NULL, interruptions = 0, overrode = '[]', blocked = '{}'
      WHERE id = ? AND state IN (SELECT value FROM json_each(?))
      """,
      [
        SQLValue(update.deadline?.millisecondsSinceEpoch), .text(update.id.text), .text(JSONText.encode(states)),
      ])
  }

  /// `rest` is what follows the FROM clause.
  func updates(_ rest: String, _ values: [SQLValue] = []) throws(StoreError) -> [StoredUpdate] {
    try query(
      """
      SELECT sequence, id, handler, parameters, created_at, uid, pid, state, attempts, exit_code, message, finished_at,
        release_to_start_ms, place, key, priority, quiet_ms, not_before, deadline, on_deadline, successor, screen,
        urgency, setbacks, retry_at, retry_reason, boot, overrode, blocked,
        interruptions
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
        priority, quiet_ms, not_before, deadline, on_deadline, screen)
      VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', 0, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(update.sequence), .text(update.id.text), .text(update.handler),
        .text(JSONText.encode(update.parameters)), .integer(update.createdAt.millisecondsSinceEpoch),
        .integer(Int64(update.submitter.uid)), .integer(Int64(update.submitter.pid)),
        .integer(update.place), SQLValue(update.key), .integer(Int64(update.priority)),
        SQLValue(update.quietPeriod?.wholeMilliseconds), SQLValue(update.notBefore?.millisecondsSinceEpoch),
        SQLValue(update.deadline?.millisecondsSinceEpoch), .text(update.onDeadline.rawValue), SQLValue(update.screen),
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
    guard let id = UpdateID(row.text(1)), let parameters = JSONText.decode(row.text(3), as: [String: String].self),
      let uid = UInt32(exactly: row.integer(5)), let pid = Int32(exactly: row.integer(6)),
      let attempts = Int(exactly: row.integer(8)), let state = StoredUpdate.State(row),
      let priority = Int(exactly: row.integer(15)), let onDeadline = OnDeadline(rawValue: row.text(19)),
      let urgency = Int(exactly: row.integer(22)).flatMap(Urgency.init), let setbacks = Int(exactly: row.integer(23)),
      let interruptions = Int(exactly: row.integer(29)),
      let overrode = JSONText.decode(row.text(27), as: [String].self)
    else { return nil }
    let update = Update(
      id: id, handler: row.text(2), parameters: parameters,
      createdAt: WallTime(millisecondsSinceEpoch: row.integer(4)), submitter: Submitter(uid: uid, pid: pid),
      sequence: row.integer(0), place: row.optionalInteger(13), key: row.optionalText(14), priority: priority,
      quietPeriod: row.optionalInteger(16).map { .milliseconds($0) },
      notBefore: row.optionalInteger(17).map(WallTime.init(millisecondsSinceEpoch:)),
      deadline: row.optionalInteger(18).map(WallTime.init(millisecondsSinceEpoch:)), onDeadline: onDeadline,
      screen: row.optionalText(21))
    let pause = row.optionalInteger(24).map {
      Pause(until: WallTime(millisecondsSinceEpoch: $0), setbacks: setbacks, reason: row.text(25))
    }
    self.init(
      update: update, attempts: attempts, state: state, urgency: urgency, pause: pause,
      interruptions: interruptions, boot: row.text(26), overrode: overrode.compactMap(Blocker.Code.init))
  }
}

extension StoredUpdate.State {
  fileprivate init?(_ row: Row) {
    switch row.text(7) {
    case "waiting": self = .waiting
    case "applying": self = .applying
    case let name:
      guard let state = FinalState(rawValue: name), let finishedAt = row.optionalInteger(11),
        let blocked = JSONText.decode(row.text(28), as: [String: Int64].self)
      else { return nil }
      self = .finished(
        UpdateResult(
          state: state, exitCode: row.optionalInteger(9).map(Int.init), message: row.text(10),
          finishedAt: WallTime(millisecondsSinceEpoch: finishedAt),
          releaseToStartMilliseconds: row.optionalInteger(12), successor: row.optionalText(20).flatMap(UpdateID.init),
          blocked: BlockedTimes(milliseconds: blocked)))
    }
  }
}
