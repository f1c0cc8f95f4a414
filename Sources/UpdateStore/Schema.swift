import CSQLite

/// The tables, and the steps that migrate an older file. `PRAGMA user_version` is the number of steps a file has.
enum Schema {
  /// Append only: a released step must not change.
  static let steps = [
    // The payload has its own table: an UPDATE rewrites the whole row, and a payload may have a mebibyte.
    // Parameters are a JSON object of strings. Times are milliseconds since 1970. The columns from exit_code on are
    // the result and NULL until there is one.
    """
    CREATE TABLE updates (
      sequence INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      handler TEXT NOT NULL,
      parameters TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      uid INTEGER NOT NULL,
      pid INTEGER NOT NULL,
      state TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      exit_code INTEGER,
      message TEXT,
      finished_at INTEGER,
      release_to_start_ms INTEGER,
      CHECK ((finished_at IS NULL) = (state IN ('waiting', 'applying'))),
      CHECK ((finished_at IS NULL) = (message IS NULL))
    ) STRICT;
    CREATE INDEX updates_by_state ON updates (state, sequence);
    CREATE INDEX updates_by_finish ON updates (finished_at, sequence) WHERE finished_at IS NOT NULL;
    CREATE TABLE payloads (
      sequence INTEGER PRIMARY KEY REFERENCES updates,
      bytes BLOB NOT NULL
    ) STRICT;
    """,
    // The options of an update, times in milliseconds, and its successor.
    """
    ALTER TABLE updates ADD COLUMN place INTEGER;
    ALTER TABLE updates ADD COLUMN key TEXT;
    ALTER TABLE updates ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE updates ADD COLUMN quiet_ms INTEGER;
    ALTER TABLE updates ADD COLUMN not_before INTEGER;
    ALTER TABLE updates ADD COLUMN deadline INTEGER;
    ALTER TABLE updates ADD COLUMN on_deadline TEXT NOT NULL DEFAULT 'expire';
    ALTER TABLE updates ADD COLUMN successor TEXT;
    """,
    // State that survives a restart: who expedited an update, its backoff, the boot it was started in, and how long
    // each blocker has blocked it (`touched 41000 hold 5`, in milliseconds). `pauses` has at most one row, the
    // operator's.
    """
    ALTER TABLE updates ADD COLUMN screen TEXT;
    ALTER TABLE updates ADD COLUMN urgency INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE updates ADD COLUMN setbacks INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE updates ADD COLUMN retry_at INTEGER;
    ALTER TABLE updates ADD COLUMN retry_reason TEXT;
    ALTER TABLE updates ADD COLUMN interruptions INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE updates ADD COLUMN boot TEXT NOT NULL DEFAULT '';
    ALTER TABLE updates ADD COLUMN overrode TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE updates ADD COLUMN blocked TEXT NOT NULL DEFAULT '';
    CREATE INDEX updates_by_key ON updates (handler, key, sequence) WHERE key IS NOT NULL;
    CREATE TABLE pauses (
      number INTEGER PRIMARY KEY CHECK (number = 1),
      since INTEGER NOT NULL,
      uid INTEGER NOT NULL,
      pid INTEGER NOT NULL,
      reason TEXT NOT NULL
    ) STRICT;
    CREATE TABLE screens (name TEXT PRIMARY KEY) STRICT;
    CREATE TABLE holds (
      id TEXT PRIMARY KEY,
      screen TEXT,
      uid INTEGER NOT NULL,
      pid INTEGER NOT NULL,
      unit TEXT,
      reason TEXT NOT NULL,
      since INTEGER NOT NULL,
      until INTEGER NOT NULL
    ) STRICT;
    """,
    // `size`: payload and parameters, in bytes. `content`: a digest of the whole request. `kept`: bytes of payload that
    // an ended update still has. `room` is always empty (StoreRoom).
    """
    ALTER TABLE updates ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE updates ADD COLUMN content TEXT;
    ALTER TABLE updates ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
    UPDATE updates SET size = LENGTH(CAST(parameters AS BLOB))
      + COALESCE((SELECT LENGTH(bytes) FROM payloads WHERE payloads.sequence = updates.sequence), 0);
    UPDATE updates SET kept =
      COALESCE((SELECT LENGTH(bytes) FROM payloads WHERE payloads.sequence = updates.sequence), 0)
      WHERE finished_at IS NOT NULL;
    CREATE INDEX updates_with_payload ON updates (finished_at, sequence, kept) WHERE kept > 0;
    CREATE TABLE room (bytes BLOB NOT NULL) STRICT;
    """,
    // In how many boots a screen was read (at most 2), the last of them, and what identifies its hardware. Screens of
    // before count from their next boot on: some of them were never read.
    """
    ALTER TABLE screens ADD COLUMN boots INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE screens ADD COLUMN boot TEXT NOT NULL DEFAULT '';
    ALTER TABLE screens ADD COLUMN hardware TEXT;
    """,
    // `client_id`: what the client calls it. `groups`: those of the submitter (`1000 27`); NULL: not known. Until now the
    // client's id was the only one: both ids are that. One that begins with `-`, `.` or `_` is valid no more, and such an
    // update gets an id in the form of a ULID. A count of each user's history needs an index.
    """
    ALTER TABLE updates ADD COLUMN client_id TEXT;
    ALTER TABLE updates ADD COLUMN groups TEXT;
    UPDATE updates SET client_id = id;
    UPDATE updates SET id = printf('%010d', sequence % 10000000000) || hex(randomblob(8))
      WHERE id GLOB '[^A-Za-z0-9]*';
    UPDATE updates SET successor = (SELECT new.id FROM updates AS new WHERE new.client_id = updates.successor)
      WHERE successor GLOB '[^A-Za-z0-9]*';
    UPDATE updates SET client_id = NULL WHERE client_id GLOB '[^A-Za-z0-9]*';
    CREATE UNIQUE INDEX updates_by_client_id ON updates (uid, client_id) WHERE client_id IS NOT NULL;
    CREATE INDEX updates_named ON updates (client_id) WHERE client_id IS NOT NULL;
    CREATE INDEX updates_by_user ON updates (uid, finished_at, sequence) WHERE finished_at IS NOT NULL;
    DROP INDEX updates_with_payload;
    CREATE INDEX updates_with_payload ON updates (uid, finished_at, sequence, kept) WHERE kept > 0;
    """,
    // Holds and turns that last as long as the connection of a process (`start_ticks`: when it was started; NULL: not
    // known).
    """
    CREATE TABLE bound_holds (
      id TEXT PRIMARY KEY,
      screen TEXT,
      uid INTEGER NOT NULL,
      pid INTEGER NOT NULL,
      unit TEXT,
      reason TEXT NOT NULL,
      since INTEGER NOT NULL,
      start_ticks INTEGER,
      boot TEXT NOT NULL
    ) STRICT;
    """,
    // What `not_before` and `deadline` are: `wall`, milliseconds since 1970; `steady`, milliseconds of the steady clock;
    // `daily`, minutes since midnight. `until` of holds and `retry_at` are of the steady clock, which begins with the time
    // of day of its first start; so are `spans_began`, `span_began` and `ends`. `clock` has at most one row, about the last write.
    """
    ALTER TABLE updates ADD COLUMN not_before_clock TEXT NOT NULL DEFAULT 'wall';
    ALTER TABLE updates ADD COLUMN deadline_clock TEXT NOT NULL DEFAULT 'wall';
    ALTER TABLE updates ADD COLUMN spans_began INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE holds ADD COLUMN span_began INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE bound_holds ADD COLUMN ends INTEGER;
    CREATE TABLE clock (
      number INTEGER PRIMARY KEY CHECK (number = 1),
      boot TEXT NOT NULL,
      since_boot INTEGER NOT NULL,
      steady INTEGER NOT NULL,
      known_boot TEXT,
      known_wall INTEGER,
      known_steady INTEGER
    ) STRICT;
    """,
  ]

