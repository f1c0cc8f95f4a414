import CSQLite
import Scheduling
import Timeline

// Writes updates as rows, changes the rows, and reads them back.

extension Connection {
  func perform(_ write: StoreWrite, _ tally: inout Tally) throws(StoreError) {
    switch write {
    case .accept(let update, let payload):
      try insert(update, payload, &tally)
    case .replace(let old, let result, with: let update, let payload):
      try finish(old, result, from: ["waiting"], &tally)
      try insert(update, payload, &tally)
    case .acceptEnded(let update, let payload, let result):
      try insert(update, payload, &tally)
      try finish(update.id, result, &tally)
    case .beginApplying(let id, let attempt, let boot, let overrode):
      try change(
        id, from: ["waiting"], to: "applying", "attempts = ?, boot = ?, overrode = ?",
        [.integer(Int64(attempt)), .text(boot), .text(JSONText.encode(overrode.map(\.rawValue)))], &tally)
    case .backToWaiting(let id, let attempts, let backoff, let interruptions):
      // A failure ends an expedite by `apply`, not one by `force`.
      try change(
        id, from: ["applying"], to: "waiting",
        """
        attempts = ?1, setbacks = ?2, retry_at = ?3, retry_reason = ?4, interruptions = ?5,
          urgency = CASE WHEN ?3 IS NOT NULL AND urgency = 1 THEN 0 ELSE urgency END
        """,
        [
          .integer(Int64(attempts)), .integer(Int64(backoff?.setbacks ?? 0)),
          SQLValue(backoff?.until.milliseconds), SQLValue(backoff?.reason), .integer(Int64(interruptions)),
        ], &tally)
    case .expedite(let id, let expedited):
      try change(
        id, from: ["waiting", "applying"], to: nil,
        "urgency = MAX(urgency, ?), setbacks = 0, retry_at = NULL, retry_reason = NULL",
        [.integer(Int64(expedited.rawValue))], &tally)
    case .finish(let id, let result):
      try finish(id, result, &tally)
    case .reopen(let update):
      try reopen(update, &tally)
    case .retime(let update):
      try change(
        update.id, from: ["waiting", "applying"], to: nil,
        "not_before = ?, not_before_clock = ?, deadline = ?, deadline_clock = ?",
        update.notBefore.columns + update.deadline.columns, &tally)
    case .pause(let pause):
      try keep(pause)
    case .hold(let hold):
      try keep(hold)
    case .bind(let bound):
      try keep(bound)
    case .release(let id):
      try run("DELETE FROM holds WHERE id = ?", [.text(id.text)])
      try run("DELETE FROM bound_holds WHERE id = ?", [.text(id.text)])
    }
  }

  private func finish(
    _ id: UpdateID, _ result: UpdateResult, from states: [String] = ["waiting", "applying"], _ tally: inout Tally
  ) throws(StoreError) {
    let sequence = try change(
      id, from: states, to: result.state.rawValue,
      "exit_code = ?, message = ?, finished_at = ?, release_to_start_ms = ?, successor = ?, blocked = ?",
      [
        SQLValue(result.exitCode.map(Int64.init)), .text(result.message),
        .integer(result.finishedAt.millisecondsSinceEpoch), SQLValue(result.releaseToStartMilliseconds),
        SQLValue(result.successor?.text), .text(result.blocked.column),
      ], &tally)
    guard result.state.keepsPayload else {
      try run("DELETE FROM payloads WHERE sequence = ?", [.integer(sequence)])
      return
    }
    let size = try query(
      "SELECT LENGTH(bytes), uid FROM payloads JOIN updates USING (sequence) WHERE sequence = ?", [.integer(sequence)]
    ) { row in (row.integer(0), UInt32(truncatingIfNeeded: row.integer(1))) }
    guard let (kept, uid) = size.first, kept > 0 else { return }
    try run("UPDATE updates SET kept = ? WHERE sequence = ?", [.integer(kept), .integer(sequence)])
    tally.keep(Int(kept), ofUser: uid)
  }

  private func reopen(_ update: Update, _ tally: inout Tally) throws(StoreError) {
    let sequence = try change(
      update.id, from: FinalState.allCases.filter { $0 != .applied }.map(\.rawValue), to: "waiting",
      """
      attempts = 0, exit_code = NULL, message = NULL, finished_at = NULL, release_to_start_ms = NULL, successor = NULL,
        deadline = ?, deadline_clock = ?, urgency = 0, setbacks = 0, retry_at = NULL, retry_reason = NULL,
        interruptions = 0, overrode = '[]', blocked = ''
      """, update.deadline.columns, &tally)
    guard try payload(sequence: sequence) != nil else { throw .payloadGone(update.id) }
    let kept = try query("SELECT kept, uid FROM updates WHERE sequence = ?", [.integer(sequence)]) { row in
      (Int(row.integer(0)), UInt32(truncatingIfNeeded: row.integer(1)))
    }
    try run("UPDATE updates SET kept = 0 WHERE sequence = ?", [.integer(sequence)])
    if let (bytes, uid) = kept.first { tally.keep(-bytes, ofUser: uid) }
  }

