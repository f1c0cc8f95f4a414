import CSQLite
import Foundation
import Glibc
import Linux
import Scheduling
import Testing
import Timeline

@testable import UpdateStore

@Suite("Damage that SQLite does not notice")
struct DamageTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func flip(_ name: String, at offset: Int, bit: UInt8 = 4) throws {
    var bytes = try folder.read(name)
    bytes[offset] ^= bit
    try folder.write(name, bytes)
  }

  private func change(_ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(folder.database, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
  }

  /// The store starts all the same: the file was set aside.
  private func expectSetAside(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let store = try folder.open()
    #expect(store.notices.count == 1, "\(store.notices)", sourceLocation: sourceLocation)
    let notice = store.notices.first ?? ""
    #expect(notice.contains("was damaged") && notice.contains(words), "\(notice)", sourceLocation: sourceLocation)
    #expect(try store.unfinished() == [], sourceLocation: sourceLocation)
    try store.perform([accept("new", 1)])
    #expect(folder.names.contains { $0.hasPrefix("queue.db.damaged-") }, sourceLocation: sourceLocation)
  }

  @Test(
    "a row with a value that this program does not write",
    arguments: [
      "UPDATE updates SET id = 'not an id'", "UPDATE updates SET parameters = '{\"a\":1}'",
      "UPDATE updates SET uid = -1", "UPDATE updates SET on_deadline = 'explode'",
      "UPDATE updates SET overrode = 'x'", "UPDATE updates SET urgency = 7",
      "UPDATE updates SET state = 'lost', finished_at = 1, message = ''",
    ])
  func row(sql: String) throws {
    try folder.open().perform([accept("a", 1)])
    try change(sql)
    try expectSetAside("update number 1 has invalid values")
  }

  @Test(
    "flipped bits in the text of the schema",
    arguments: ["attempts INTEGER", "urgency INTEGER", "updates_by_key ON", "STRICT"])
  func schema(text: String) throws {
    try folder.open().perform([accept("a", 1)])
    let bytes = try folder.read("queue.db")
    let found = try #require(bytes.firstRange(of: Array(text.utf8)))
    try flip("queue.db", at: found.lowerBound + 1, bit: 1)
    try expectSetAside("was damaged")
  }

  @Test("a definition that lacks a constraint, which SQLite would no longer check")
  func constraint() throws {
    try folder.open().perform([accept("a", 1)])
    try change(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'reason TEXT NOT NULL', 'reason TEXT') WHERE name = 'holds'
      """)
    try expectSetAside("the definition of holds is not the one that was written")
  }

  @Test("a schema number that is too low")
  func version() throws {
    try folder.open().perform([accept("a", 1)])
    try change("PRAGMA user_version = 2")
    try expectSetAside("duplicate column")
  }

  @Test("a healthy store is opened without a notice, whatever states its updates are in")
  func healthy() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1), accept("b", 2, parameters: ["k": "v"]), accept("c", 3)])
    try store.perform([.beginApplying(id("b"), attempt: 1, boot: "x", overrode: [.touched])])
    try store.perform([.finish(id("c"), result(.failed))])
    let crashed = try TemporaryFolder()
    for name in ["queue.db", "queue.db-wal"] { try crashed.write(name, folder.read(name)) }
    #expect(try crashed.open().notices == [])
    try store.close()
    #expect(try folder.open().notices == [])
  }

  // MARK: The log

  /// The files as a crash leaves them after five commits, and where the log's frames begin.
  private func crash() throws -> (folder: DamageTests, frames: [Int]) {
    let store = try folder.open()
    for number in 1...5 { try store.perform([accept("u\(number)", Int64(number))]) }
    let crashed = try DamageTests()
    for name in ["queue.db", "queue.db-wal"] { try crashed.folder.write(name, folder.read(name)) }
    let log = try folder.read("queue.db-wal")
    // Frames of the present round have its salts.
    let frames = stride(from: 32, to: log.count - 4119, by: 4120).filter { log[$0 + 8..<$0 + 16] == log[16..<24] }
    try #require(frames.count > 10)
    return (crashed, Array(frames))
  }

  @Test("flipped bits in the log: the writes that are lost are reported, and the log is copied")
  func log() throws {
    let (crashed, frames) = try crash()
    let bytes = try crashed.folder.read("queue.db-wal")
    let commits = frames.filter { bytes[$0 + 4..<$0 + 8].contains { $0 != 0 } }
    // The first frame of the last commit but one.
    let middle = try #require(frames.first { $0 > commits[commits.count - 3] })
    try crashed.flip("queue.db-wal", at: middle + 100)
    let damaged = try crashed.folder.read("queue.db-wal")
    let store = try crashed.folder.open()
    #expect(try store.unfinishedNames == ["u1", "u2", "u3"])
    let copy = "queue.db.damaged-20261130T021407.250Z-wal"
    #expect(store.notices.count == 1)
    #expect(store.notices[0].contains("2 writes from byte \(middle) on are lost"), "\(store.notices)")
    #expect(store.notices[0].hasSuffix("copied to \(crashed.folder.path)/\(copy)"))
    #expect(try crashed.folder.read(copy) == damaged)
    try store.perform([accept("new", 9)])
  }

  @Test("flipped bits in the last write and in the header of the log")
  func ends() throws {
    let (last, frames) = try crash()
    try last.flip("queue.db-wal", at: try #require(frames.last) + 4000)
    let store = try last.folder.open()
    #expect(store.notices.count == 1 && store.notices[0].contains("its last write, at byte"), "\(store.notices)")
    #expect(try store.unfinishedNames == ["u1", "u2", "u3", "u4"])
    let (header, _) = try crash2()
    try header.flip("queue.db-wal", at: 9)
    #expect(try header.folder.open().notices.first?.contains("its header is invalid") == true)
  }

  private func crash2() throws -> (folder: DamageTests, frames: [Int]) { try DamageTests().crash() }

  @Test("a batch that was interrupted before its commit, and a log without anything, lose nothing")
  func interrupted() throws {
    let (crashed, frames) = try crash()
    var log = try crashed.folder.read("queue.db-wal")
    let last = try #require(frames.last)
    // The frame that commits was never written.
    log.replaceSubrange(last..<last + 4120, with: [UInt8](repeating: 0, count: 4120))
    try crashed.folder.write("queue.db-wal", log)
    #expect(LogDamage(path: "\(crashed.folder.path)/queue.db-wal") == nil)
    #expect(try crashed.folder.open().notices == [])
    try crashed.folder.write("empty", [])
    try crashed.folder.write("zeros", [UInt8](repeating: 0, count: 100_000))
    for name in ["empty", "zeros", "none"] { #expect(LogDamage(path: "\(crashed.folder.path)/\(name)") == nil) }
  }

  // MARK: Other programs

  @Test("a database that another process has locked costs one request a tenth of a second, not one for each call")
  func locked() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1)])
    var other: OpaquePointer?
    defer { sqlite3_close(other) }
    try #require(sqlite3_open(folder.database, &other) == SQLITE_OK)
    try #require(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    let start = SystemClock.monotonic
    for number in 2...11 {
      #expect(throws: StoreError.busy(path: folder.database)) { try store.perform([accept("b", Int64(number))]) }
    }
    #expect(SystemClock.monotonic - start < .milliseconds(900), "ten calls")
    try #require(sqlite3_exec(other, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
    try store.perform([accept("b", 2)])
    #expect(try store.unfinishedNames == ["a", "b"])
    try #require(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    let again = SystemClock.monotonic
    #expect(throws: StoreError.busy(path: folder.database)) { try store.perform([accept("c", 3)]) }
    #expect(SystemClock.monotonic - again >= .milliseconds(90), "after a success it waits for the lock again")
  }

  @Test("when the file is removed or replaced, nothing new is accepted, and what waits goes on")
  func removed() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1)])
    #expect(!store.isRemoved)
    let content = try folder.read("queue.db")
    unlink(folder.database)
    let removed = StoreError.removed(path: folder.database)
    #expect(store.isRemoved)
    #expect(throws: removed) { try store.perform([accept("b", 2)]) }
    #expect(throws: removed) {
      try store.perform([.pause(OperatorPause(since: now, by: Submitter(uid: 0, pid: 1), reason: "test"))])
    }
    #expect(throws: removed) { try store.perform([.expedite(id("a"), .apply)]) }
    try store.perform([.beginApplying(id("a"), attempt: 1)])
    try store.perform([.finish(id("a"), result(.applied))])
    try folder.write("queue.db", content)
    #expect(throws: removed) { try store.perform([accept("b", 2)]) }
    try store.close()
    unlink(folder.database)
    let second = try folder.open()
    try second.perform([accept("b", 2)])
    unlink(folder.database + "-wal")
    #expect(throws: removed) { try second.perform([accept("c", 3)]) }
  }
}
