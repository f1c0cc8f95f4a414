import CSQLite
import Glibc

// Room on the disk, taken before it is needed, so that a full disk stops new updates and never those that wait
// (docs/decisions/0010-a-full-disk-stops-only-new-updates.md).

enum StoreRoom {
  static let pageBytes = 4096
  /// The file grows, and is cut by checkpoints, in steps of so many bytes.
  static let step = 64 * pageBytes
  /// Unused pages within the database that new updates leave to those that wait.
  static let sparePages = 64
  /// With fewer than this, each commit tries to get `sparePages` again.
  static let fewPages = sparePages / 2
  /// When pages are few, the history gives way in such steps, and with so many of them in one commit.
  static let historyStep = 10
  static let historySteps = 20
  /// The log is copied into the file when it has so many pages (SQLite's own default).
  static let checkpointPages = 1000
  static let logHeader = 32
  /// Size of the log, taken at once: what it has at a checkpoint, and one commit more. A frame has a header of 24 bytes.
  static let logBytes = logHeader + (checkpointPages + 2 * sparePages) * (pageBytes + 24)
}

extension Connection {
  /// To be called before the first write of a connection: growth in steps, and a log that keeps its place when the
  /// store is closed.
  func prepareRoom() throws(StoreError) {
    try control(SQLITE_FCNTL_CHUNK_SIZE, CInt(StoreRoom.step))
    try control(SQLITE_FCNTL_PERSIST_WAL, CInt(1))
  }

  /// Gives the log its whole size (posix_fallocate(3)); SQLite takes what lies behind its last frame for nothing. False:
  /// the disk is full.
  func prepareLog() -> Bool {
    // Its locks are on the -shm file: closing another descriptor of the log drops none.
    let descriptor = open(path + "-wal", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { Glibc.close(descriptor) }
    return posix_fallocate(descriptor, 0, off_t(StoreRoom.logBytes)) == 0
  }

  /// After all of the log was copied: a file that is put in the database's place must not be mixed with it. SQLite takes
  /// a log without a header for an empty one.
  func voidLog() {
    let descriptor = open(path + "-wal", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { Glibc.close(descriptor) }
    let zeros = [UInt8](repeating: 0, count: StoreRoom.logHeader)
    _ = pwrite(descriptor, zeros, zeros.count, 0)
  }

  /// Before a commit: every page of the database gets its place in the file now, so that a checkpoint never lacks one.
  /// Throws `diskFull` where there is none. Returns how many pages are spare then.
  func takeRoom(pageLimit: Int?) throws(StoreError) -> Int {
    let pages = try number("PRAGMA page_count")
    try extend(to: pages, pageLimit)
    let spare = try sparePages()
    guard spare < StoreRoom.fewPages else { return spare }
    do throws(StoreError) {
      try extend(to: pages + StoreRoom.sparePages - spare, pageLimit)
    } catch .diskFull {
      return spare
    }
    // What is deleted stays in the database as pages without use; they are never written.
    try run("INSERT INTO room (bytes) VALUES (zeroblob(?))", [.integer(Int64(StoreRoom.sparePages * pageContent))])
    try run("DELETE FROM room")
    return try sparePages()
  }

  /// Forgets what ended first, until there are pages enough.
  func letHistoryGiveWay(_ tally: inout Tally) throws(StoreError) {
    for _ in 0..<StoreRoom.historySteps where try sparePages() < StoreRoom.fewPages {
      if try forget(StoreRoom.historyStep, endedBefore: nil, &tally) == 0 { return }
    }
  }

  func sparePages() throws(StoreError) -> Int { try number("PRAGMA freelist_count") }

  /// Whether there is room for pages that new updates need; takes it.
  func canGrow(pageLimit: Int?) -> Bool {
    guard let pages = try? number("PRAGMA page_count") else { return false }
    return (try? extend(to: pages + StoreRoom.sparePages, pageLimit)) != nil
  }

  /// What an overflow page holds.
  private var pageContent: Int { StoreRoom.pageBytes - 4 }

  private func number(_ pragma: String) throws(StoreError) -> Int {
    Int(try query(pragma) { row in row.integer(0) }.first ?? 0)
  }

  private func extend(to pages: Int, _ pageLimit: Int?) throws(StoreError) {
    if let pageLimit, pages > pageLimit { throw .diskFull(path: path) }
    try control(SQLITE_FCNTL_SIZE_HINT, Int64(pages * StoreRoom.pageBytes))
  }
}