  func payload(sequence: Int64) throws(StoreError) -> [UInt8]? {
    try query("SELECT bytes FROM payloads WHERE sequence = ?", [.integer(sequence)]) { row in row.blob(0) }.first
  }

  /// The update that this user calls so.
  func find(_ name: ClientID, ofUser uid: UInt32) throws(StoreError) -> StoredUpdate? {
    try updates("WHERE uid = ? AND client_id = ?", [.integer(Int64(uid)), .text(name.text)]).first
  }

  /// Changes one row. `to` nil keeps its state. `assignments` are those of an UPDATE, with `values`. Returns its
  /// sequence.
  @discardableResult
  private func change(
    _ id: UpdateID, from allowed: [String], to new: String?, _ assignments: String, _ values: [SQLValue],
    _ tally: inout Tally
  ) throws(StoreError) -> Int64 {
    let found = try query("SELECT sequence, state, uid FROM updates WHERE id = ?", [.text(id.text)]) { row in
      (sequence: row.integer(0), state: row.text(1), uid: UInt32(truncatingIfNeeded: row.integer(2)))
    }
    guard let (sequence, state, uid) = found.first else { throw .unknownID(id) }
    guard allowed.contains(state) else { throw .wrongState(id, state: state, allowed: allowed) }
    try run(
      "UPDATE updates SET \(assignments), state = ?\(values.count + 1) WHERE sequence = ?\(values.count + 2)",
      values + [.text(new ?? state), .integer(sequence)])
    tally.move(from: state, to: new ?? state, ofUser: uid)
    return sequence
  }

  /// `rest` is what follows the FROM clause.
  func updates(_ rest: String, _ values: [SQLValue] = []) throws(StoreError) -> [StoredUpdate] {
    try query(Self.select + rest, values) { row throws(StoreError) in try update(row) }
  }

  /// Reads all rows. Throws `damaged` if one has values that this program does not write.
  func checkUpdates() throws(StoreError) {
    _ = try query(Self.select) { row throws(StoreError) in _ = try update(row) }
  }

  private func update(_ row: Row) throws(StoreError) -> StoredUpdate {
    guard let update = StoredUpdate(row) else {
      throw .damaged(path: path, message: "update number \(row.integer(0)) has invalid values")
    }
    return update
  }

  private static let select = """
    SELECT sequence, id, handler, parameters, created_at, uid, pid, state, attempts, exit_code, message, finished_at,
      release_to_start_ms, place, key, priority, quiet_ms, not_before, deadline, on_deadline, successor, screen,
      urgency, setbacks, retry_at, retry_reason, boot, overrode, blocked,
      interruptions, size, content, client_id, groups, not_before_clock, deadline_clock,
      spans_began
    FROM updates\u{20}
    """