  /// `FULL`: each commit is synced before it returns.
  private static let fullSync = 2

  /// Prepares an opened file: refuses a newer schema before anything is written, finds damage with quick_check, sets
  /// the pragmas, checking the value of each, runs the missing steps, and reads each update. Returns what it counted.
  @discardableResult
  static func prepare(_ connection: Connection, pageLimit: Int?) throws(StoreError) -> Tally {
    connection.wait(.opening)
    try connection.prepareRoom()
    let version = Int(try connection.query("PRAGMA user_version") { row in row.integer(0) }.first ?? 0)
    guard version <= steps.count else {
      throw .newerSchema(path: connection.path, found: version, known: steps.count)
    }
    let verdict = try connection.query("PRAGMA quick_check(1)") { row in row.text(0) }
    guard verdict == ["ok"] else {
      throw .damaged(path: connection.path, message: verdict.joined(separator: ", "))
    }
    try expect(connection, "PRAGMA journal_mode = WAL", ["wal"])
    try expect(connection, "PRAGMA synchronous = \(fullSync)", [])
    try expect(connection, "PRAGMA synchronous", ["\(fullSync)"])
    try expect(connection, "PRAGMA wal_autocheckpoint = \(StoreRoom.checkpointPages)", ["\(StoreRoom.checkpointPages)"])
    // A log that a large batch has enlarged gets its usual size back.
    try expect(connection, "PRAGMA journal_size_limit = \(StoreRoom.logBytes)", ["\(StoreRoom.logBytes)"])
    // No temporary files, and no zeros written over deleted content.
    try expect(connection, "PRAGMA temp_store = MEMORY", [])
    try expect(connection, "PRAGMA temp_store", ["2"])
    try expect(connection, "PRAGMA secure_delete = FAST", ["2"])
    try expect(connection, "PRAGMA foreign_keys = ON", [])
    try expect(connection, "PRAGMA foreign_keys", ["1"])
    if let pageLimit {
      // A file that is larger already keeps its size.
      let pages = try connection.query("PRAGMA page_count") { row in row.integer(0) }.first ?? 0
      try expect(connection, "PRAGMA max_page_count = \(pageLimit)", ["\(max(Int64(pageLimit), pages))"])
    }
    if version < steps.count {
      try connection.damagedIfInvalid { () throws(StoreError) in
        try connection.transaction { () throws(StoreError) in
          for step in steps[version...] { try connection.execute(step) }
          try connection.execute("PRAGMA user_version = \(steps.count)")
        }
      }
    }
    return try connection.damagedIfInvalid { () throws(StoreError) in try verify(connection) }
  }

