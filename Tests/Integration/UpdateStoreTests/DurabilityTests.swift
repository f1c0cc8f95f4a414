import CSQLite
import Glibc
import Linux
import Scheduling
import Testing
import Timeline

@testable import UpdateStore

@Suite("The store and its file")
struct DurabilityTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("an accepted update survives a crash")
  func crash() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1, parameters: ["k": "v"], payload: [9])])
    try store.perform([.beginApplying(id("a"), attempt: 1)])
    // The files as a crash at this moment would leave them: nobody has closed the store.
    let crashed = try TemporaryFolder()
    for name in ["queue.db", "queue.db-wal"] { try crashed.write(name, folder.read(name)) }
    let after = try crashed.open()
    #expect(after.notices == [])
    let expected = StoredUpdate(update: try update("a", 1, parameters: ["k": "v"]), attempts: 1, state: .applying)
    #expect(try after.unfinished() == [expected])
    #expect(try after.payload(of: id("a")) == [9])
    #expect(try store.unfinished() == [expected])
  }

  @Test("after a crash a half-written batch at the end of the log is absent, and all batches before it are present")
  func tornLog() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1)])
    // Behind its last frame the log is empty.
    func log() throws -> [UInt8] { try Array(folder.read("queue.db-wal").trimming { $0 == 0 }) }
    let whole = try log().count
    try store.perform([accept("b", 2)])
    let crashed = try TemporaryFolder()
    try crashed.write("queue.db", folder.read("queue.db"))
    #expect(try log().count > whole)
    try crashed.write("queue.db-wal", log().dropLast(100) + [UInt8](repeating: 0, count: 5000))
    #expect(try crashed.open().unfinishedNames == ["a"])
  }

  @Test("another program sees an update as soon as it is accepted, and write-ahead log and full sync are on")
  func secondConnection() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1)])
    #expect(try folder.ask("SELECT id FROM updates") == ["a"])
    #expect(try folder.ask("PRAGMA journal_mode") == ["wal"])
    #expect(try folder.ask("PRAGMA user_version") == ["\(Schema.steps.count)"])
    #expect(try store.unfinishedNames == ["a"])
  }

  @Test("each commit is synced: synchronous=FULL, in the connection that writes")
  func synchronous() throws {
    _ = try folder.open()
    let connection = try Connection(path: folder.database)
    try Schema.prepare(connection, pageLimit: nil)
    #expect(try connection.query("PRAGMA synchronous") { row in row.integer(0) } == [2])
    try connection.close()
  }

  @Test("closing and reopening keeps everything; deinit closes as well")
  func reopen() throws {
    do {
      let store = try folder.open()
      try store.perform([accept("a", 1), accept("b", 2), .finish(id("a"), result(.applied))])
    }
    #expect(folder.names == ["queue.db", "queue.db-shm", "queue.db-wal"])
    #expect(try folder.read("queue.db-wal").allSatisfy { $0 == 0 } == false)
    #expect(try folder.read("queue.db-wal").prefix(32).allSatisfy { $0 == 0 }, "closed, it stands for nothing")
    let store = try folder.open()
    #expect(store.notices == [])
    #expect(try store.unfinishedNames == ["b"])
    #expect(try store.find(id("a"))?.state == .finished(result(.applied)))
  }

  @Test("only the owner can read the files, whatever the umask")
  func mode() throws {
    let old = umask(0)
    defer { umask(old) }
    let store = try folder.open()
    try store.perform([accept("a", 1)])
    for name in ["queue.db", "queue.db-wal", "queue.db-shm"] {
      #expect(try folder.mode(name) == 0o600, "\(name)")
    }
  }

  @Test(
    "a damaged file, or one that is not a database, is renamed with its content, and the queue is empty",
    arguments: ["random", "text", "first half", "header only", "a few bytes", "a page in the middle"])
  func damaged(kind: String) throws {
    var store = try folder.open()
    for number in 1...50 {
      try store.perform([accept("u\(number)", Int64(number), payload: .init(repeating: 7, count: 3000))])
    }
    try store.close()
    var bytes = try folder.read("queue.db")
    switch kind {
    case "random":
      var generator = SystemRandomNumberGenerator()
      for index in bytes.indices { bytes[index] = UInt8.random(in: 0...255, using: &generator) }
    case "text": bytes = Array("this is not a database\n".utf8)
    case "first half": bytes = Array(bytes.prefix(bytes.count / 2))
    case "header only": bytes = Array(bytes.prefix(100))
    case "a few bytes": bytes = Array(bytes.prefix(10))
    default: for index in 4096..<8192 { bytes[index] = 0xff }
    }
    try folder.write("queue.db", bytes)
    store = try folder.open()
    let aside = "queue.db.damaged-20261130T021407.250Z"
    #expect(try store.unfinished() == [])
    #expect(store.notices.count == 1)
    #expect(store.notices.first?.contains("\(folder.path)/\(aside)") == true)
    #expect(try folder.read(aside) == bytes)
    #expect(try folder.mode("queue.db") == 0o600)
    try store.perform([accept("new", 1)])
    #expect(try store.unfinishedNames == ["new"])
  }

  @Test("the log of a damaged file is renamed with it, and a second damaged file at the same time gets another name")
  func damagedWithLog() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1)])
    let log = try folder.read("queue.db-wal")
    try store.close()
    for number in 1...2 {
      // Emptied, with a log that belongs to it: SQLite itself would delete the log and say nothing.
      try folder.write("queue.db", [])
      try folder.write("queue.db-wal", log)
      let again = try folder.open()
      #expect(again.notices.count == 1)
      #expect(try again.unfinished() == [])
      let aside = "queue.db.damaged-20261130T021407.250Z" + (number == 1 ? "" : "-2")
      #expect(try folder.read(aside) == [])
      #expect(try folder.read(aside + "-wal") == log)
      try again.close()
    }
  }

  @Test("an intact log of a damaged file is kept unchanged, not copied into the file and deleted")
  func damagedWithSoundLog() throws {
    var store = try folder.open()
    try store.perform((1...500).map { try accept("u\($0)", $0) })
    try store.close()
    store = try folder.open()
    try store.perform([.beginApplying(id("u500"), attempt: 1)])
    let crashed = try TemporaryFolder()
    let log = try folder.read("queue.db-wal")
    var file = try folder.read("queue.db")
    for index in 4096..<8192 { file[index] = 0xff }
    try crashed.write("queue.db", file)
    try crashed.write("queue.db-wal", log)
    let after = try crashed.open()
    #expect(after.notices.count == 1)
    #expect(try after.unfinished() == [])
    #expect(try crashed.read("queue.db.damaged-20261130T021407.250Z-wal") == log)
  }

  @Test("a file of a newer version is refused and not changed")
  func newerSchema() throws {
    try folder.open().close()
    _ = try folder.ask("PRAGMA user_version = 99")
    let before = try folder.read("queue.db")
    #expect(throws: StoreError.newerSchema(path: folder.database, found: 99, known: Schema.steps.count)) {
      try folder.open()
    }
    #expect(try folder.read("queue.db") == before)
    #expect(folder.names == ["queue.db", "queue.db-shm", "queue.db-wal"])
  }

  @Test(
    "what cannot be opened says where, why and what to do", arguments: ["missing folder", "folder", "file as folder"])
  func cannotOpen(kind: String) throws {
    try folder.write("file", [])
    let (path, reason, advice) =
      switch kind {
      case "missing folder": ("\(folder.path)/none/queue.db", ENOENT, "StateDirectory=")
      case "folder": (folder.path, EISDIR, "a file is expected")
      default: ("\(folder.path)/file/queue.db", ENOTDIR, "folder")
      }
    let error = #expect(throws: StoreError.cannotOpen(path: path, errno: reason, message: "")) {
      try QueueStore(path: path, now: now)
    }
    let words = try #require(error?.description)
    #expect(words.contains(path) && words.contains("\(Errno(reason))") && words.contains(advice))
    #expect(folder.names == ["file"])
  }

  @Test("while another process holds the write lock a batch is refused, and succeeds afterwards")
  func busy() throws {
    let store = try folder.open()
    var other: OpaquePointer?
    defer { sqlite3_close(other) }
    try #require(sqlite3_open(folder.database, &other) == SQLITE_OK)
    try #require(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    #expect(throws: StoreError.busy(path: folder.database)) { try store.perform([accept("a", 1)]) }
    #expect(try store.unfinished() == [])
    try #require(sqlite3_exec(other, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
    try store.perform([accept("a", 1)])
    #expect(try store.unfinishedNames == ["a"])
  }
}

extension Array where Element == UInt8 {
  /// Without what `isBlank` at its end.
  fileprivate func trimming(_ isBlank: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    self[..<(lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0)]
  }
}
