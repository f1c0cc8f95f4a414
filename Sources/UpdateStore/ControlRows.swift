import Scheduling
import Timeline

// The operator's pause and the holds as rows.

extension Connection {
  func keep(_ pause: OperatorPause?) throws(StoreError) {
    guard let pause else {
      try run("DELETE FROM pauses")
      return
    }
    try run(
      "INSERT OR REPLACE INTO pauses (number, since, uid, pid, reason) VALUES (1, ?, ?, ?, ?)",
      [
        .integer(pause.since.millisecondsSinceEpoch), .integer(Int64(pause.by.uid)), .integer(Int64(pause.by.pid)),
        .text(pause.reason),
      ])
  }

  /// One without an expiry is not stored here: it ends with its owner's connection.
  func keep(_ hold: Hold) throws(StoreError) {
    guard let until = hold.until else { return }
    try run(
      """
      INSERT OR REPLACE INTO holds (id, screen, uid, pid, unit, reason, since, until, span_began)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(hold.id.text), SQLValue(hold.screen), .integer(Int64(hold.owner.uid)), .integer(Int64(hold.owner.pid)),
        SQLValue(hold.unit), .text(hold.reason), .integer(hold.since.millisecondsSinceEpoch),
        .integer(until.milliseconds), .integer(hold.spanBegan.milliseconds),
      ])
  }

  func keep(_ clock: SteadyClock.Record) throws(StoreError) {
    try run(
      """
      INSERT OR REPLACE INTO clock (number, boot, since_boot, steady, known_boot, known_wall, known_steady)
      VALUES (1, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(clock.boot), .integer(clock.sinceBoot.wholeMilliseconds), .integer(clock.steady.milliseconds),
        SQLValue(clock.known?.boot), SQLValue(clock.known?.wall.millisecondsSinceEpoch),
        SQLValue(clock.known?.steady.milliseconds),
      ])
  }

  func clock() throws(StoreError) -> SteadyClock.Record? {
    try query("SELECT boot, since_boot, steady, known_boot, known_wall, known_steady FROM clock") { row in
      var known: SteadyClock.Known?
      if let boot = row.optionalText(3), let wall = row.optionalInteger(4), let steady = row.optionalInteger(5) {
        known = SteadyClock.Known(
          boot: boot, wall: WallTime(millisecondsSinceEpoch: wall), steady: SteadyTime(milliseconds: steady))
      }
      return SteadyClock.Record(
        boot: row.text(0), sinceBoot: .milliseconds(row.integer(1)), steady: SteadyTime(milliseconds: row.integer(2)),
        known: known)
    }.first
  }

  func pause() throws(StoreError) -> OperatorPause? {
    try query("SELECT since, uid, pid, reason FROM pauses") { row in
      OperatorPause(since: row.time(0), by: row.submitter(1), reason: row.text(3))
    }.first
  }

  func holds() throws(StoreError) -> [Hold] {
    try query(
      "SELECT id, screen, uid, pid, unit, reason, since, until, span_began FROM holds ORDER BY since, id"
    ) { row in
      HoldID(row.text(0)).map {
        Hold(
          id: $0, screen: row.optionalText(1), owner: row.submitter(2), unit: row.optionalText(4), reason: row.text(5),
          since: row.time(6), until: SteadyTime(milliseconds: row.integer(7)),
          spanBegan: SteadyTime(milliseconds: row.integer(8)))
      }
    }.compactMap(\.self)
  }

  func keep(_ bound: BoundHold) throws(StoreError) {
    let hold = bound.hold
    try run(
      """
      INSERT OR REPLACE INTO bound_holds (id, screen, uid, pid, unit, reason, since, start_ticks, boot, ends)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(hold.id.text), SQLValue(hold.screen), .integer(Int64(hold.owner.uid)), .integer(Int64(hold.owner.pid)),
        SQLValue(hold.unit), .text(hold.reason), .integer(hold.since.millisecondsSinceEpoch),
        SQLValue(bound.startTicks.map { Int64(bitPattern: $0) }), .text(bound.boot),
        SQLValue(hold.ends?.milliseconds),
      ])
  }

  func boundHolds() throws(StoreError) -> [BoundHold] {
    try query(
      "SELECT id, screen, uid, pid, unit, reason, since, start_ticks, boot, ends FROM bound_holds ORDER BY since, id"
    ) { row in
      HoldID(row.text(0)).map {
        BoundHold(
          hold: Hold(
            id: $0, screen: row.optionalText(1), owner: row.submitter(2), unit: row.optionalText(4),
            reason: row.text(5), since: row.time(6), until: nil,
            ends: row.optionalInteger(9).map(SteadyTime.init(milliseconds:))),
          startTicks: row.optionalInteger(7).map { UInt64(bitPattern: $0) }, boot: row.text(8))
      }
    }.compactMap(\.self)
  }

  /// Reboots by updates of these handlers since that time.
  func reboots(of handlers: [String], since: WallTime) throws(StoreError) -> [Reboot] {
    try query(
      """
      SELECT handler, finished_at FROM updates
      WHERE finished_at >= ? AND state = 'applied' AND handler IN (SELECT value FROM json_each(?))
      """, [.integer(since.millisecondsSinceEpoch), .text(JSONText.encode(handlers))]
    ) { row in
      Reboot(handler: row.text(0), at: row.time(1))
    }
  }
}

extension Row {
  fileprivate func time(_ column: Int32) -> WallTime { WallTime(millisecondsSinceEpoch: integer(column)) }

  fileprivate func submitter(_ column: Int32) -> Submitter {
    Submitter(
      uid: UInt32(truncatingIfNeeded: integer(column)), pid: Int32(truncatingIfNeeded: integer(column + 1)))
  }
}
