import CSQLite
import Glibc
import Linux

/// One open database with its prepared statements: SQLite's C interface with `StoreError` for result codes.
final class Connection {
  let path: String
  private var handle: OpaquePointer?
  private var statements: [String: Statement] = [:]
  private var patience = Patience.opening

  /// Opens an existing file (sqlite3_open_v2, without SQLITE_OPEN_CREATE). SQLite reads it at the first statement, so
  /// a file that is not a database is detected later.
  init(path: String) throws(StoreError) {
    self.path = path
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK else { throw error(code) }
    sqlite3_extended_result_codes(handle, 1)
  }

  /// How long to wait for the lock of another process, such as a person's sqlite3(1). The loop is blocked meanwhile.
  enum Patience: CInt {
    case opening = 1000
    case running = 100
    /// The last call has waited in vain: until one succeeds, no other waits. A request may need many calls.
    case none = 0
  }

  func wait(_ patience: Patience) {
    self.patience = patience
    sqlite3_busy_timeout(handle, patience.rawValue)
  }

  /// After each call.
  private func wasBusy(_ isBusy: Bool) {
    switch patience {
    case .opening: break
    case .running: if isBusy { wait(.none) }
    case .none: if !isBusy { wait(.running) }
    }
  }

  deinit {
    try? close()
    sqlite3_close_v2(handle)
  }

  /// Closes. The last connection copies the -wal into the database; the -wal keeps its size, but its content is void.
  /// A second call has no effect.
  func close() throws(StoreError) {
    if handle == nil { return }
    // With a limit SQLite would truncate the log, and the disk may be full when the store is opened again.
    _ = try? query("PRAGMA journal_size_limit = -1") { _ in }
    let isCopied = try? query("PRAGMA wal_checkpoint(FULL)") { row in
      row.integer(0) == 0 && row.integer(1) == row.integer(2)
    }
    statements.removeAll()
    let code = sqlite3_close(handle)
    guard code == SQLITE_OK else { throw error(code) }
    handle = nil
    if isCopied == [true] { voidLog() }
  }

  /// Executes several statements without values or results (sqlite3_exec).
  func execute(_ sql: String) throws(StoreError) {
    guard let handle else { throw .closed }
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Executes one statement that returns no rows. Returns how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int {
    _ = try query(sql, values) { _ in }
    return Int(sqlite3_changes(handle))
  }

  /// Executes one statement and calls `read` for each row of the result.
  func query<T>(
    _ sql: String, _ values: [SQLValue] = [], _ read: (Row) throws(StoreError) -> T
  ) throws(StoreError) -> [T] {
    let statement = try statement(sql)
    defer { statement.reset() }
    for (index, value) in values.enumerated() {
      let code = statement.bind(value, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw error(code) }
    }
    var answer: [T] = []
    while true {
      let code = statement.step()
      switch code {
      case SQLITE_ROW: answer.append(try read(statement.row))
      case SQLITE_DONE:
        wasBusy(false)
        return answer
      default:
        wasBusy(code & 0xff == SQLITE_BUSY)
        throw error(code)
      }
    }
  }

  /// Sets or reads a property of the database's file (sqlite3_file_control).
  func control<T: BitwiseCopyable>(_ operation: CInt, _ value: T) throws(StoreError) {
    var value = value
    let code = sqlite3_file_control(handle, "main", operation, &value)
    if code == SQLITE_OK { return }
    var reason: CInt = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &reason)
    if reason == ENOSPC || reason == EDQUOT { throw .diskFull(path: path) }
    throw .other(code: code, message: "operation \(operation) on \(path): \(Errno(reason))")
  }

  /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
  func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    try run("BEGIN IMMEDIATE")
    do throws(StoreError) {
      try body()
      try run("COMMIT")
    } catch {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if sqlite3_get_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
      throw error
    }
  }

  private func statement(_ sql: String) throws(StoreError) -> Statement {
    guard let handle else { throw .closed }
    if let known = statements[sql] { return known }
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw error(code) }
    let statement = Statement(prepared)
    statements[sql] = statement
    return statement
  }

  private func error(_ code: Int32) -> StoreError {
    let message = String(cString: sqlite3_errmsg(handle))
    let systemError = sqlite3_system_errno(handle)
    switch code & 0xff {
    case SQLITE_FULL:
      return .diskFull(path: path)
    case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT:
      return .diskFull(path: path)
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      return .damaged(path: path, message: message)
    case SQLITE_BUSY, SQLITE_LOCKED:
      return .busy(path: path)
    case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM:
      return .cannotOpen(path: path, errno: systemError, message: message)
    default:
      return .other(code: code, message: message)
    }
  }
}
