public import Scheduling
public import Timeline

/// The durable queue and its history: an SQLite database (write-ahead log, synchronous=FULL). When `perform` returns,
/// its writes survive a crash of the service and of the machine. For one thread and one service at a time.
public final class QueueStore {
  /// Messages about the opening, such as a damaged file that was set aside, for the log and `status`; usually empty.
  public let notices: [String]

  private let connection: Connection
  private let files: StoreFiles
  /// Of the files when they were opened.
  private let identities: [StoreFiles.Identity?]
  private let pageLimit: Int?
  /// Limits of the history; a change takes effect at the next `prune`.
  public var limits: HistoryLimits
  private var tally: Tally
  /// A new update was refused, or spare pages could not be reserved.
  private var wasFull = false
  /// The log has its full size, so that commits have room even if the database uses up the rest of the disk.
  private var hasLog = false

  /// Opens the store, or creates it (mode 0600) if there is none; its folder must exist. An older schema is brought
  /// up to date. A file that is damaged (quick_check, which reads all of it; the text of the schema; each update) or not
  /// a database is renamed to `PATH.damaged-TIME`, with its `-wal` and `-shm`; the queue is then empty, and `notices`
  /// reports it. Writes that are lost because the log is damaged are reported, too, and the log is copied.
  ///
  /// - Parameters:
  ///   - now: names a file that is set aside.
  ///   - keep: the history's limits; see `prune`.
  ///   - pageLimit: the file's largest size in pages of 4 KiB, for quotas and tests; beyond it `diskFull`. Nil: none.
  public init(
    path: String, now: WallTime, keep limits: HistoryLimits = HistoryLimits(), pageLimit: Int? = nil
  ) throws(StoreError) {
    self.pageLimit = pageLimit
    self.limits = limits
    files = StoreFiles(path: path)
    var damaged: Connection?
    var notices: [String] = []
    do throws(StoreError) {
      try files.create()
      // SQLite reads the log up to the first frame that is damaged, silently.
      if let damage = LogDamage(path: path + "-wal") {
        let copy = files.copyLog(now: now).map { "; the log was copied to \($0)" } ?? ""
        notices.append("the log \(path)-wal of the queue is damaged: \(damage)\(copy)")
      }
      var opened = try Connection(path: path)
      damaged = opened
      do throws(StoreError) {
        tally = try Schema.prepare(opened, pageLimit: pageLimit)
      } catch .diskFull {
        // Not even the -shm file can be created; in exclusive mode SQLite needs none.
        opened = try Connection(path: path)
        damaged = opened
        try opened.execute("PRAGMA locking_mode = EXCLUSIVE")
        tally = try Schema.prepare(opened, pageLimit: pageLimit)
      }
      connection = opened
    } catch {
      guard case .damaged(path: _, let reason) = error else { throw error }
      // Renamed while open: closing it first would copy the log into the damaged file and delete the log.
      let aside = try files.setAside(now: now)
      try? damaged?.close()
      try files.create()
      connection = try Connection(path: path)
      tally = try Schema.prepare(connection, pageLimit: pageLimit)
      notices.append(
        "the queue \(path) was damaged (\(reason)) and renamed to \(aside); the new queue is empty, "
          + "and updates that were waiting are not applied: submit them again")
    }
    self.notices = notices
    connection.wait(.running)
    identities = files.identities
    hasLog = connection.prepareLog()
    wasFull = !hasLog
  }

  /// Copies the log into the database and closes it. `deinit` does the same, but cannot report errors. Afterwards every
  /// call throws `closed`.
  public func close() throws(StoreError) {
    try connection.close()
  }

  /// Does all writes in one transaction: all are durable when it returns, none is done when it throws. `beginApplying`
  /// requires a waiting update, `backToWaiting` one that is being applied, `finish` either. A sequence number that is
  /// already used throws `other`. An update that ends drops its payload unless it can be retried (failed, cancelled,
  /// expired); each end also removes at most two older updates beyond the limits of the history.
  ///
  /// Throws `removed` if somebody asked for a write and the file is no longer there. What is already waiting goes on: its
  /// writes are lost with the file.
  ///
  /// On a full disk only new updates are refused (`diskFull`). Other writes use reserved room (`StoreRoom`); when that
  /// runs low, the oldest updates of the history are removed.
  ///
  /// - Parameter clock: what the clocks say, stored with it; nil: nothing of that.
  public func perform(_ writes: [StoreWrite], at clock: SteadyClock.Record? = nil) throws(StoreError) {
    if writes.isEmpty { return }
    if writes.contains(where: \.isAsked), files.identities != identities { throw .removed(path: connection.path) }
    let isNew = writes.contains(where: \.bringsUpdate)
    // A new update may use up the disk, so the log gets its full size first.
    if isNew && !hasLog {
      hasLog = connection.prepareLog()
      if !hasLog { throw .diskFull(path: connection.path) }
    }
    do throws(StoreError) {
      try commit(writes, clock, isNew: isNew)
    } catch .diskFull {
      wasFull = true
      if isNew { throw .diskFull(path: connection.path) }
      // The log is full: its content is copied into the database, and it starts again from its beginning.
      _ = try connection.query("PRAGMA wal_checkpoint(PASSIVE)") { _ in }
      try commit(writes, clock, isNew: false)
    }
  }

