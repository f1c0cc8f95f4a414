import CSQLite
import Scheduling
import Testing
import Timeline

@testable import UpdateStore

@Suite("A store of an older version")
struct MigrationTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try makeVersion1(
      """
      INSERT INTO updates VALUES
        (3, 'waiting', 'page', '{"url":"http://x"}', 1700000000000, 1000, 42, 'waiting', 0, NULL, NULL, NULL, NULL),
        (5, 'applying', 'page', '{}', 1700000000001, 0, 1, 'applying', 2, NULL, NULL, NULL, NULL),
        (7, 'applied', 'page', '{}', 1700000000002, 0, 1, 'applied', 1, 0, 'exit 0', 1700000000500, 12),
        (9, 'failed', 'page', '{}', 1700000000003, 0, 1, 'failed', 1, NULL, 'killed', 1700000000600, NULL);
      INSERT INTO payloads VALUES (3, x'0102'), (5, x''), (7, x''), (9, x'');
      """)
  }

  /// As the first release left it.
  private func makeVersion1(_ rows: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(folder.database, &handle) == SQLITE_OK)
    let first = try #require(Schema.steps.first)
    for sql in ["PRAGMA journal_mode = WAL", first, "PRAGMA user_version = 1", rows] {
      try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
    }
  }

  private func old(
    _ name: String, _ sequence: Int64, _ created: Int64, uid: UInt32 = 0, pid: Int32 = 1
  ) throws -> Update {
    Update(
      id: try id(name), handler: "page", parameters: name == "waiting" ? ["url": "http://x"] : [:],
      createdAt: WallTime(millisecondsSinceEpoch: created), submitter: Submitter(uid: uid, pid: pid),
      sequence: sequence, size: name == "waiting" ? 20 : 2, clientID: try id(name))
  }

  @Test("keeps every update in its place, with the defaults for new columns")
  func kept() throws {
    let store = try folder.open()
    #expect(store.notices == [])
    #expect(try folder.ask("PRAGMA user_version") == ["\(Schema.steps.count)"])
    let waiting = try old("waiting", 3, 1_700_000_000_000, uid: 1000, pid: 42)
    #expect(
      try store.unfinished() == [
        StoredUpdate(update: waiting, attempts: 0, state: .waiting),
        StoredUpdate(update: old("applying", 5, 1_700_000_000_001), attempts: 2, state: .applying),
      ])
    #expect(waiting.place == 3 && waiting.priority == 0 && waiting.onDeadline == .expire)
    #expect(try store.payload(of: waiting.id) == [1, 2])
    let applied = UpdateResult(
      state: .applied, exitCode: 0, message: "exit 0",
      finishedAt: WallTime(millisecondsSinceEpoch: 1_700_000_000_500), releaseToStartMilliseconds: 12)
    #expect(try store.find(id("applied"))?.state == .finished(applied))
    #expect(try store.lastFinished()?.update.id == id("failed"))
    #expect(try store.nextSequence() == 10)
  }

  @Test("works like a new one: waiting updates can be replaced, others can end, and it can be opened again")
  func goesOn() throws {
    let store = try folder.open()
    let end = UpdateResult(
      state: .superseded, exitCode: nil, message: "superseded", finishedAt: now, releaseToStartMilliseconds: nil,
      successor: try id("new"))
    let new = Update(
      id: try id("new"), handler: "page", parameters: [:], createdAt: now, submitter: Submitter(uid: 0, pid: 1),
      sequence: 10, place: 3, key: "k", priority: 1)
    try store.perform([
      .replace(id("waiting"), end, with: new, payload: []), .finish(id("applying"), result(.applied)),
    ])
    try store.close()
    let again = try folder.open()
    #expect(again.notices == [])
    #expect(try again.unfinished() == [StoredUpdate(update: new, attempts: 0, state: .waiting)])
    #expect(try again.find(id("waiting"))?.state == .finished(end))
  }

  @Test("screens of the older version count from their next boot on")
  func screens() throws {
    let other = try TemporaryFolder()
    try TemporaryFolder.change(
      other.database,
      "PRAGMA journal_mode = WAL; \(Schema.steps[..<4].joined()) PRAGMA user_version = 4; "
        + "INSERT INTO screens VALUES ('Panel');")
    let store = try other.open()
    #expect(try store.screens() == [StoredScreen(name: "Panel", boots: 1, boot: "", hardware: nil)])
    let seen = StoredScreen(name: "Panel", boots: 2, boot: "b", hardware: "usb-1 222a:0001")
    try store.remember(screens: [seen, StoredScreen(name: "Door", boots: 1, boot: "b", hardware: nil)], forget: [])
    try store.remember(screens: [], forget: ["Door"])
    #expect(try store.screens() == [seen])
  }

  @Test("ids that begin with neither letter nor digit, which were valid, become ULIDs; their updates wait on")
  func oldIDs() throws {
    try TemporaryFolder.change(
      folder.database,
      """
      INSERT INTO updates VALUES
        (20, '--help', 'page', '{}', 1700000000000, 1000, 42, 'waiting', 0, NULL, NULL, NULL, NULL),
        (21, '.hidden', 'page', '{}', 1700000000001, 1000, 42, 'waiting', 0, NULL, NULL, NULL, NULL),
        (22, '_a', 'page', '{}', 1700000000002, 1000, 42, 'superseded', 0, NULL, 'superseded', 1700000000500, NULL);
      INSERT INTO payloads VALUES (20, x'07'), (21, x''), (22, x'');
      """)
    let store = try folder.open()
    #expect(store.notices == [])
    let waiting = try store.unfinished().filter { $0.update.sequence >= 20 }
    #expect(waiting.map(\.update.clientID) == [nil, nil] && waiting.allSatisfy { $0.update.id.text.utf8.count == 26 })
    #expect(Set(waiting.map(\.update.id)).count == 2)
    #expect(try store.payload(of: try #require(waiting.first).update.id) == [7])
    try store.perform(waiting.map { .finish($0.update.id, result(.applied)) })
    #expect(try store.unfinishedNames == ["waiting", "applying"])
  }

  @Test("ten updates that wait in a file of the version before clients' ids keep their ids, options and payloads")
  func beforeClientIDs() throws {
    let other = try TemporaryFolder()
    let rows = (1...10).map {
      "(\($0), 'u\($0)', 'page', '{\"n\":\"\($0)\"}', 1700000000000, \(1000 + $0 % 2), 42, 'waiting', 0, \($0), 'k', \($0 % 3), "
        + "'c\($0)')"
    }
    try TemporaryFolder.change(
      other.database,
      """
      PRAGMA journal_mode = WAL; \(Schema.steps[..<4].joined()) PRAGMA user_version = 4;
      INSERT INTO updates (sequence, id, handler, parameters, created_at, uid, pid, state, attempts, place, key, priority,
        content) VALUES \(rows.joined(separator: ", "));
      INSERT INTO payloads SELECT sequence, x'00' FROM updates;
      """)
    let store = try other.open()
    let all = try store.unfinished()
    #expect(store.notices == [] && all.map(\.update.id.text) == (1...10).map { "u\($0)" })
    for (number, stored) in zip(1..., all) {
      let (update, uid) = (stored.update, UInt32(1000 + number % 2))
      #expect(update.clientID?.text == "u\(number)" && update.key == "k" && update.content == "c\(number)")
      #expect(update.submitter == Submitter(uid: uid, pid: 42) && update.parameters == ["n": "\(number)"])
      #expect(try store.find(id("u\(number)"), ofUser: uid)?.update == update)
      #expect(try store.find(id("u\(number)"), ofUser: 7) == nil && store.payload(of: update.id) == [0])
    }
  }

  @Test("ten updates that wait, and a hold, in a file of the version before bound holds are kept as they are")
  func beforeBoundHolds() throws {
    let other = try TemporaryFolder()
    let rows = (1...10).map {
      "(\($0), 'u\($0)', 'page', '{\"n\":\"\($0)\"}', 1700000000000, 1000, 42, 'waiting', \($0 % 3), \($0), 'k\($0)', 'c\($0)', '1000 27')"
    }
    try TemporaryFolder.change(
      other.database,
      """
      PRAGMA journal_mode = WAL; \(Schema.steps[..<6].joined()) PRAGMA user_version = 6;
      INSERT INTO updates (sequence, id, handler, parameters, created_at, uid, pid, state, attempts, place, key, client_id,
        groups) VALUES \(rows.joined(separator: ", "));
      INSERT INTO payloads SELECT sequence, x'00' FROM updates;
      INSERT INTO holds VALUES ('h', NULL, 7, 8, NULL, 'sale', 1700000000000, 1700000009000);
      """)
    let store = try other.open()
    let all = try store.unfinished()
    #expect(store.notices == [] && all.map(\.update.id.text) == (1...10).map { "u\($0)" })
    for (number, stored) in zip(1..., all) {
      #expect(stored.attempts == number % 3 && stored.update.clientID?.text == "c\(number)")
      #expect(stored.update.submitter.groups == [1000, 27] && stored.update.key == "k\(number)")
      #expect(try store.payload(of: stored.update.id) == [0])
    }
    #expect(try store.holds().map(\.reason) == ["sale"] && store.boundHolds() == [])
  }

  @Test("while another program has the file locked nothing is migrated, and the file keeps its older version")
  func locked() throws {
    let before = try folder.ask("SELECT group_concat(name) FROM pragma_table_info('updates')")
    let held = try folder.hold("BEGIN IMMEDIATE")
    #expect(throws: StoreError.busy(path: folder.database)) { try folder.open() }
    held.release()
    #expect(try folder.ask("PRAGMA user_version") == ["1"])
    #expect(try folder.ask("SELECT group_concat(name) FROM pragma_table_info('updates')") == before)
    #expect(try folder.open().unfinishedNames == ["waiting", "applying"])
  }
}

/// Another program that keeps the file locked.
final class HeldLock {
  private var handle: OpaquePointer?

  fileprivate init(_ path: String, _ sql: String) throws {
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
  }

  deinit { release() }

  func release() {
    sqlite3_close(handle)
    handle = nil
  }
}

extension TemporaryFolder {
  /// Another program changes the file.
  fileprivate static func change(_ path: String, _ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
  }

  fileprivate func hold(_ sql: String) throws -> HeldLock { try HeldLock(database, sql) }
}
