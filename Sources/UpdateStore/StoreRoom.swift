import CSQLite
import Glibc

// Disk space reserved before it is needed, so that a full disk stops new updates and never those that are waiting
// (docs/decisions/0010-a-full-disk-stops-only-new-updates.md).

enum StoreRoom {
  static let pageBytes = 4096
  /// Step in bytes by which the file grows, and by which checkpoints shrink it.
  static let step = 64 * pageBytes
  /// Unused pages in the database that are reserved for updates that are waiting.
  static let sparePages = 64
  /// With fewer spare pages than this, each commit tries to reserve `sparePages` again.
  static let fewPages = sparePages / 2
  /// When pages run low, updates of the history are removed in steps of `historyStep`, at most `historySteps` per
  /// commit.
  static let historyStep = 10
  static let historySteps = 20
  /// Number of pages at which the log is copied into the database (SQLite's default).
  static let checkpointPages = 1000
  static let logHeader = 32
  /// Reserved size of the log: its size at a checkpoint, and one more commit. A frame has a header of 24 bytes.
  static let logBytes = logHeader + (checkpointPages + 2 * sparePages) * (pageBytes + 24)
}

extension Connection {
  /// Sets growth in steps, and keeps the log when the store is closed. Call it before the first write of a connection.
  func prepareRoom() throws(StoreError) {
    try control(SQLITE_FCNTL_CHUNK_SIZE, CInt(StoreRoom.step))
    try control(SQLITE_FCNTL_PERSIST_WAL, CInt(1))
  }

  /// Gives the log its full size (posix_fallocate(3)); SQLite ignores everything after its last frame. Returns false if
  /// the disk is full.
  func prepareLog() -> Bool {
    // SQLite's locks are on the -shm file, so closing another descriptor of the log drops none.
    let descriptor = open(path + "-wal", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { Glibc.close(descriptor) }
    return posix_fallocate(descriptor, 0, off_t(StoreRoom.logBytes)) == 0
  }

  /// Voids the log after all of it was copied, so that it is never applied to a file that replaces the database. SQLite
  /// treats a log without a header as empty.
  func voidLog() {
    let descriptor = open(path + "-wal", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { Glibc.close(descriptor) }
    let zeros = [UInt8](repeating: 0, count: StoreRoom.logHeader)
    _ = pwrite(descriptor, zeros, zeros.count, 0)
  }

  /// Reserves space in the file for every page of the database before a commit, so that a checkpoint never lacks any.
  /// Throws `diskFull` if the disk is full. Returns the number of spare pages.
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
    // Deleting the row leaves its pages in the database as unused pages; they are never written.
    try run("INSERT INTO room (bytes) VALUES (zeroblob(?))", [.integer(Int64(StoreRoom.sparePages * pageContent))])
    try run("DELETE FROM room")
    return try sparePages()
  }

  /// Removes updates of the history, of the user who has most, until there are enough spare pages.
  func letHistoryGiveWay(_ tally: inout Tally) throws(StoreError) {
    for _ in 0..<StoreRoom.historySteps where try sparePages() < StoreRoom.fewPages {
      if try giveWay(StoreRoom.historyStep, &tally) == 0 { return }
    }
  }

  func sparePages() throws(StoreError) -> Int { try number("PRAGMA freelist_count") }

  /// Reserves room for the pages of new updates. Returns whether there was room.
  func canGrow(pageLimit: Int?) -> Bool {
    guard let pages = try? number("PRAGMA page_count") else { return false }
    return (try? extend(to: pages + StoreRoom.sparePages, pageLimit)) != nil
  }

  /// Bytes of content in an overflow page.
  private var pageContent: Int { StoreRoom.pageBytes - 4 }

  private func number(_ pragma: String) throws(StoreError) -> Int {
    Int(try query(pragma) { row in row.integer(0) }.first ?? 0)
  }

  private func extend(to pages: Int, _ pageLimit: Int?) throws(StoreError) {
    if let pageLimit, pages > pageLimit { throw .diskFull(path: path) }
    try control(SQLITE_FCNTL_SIZE_HINT, Int64(pages * StoreRoom.pageBytes))
  }
}
