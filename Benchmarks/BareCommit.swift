import CSQLite

/// Commits one row at a time with the settings of the store, for comparison.
final class BareCommit {
  struct Failed: Error {
    let message: String
  }

  private var handle: OpaquePointer?

  init(folder: String) throws {
    guard sqlite3_open("\(folder)/bare.sqlite", &handle) == SQLITE_OK else { throw Failed(message: "open") }
    try run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (number INTEGER, text TEXT)")
  }

  deinit { sqlite3_close(handle) }

  func write(_ number: Int) throws {
    try run("INSERT INTO rows VALUES (\(number), 'https://example.org/page/\(number)')")
  }

  private func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw Failed(message: String(cString: sqlite3_errmsg(handle)))
    }
  }
}