  private func insert(_ update: Update, _ payload: [UInt8], _ tally: inout Tally) throws(StoreError) {
    let same = try query("SELECT COUNT(*) FROM updates WHERE id = ?", [.text(update.id.text)]) { row in row.integer(0) }
    guard same == [0] else { throw .duplicateID(update.id) }
    if let name = update.clientID, try find(name, ofUser: update.submitter.uid) != nil {
      throw .duplicateClientID(name, uid: update.submitter.uid)
    }
    try run(
      """
      INSERT INTO updates (sequence, id, handler, parameters, created_at, uid, pid, state, attempts, place, key,
        priority, quiet_ms, not_before, not_before_clock, deadline, deadline_clock, on_deadline, screen, size, content,
        client_id, groups, spans_began)
      VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(update.sequence), .text(update.id.text), .text(update.handler),
        .text(JSONText.encode(update.parameters)), .integer(update.createdAt.millisecondsSinceEpoch),
        .integer(Int64(update.submitter.uid)), .integer(Int64(update.submitter.pid)),
        .integer(update.place), SQLValue(update.key), .integer(Int64(update.priority)),
        SQLValue(update.quietPeriod?.wholeMilliseconds),
      ] + update.notBefore.columns + update.deadline.columns + [
        .text(update.onDeadline.rawValue), SQLValue(update.screen),
        .integer(Int64(update.size)), SQLValue(update.content), SQLValue(update.clientID?.text),
        SQLValue(update.submitter.groups?.map(String.init).joined(separator: " ")),
        .integer(update.spansBegan.milliseconds),
      ])
    try run("INSERT INTO payloads (sequence, bytes) VALUES (?, ?)", [.integer(update.sequence), .blob(payload)])
    tally.move(from: nil, to: "waiting", ofUser: update.submitter.uid)
  }
}

extension Moment? {
  /// Its two columns.
  fileprivate var columns: [SQLValue] {
    switch self {
    case nil: [.null, .text("wall")]
    case .wall(let time): [.integer(time.millisecondsSinceEpoch), .text("wall")]
    case .steady(let time): [.integer(time.milliseconds), .text("steady")]
    case .daily(let time): [.integer(Int64(time.minutes)), .text("daily")]
    }
  }

  /// Nil: columns that this program does not write.
  fileprivate init?(_ number: Int64?, _ clock: String) {
    switch (number, clock) {
    case (nil, "wall"): self = nil
    case (let number?, "wall"): self = .wall(WallTime(millisecondsSinceEpoch: number))
    case (let number?, "steady"): self = .steady(SteadyTime(milliseconds: number))
    case (let number?, "daily"):
      guard let minutes = Int(exactly: number), let time = TimeOfDay(minutes: minutes) else { return nil }
      self = .daily(time)
    default: return nil
    }
  }
}

extension StoredUpdate {
  /// Reads the columns of `Connection.updates`. Nil: a value that this program does not write.
  fileprivate init?(_ row: Row) {
    guard let id = UpdateID(row.text(1)), let parameters = JSONText.parameters(row.text(3)),
      let uid = UInt32(exactly: row.integer(5)), let pid = Int32(exactly: row.integer(6)),
      let attempts = Int(exactly: row.integer(8)), let state = StoredUpdate.State(row),
      let priority = Int(exactly: row.integer(15)), let onDeadline = OnDeadline(rawValue: row.text(19)),
      let expedited = Int(exactly: row.integer(22)).flatMap(Expedited.init),
      let setbacks = Int(exactly: row.integer(23)),
      let interruptions = Int(exactly: row.integer(29)),
      let overrode = JSONText.list(row.text(27)), let size = Int(exactly: row.integer(30)),
      let notBefore = Moment?(row.optionalInteger(17), row.text(34)),
      let deadline = Moment?(row.optionalInteger(18), row.text(35))
    else { return nil }
    let update = Update(
      id: id, handler: row.text(2), parameters: parameters,
      createdAt: WallTime(millisecondsSinceEpoch: row.integer(4)),
      submitter: Submitter(
        uid: uid, pid: pid, groups: row.optionalText(33).map { $0.split(separator: " ").compactMap { UInt32($0) } }),
      sequence: row.integer(0), place: row.optionalInteger(13), key: row.optionalText(14), priority: priority,
      quietPeriod: row.optionalInteger(16).map { .milliseconds($0) },
      notBefore: notBefore, deadline: deadline, onDeadline: onDeadline,
      screen: row.optionalText(21), size: size, content: row.optionalText(31),
      clientID: row.optionalText(32).flatMap(ClientID.init),
      spansBegan: SteadyTime(milliseconds: row.integer(36)))
    let backoff = row.optionalInteger(24).map {
      StoredBackoff(until: SteadyTime(milliseconds: $0), setbacks: setbacks, reason: row.text(25))
    }
    self.init(
      update: update, attempts: attempts, state: state, expedited: expedited, backoff: backoff,
      interruptions: interruptions, boot: row.text(26), overrode: overrode.compactMap(Blocker.Code.init),
      blocked: BlockedTimes(column: row.text(28)))
  }
}

extension StoredUpdate.State {
  fileprivate init?(_ row: Row) {
    switch row.text(7) {
    case "waiting": self = .waiting
    case "applying": self = .applying
    case let name:
      guard let state = FinalState(rawValue: name), let finishedAt = row.optionalInteger(11) else {
        return nil
      }
      self = .finished(
        UpdateResult(
          state: state, exitCode: row.optionalInteger(9).map(Int.init), message: row.text(10),
          finishedAt: WallTime(millisecondsSinceEpoch: finishedAt),
          releaseToStartMilliseconds: row.optionalInteger(12), successor: row.optionalText(20).flatMap(UpdateID.init),
          blocked: BlockedTimes(column: row.text(28))))
    }
  }
}