  private func commit(_ writes: [StoreWrite], _ clock: SteadyClock.Record?, isNew: Bool) throws(StoreError) {
    var tally = tally
    var spare = 0
    try connection.transaction { () throws(StoreError) in
      if !isNew, wasFull { try connection.letHistoryGiveWay(&tally) }
      if let clock { try connection.keep(clock) }
      for write in writes {
        try connection.perform(write, &tally)
        guard let end = write.end else { continue }
        _ = try connection.prune(limits, end.finishedAt, batch: 2, &tally)
      }
      spare = try connection.takeRoom(pageLimit: pageLimit)
      if spare < StoreRoom.fewPages, try connection.dropPayloads(StoreRoom.historyStep, beyond: 0, &tally) > 0 {
        spare = try connection.sparePages()
      }
      if isNew && spare < StoreRoom.fewPages { throw .diskFull(path: connection.path) }
    }
    self.tally = tally
    if spare < StoreRoom.fewPages { wasFull = true } else if isNew { wasFull = false }
  }

  public var path: String { files.path }

  /// Whether the file was removed or replaced since it was opened; then nothing new is accepted.
  public var isRemoved: Bool { files.identities != identities }

  /// Whether new updates are refused because the disk is full. If they were, tries again to reserve room.
  public var isFull: Bool {
    if wasFull {
      hasLog = hasLog || connection.prepareLog()
      wasFull = !hasLog || !connection.canGrow(pageLimit: pageLimit)
    }
    return wasFull
  }

  // MARK: History

  /// Removes ended updates beyond the history's limits, a few at a time, in a transaction of its own. Returns whether
  /// there may be more.
  public func prune(_ now: WallTime) throws(StoreError) -> Bool {
    var tally = tally
    var count = 0
    try connection.transaction { () throws(StoreError) in
      count = try connection.prune(limits, now, batch: Self.pruneBatch, &tally)
      _ = try connection.takeRoom(pageLimit: pageLimit)
    }
    self.tally = tally
    return count >= Self.pruneBatch
  }

  private static let pruneBatch = 100

  /// When the oldest update of the history will be too old; nil: there is none, or it is kept for ever.
  public func historyDue() throws(StoreError) -> WallTime? {
    if limits.age == .forever { return nil }
    let oldest = try connection.query(
      "SELECT finished_at FROM updates WHERE finished_at >= ? ORDER BY finished_at LIMIT 1",
      [.integer(limits.earliest.millisecondsSinceEpoch)]
    ) { row in WallTime(millisecondsSinceEpoch: row.integer(0)) }
    return oldest.first.map { $0 + limits.age }
  }

  // MARK: Queries

  /// All updates that are waiting or being applied, by sequence.
  public func unfinished() throws(StoreError) -> [StoredUpdate] {
    try connection.updates("WHERE state IN ('waiting', 'applying') ORDER BY sequence")
  }

  /// The operator's pause; nil: there is none.
  public func pause() throws(StoreError) -> OperatorPause? { try connection.pause() }

  /// Holds with a time to live, including expired ones.
  public func holds() throws(StoreError) -> [Hold] { try connection.holds() }

  /// Holds and turns that were bound to a connection.
  public func boundHolds() throws(StoreError) -> [BoundHold] { try connection.boundHolds() }

  /// At most `limit` updates that are waiting or being applied, oldest first.
  public func oldestUnfinished(limit: Int) throws(StoreError) -> [StoredUpdate] {
    try connection.updates(
      "WHERE state IN ('waiting', 'applying') ORDER BY sequence LIMIT ?", [.integer(Int64(max(0, limit)))])
  }

  /// At most `limit` updates that ended without being applied since that time, newest first.
  public func unapplied(since: WallTime, limit: Int) throws(StoreError) -> [StoredUpdate] {
    try connection.updates(
      "WHERE finished_at >= ? AND state != 'applied' ORDER BY finished_at DESC, sequence DESC LIMIT ?",
      [.integer(since.millisecondsSinceEpoch), .integer(Int64(max(0, limit)))])
  }

  /// What the clocks said at the last write that stored it; nil: none did.
  public func clock() throws(StoreError) -> SteadyClock.Record? { try connection.clock() }

