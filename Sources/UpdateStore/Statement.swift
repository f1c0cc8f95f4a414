import CSQLite

/// A value bound to a parameter of a statement.
enum SQLValue {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null

  init(_ value: Int64?) {
    self = value.map(SQLValue.integer) ?? .null
  }

  init(_ value: String?) {
    self = value.map(SQLValue.text) ?? .null
  }
}

/// A prepared statement, used again and again.
final class Statement {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    sqlite3_finalize(handle)
  }

  var row: Row { Row(handle) }

  func step() -> Int32 {
    sqlite3_step(handle)
  }

  /// Resets the statement for its next use and clears its values, so that no payload stays in memory.
  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  /// Parameters count from 1. SQLite copies the value.
  func bind(_ value: SQLValue, at index: Int32) -> Int32 {
    switch value {
    case .integer(let number):
      return sqlite3_bind_int64(handle, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          sqlite3_bind_text(handle, index, characters.baseAddress, Int32(characters.count), Self.copied)
        }
      }
    case .blob(let bytes) where bytes.isEmpty:
      return sqlite3_bind_zeroblob(handle, index, 0)  // an empty array may have no address, and that would be NULL
    case .blob(let bytes):
      return sqlite3_bind_blob(handle, index, bytes, Int32(bytes.count), Self.copied)
    case .null:
      return sqlite3_bind_null(handle, index)
    }
  }

  /// SQLITE_TRANSIENT, a cast that the importer drops.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// The current row of a statement: valid only until its next step. Columns count from 0.
struct Row {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  func optionalInteger(_ column: Int32) -> Int64? {
    isNull(column) ? nil : integer(column)
  }

  func optionalText(_ column: Int32) -> String? {
    isNull(column) ? nil : text(column)
  }

  func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func blob(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}