  /// Finds damage that quick_check passes over: in the text of the schema, and in values of rows. Throws `damaged`.
  private static func verify(_ connection: Connection) throws(StoreError) -> Tally {
    let model = try Connection(path: ":memory:")
    for step in steps { try model.execute(step) }
    let found = try connection.schemaTexts()
    for (name, text) in try model.schemaTexts() where found[name] != text {
      throw .damaged(path: connection.path, message: "the definition of \(name) is not the one that was written")
    }
    try connection.checkUpdates()
    return try connection.tally()
  }

  /// SQLite reports a pragma that it did not apply by returning the value in effect, not with an error.
  private static func expect(_ connection: Connection, _ pragma: String, _ wanted: [String]) throws(StoreError) {
    let answer = try connection.query(pragma) { row in row.text(0) }
    guard answer == wanted else {
      throw .other(code: SQLITE_ERROR, message: "'\(pragma)' returned \(answer) instead of \(wanted)")
    }
  }
}

extension Connection {
  /// The statements that define tables and indexes, by name, without blanks and quotes, which versions of SQLite may set
  /// differently.
  fileprivate func schemaTexts() throws(StoreError) -> [String: String] {
    let rows = try query("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL") { row in
      (row.text(0), row.text(1).filter { !$0.isWhitespace && $0 != "\"" })
    }
    return Dictionary(rows) { first, _ in first }
  }

  /// What SQLite cannot execute although this program wrote the schema: the schema is damaged.
  fileprivate func damagedIfInvalid<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
    do throws(StoreError) {
      return try body()
    } catch {
      guard case .other(let code, let message) = error,
        [SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA].contains(code & 0xff)
      else { throw error }
      throw .damaged(path: path, message: message)
    }
  }
}