  /// Stores what the clocks say.
  public func keep(clock: SteadyClock.Record) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      try connection.keep(clock)
      _ = try connection.takeRoom(pageLimit: pageLimit)
    }
  }

  /// Stores how long each blocker has blocked each waiting update, and what the clocks say, in one transaction; called
  /// when the service stops.
  public func keep(
    blocked: [UpdateID: BlockedTimes], at clock: SteadyClock.Record? = nil
  ) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      if let clock { try connection.keep(clock) }
      for (id, times) in blocked {
        try connection.run(
          "UPDATE updates SET blocked = ? WHERE id = ? AND finished_at IS NULL",
          [.text(times.column), .text(id.text)])
      }
      _ = try connection.takeRoom(pageLimit: pageLimit)
    }
  }

  /// Screens that the machine has had.
  public func screens() throws(StoreError) -> [StoredScreen] {
    try connection.query("SELECT name, boots, boot, hardware FROM screens ORDER BY name") { row in
      StoredScreen(
        name: row.text(0), boots: Int(truncatingIfNeeded: row.integer(1)), boot: row.text(2),
        hardware: row.optionalText(3))
    }
  }

  /// Adds or replaces rows by name, and removes others.
  public func remember(screens: [StoredScreen], forget: Set<String>) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      for screen in screens {
        try connection.run(
          "INSERT OR REPLACE INTO screens (name, boots, boot, hardware) VALUES (?, ?, ?, ?)",
          [.text(screen.name), .integer(Int64(screen.boots)), .text(screen.boot), SQLValue(screen.hardware)])
      }
      for name in forget { try connection.run("DELETE FROM screens WHERE name = ?", [.text(name)]) }
      _ = try connection.takeRoom(pageLimit: pageLimit)
    }
  }

  /// Updates of these handlers that were applied since that time: for handlers that reboot, one reboot each.
  public func reboots(of handlers: [String], since: WallTime) throws(StoreError) -> [Reboot] {
    try connection.reboots(of: handlers, since: since)
  }

  /// A later update with the same handler and key, of this user (nil: of any), that was applied, is being applied, or is waiting: applying the older
  /// one now would undo it. Nil: there is none, or the update has no key.
  public func newer(than update: Update, ofUser uid: UInt32?) throws(StoreError) -> UpdateID? {
    guard let key = update.key else { return nil }
    return try connection.query(
      """
      SELECT id FROM updates WHERE handler = ?1 AND key = ?2 AND sequence > ?3 AND (?4 IS NULL OR uid = ?4)
        AND state IN ('waiting', 'applying', 'applied')
      ORDER BY sequence DESC LIMIT 1
      """, [.text(update.handler), .text(key), .integer(update.sequence), SQLValue(uid.map(Int64.init))]
    ) { row in UpdateID(row.text(0)) }.first ?? nil
  }

  /// Nil: there is no update with this id.
  public func find(_ id: UpdateID) throws(StoreError) -> StoredUpdate? {
    try connection.updates("WHERE id = ?", [.text(id.text)]).first
  }

  /// The update that this user calls so; nil: there is none.
  public func find(_ name: ClientID, ofUser uid: UInt32) throws(StoreError) -> StoredUpdate? {
    try connection.find(name, ofUser: uid)
  }

  /// At most `limit` updates that clients call so, each of another user, by user.
  public func named(_ name: ClientID, limit: Int) throws(StoreError) -> [StoredUpdate] {
    try connection.updates(
      "WHERE client_id = ? ORDER BY uid LIMIT ?", [.text(name.text), .integer(Int64(max(0, limit)))])
  }

  /// The payload as it was accepted; empty if there was none. Nil: there is no update with this id, or it has ended and
  /// its payload was dropped.
  public func payload(of id: UpdateID) throws(StoreError) -> [UInt8]? {
    try connection.query(
      "SELECT bytes FROM payloads JOIN updates USING (sequence) WHERE id = ?", [.text(id.text)]
    ) { row in row.blob(0) }.first
  }

  /// At most `limit`, newest first (by sequence). `states`: names of `StoredUpdate.State`; nil means all.
  public func list(states: Set<String>?, limit: Int) throws(StoreError) -> [StoredUpdate] {
    let limit = SQLValue.integer(Int64(max(0, limit)))
    guard let states else { return try connection.updates("ORDER BY sequence DESC LIMIT ?", [limit]) }
    return try connection.updates(
      "WHERE state IN (SELECT value FROM json_each(?)) ORDER BY sequence DESC LIMIT ?",
      [.text(JSONText.encode(states.sorted())), limit])
  }

  /// How many updates are in each state, by its name, including those with 0. Maintained on each write.
  public var counts: [String: Int] { tally.states }

  /// The update that ended last, by the time of its end. Nil: none has ended yet.
  public func lastFinished() throws(StoreError) -> StoredUpdate? {
    try connection.updates("WHERE finished_at IS NOT NULL ORDER BY finished_at DESC, sequence DESC LIMIT 1").first
  }

  /// The highest sequence + 1; 1 for an empty store.
  public func nextSequence() throws(StoreError) -> Int64 {
    try connection.query("SELECT COALESCE(MAX(sequence), 0) + 1 FROM updates") { row in row.integer(0) }.first ?? 1
  }
}
