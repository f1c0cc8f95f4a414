import Glibc
import Scheduling
import Testing
import Timeline

@testable import UpdateStore

@Suite("A full disk stops new updates, never those that are waiting")
struct FullDiskTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Accepts until that is refused; returns their names.
  private func fill(_ store: QueueStore, from first: Int64 = 1, payload: Int = 500) throws -> [String] {
    var names: [String] = []
    while names.count < 100_000 {
      let name = "u\(first + Int64(names.count))"
      let write = try accept(name, first + Int64(names.count), payload: .init(repeating: 7, count: payload))
      do { try store.perform([write]) } catch StoreError.diskFull { break }
      names.append(name)
    }
    return names
  }

  /// Takes each through all its states, with as long a message as a handler may leave.
  private func apply(_ names: some Collection<String>, before rest: [String] = [], in store: QueueStore) throws {
    for (number, name) in names.enumerated() {
      if number % 10 == 0 {
        try store.perform([.beginApplying(id(name), attempt: 1)])
        try store.perform([.backToWaiting(id(name), attempts: 0)])
      }
      try store.perform([.beginApplying(id(name), attempt: 1)])
      let end = UpdateResult(
        state: number % 2 == 0 ? .applied : .failed, exitCode: 1, message: String(repeating: "m", count: 2100),
        finishedAt: now, releaseToStartMilliseconds: nil)
      try store.perform([.finish(id(name), end)])
      if number % 50 > 0 { continue }
      #expect(try store.unfinishedNames == names.dropFirst(number + 1) + rest)
    }
  }

  @Test("with a page limit: all waiting updates are applied, and the history makes room for them")
  func pageLimit() throws {
    let store = try folder.open(pageLimit: 90)
    let names = try fill(store, payload: 0)
    #expect(names.count > 100)
    #expect(store.isFull)
    #expect(try store.unfinishedNames == names)
    try apply(names, in: store)
    #expect(store.counts["waiting"] == 0)
    let ended = try #require(store.counts["applied"]) + (store.counts["failed"] ?? 0)
    #expect((1..<names.count).contains(ended))
    #expect(try folder.ask("SELECT COUNT(*) FROM updates") == ["\(ended)"], "what is kept is counted as it is")
    #expect(try folder.ask("PRAGMA integrity_check") == ["ok"])
    try store.close()
    let larger = try folder.open()
    #expect(!larger.isFull)
    try larger.perform([accept("again", 5000)])
  }

  @Test("every commit leaves the file room for all pages of the database, so that copying the log never lacks any")
  func roomForCheckpoint() throws {
    let store = try folder.open()
    for (number, size) in [(Int64(1), 10), (2, 400_000), (3, 1_000_000)] {
      try store.perform([accept("u\(number)", number, payload: .init(repeating: 1, count: size))])
      let pages = try #require(Int(try folder.ask("PRAGMA page_count").first ?? ""))
      let status = try folder.status("queue.db")
      #expect(Int(status.st_size) >= pages * StoreRoom.pageBytes)
      #expect(Int(status.st_blocks) * 512 >= pages * StoreRoom.pageBytes, "allocated, not only promised")
    }
  }

  @Test("nothing of a batch that does not fit is written")
  func batch() throws {
    let store = try folder.open(pageLimit: 120)
    try store.perform([accept("small", 1)])
    #expect(throws: StoreError.diskFull(path: folder.database)) {
      try store.perform([accept("second", 2), accept("big", 3, payload: .init(repeating: 1, count: 400_000))])
    }
    #expect(try store.unfinishedNames == ["small"])
    try store.close()
    let larger = try folder.open()
    try larger.perform([accept("big", 3, payload: .init(repeating: 1, count: 400_000))])
    #expect(try larger.unfinishedNames == ["small", "big"])
  }

  @Test(
    "the log has its size before it is needed, keeps it when the store is closed, and gets it back after a large batch")
  func log() throws {
    var store = try folder.open()
    func size() throws -> Int { Int(try folder.status("queue.db-wal").st_size) }
    func blocks() throws -> Int { Int(try folder.status("queue.db-wal").st_blocks) * 512 }
    #expect(try size() == StoreRoom.logBytes)
    #expect(try blocks() >= StoreRoom.logBytes)
    try store.perform([accept("a", 1)])
    try store.close()
    #expect(try size() == StoreRoom.logBytes)
    store = try folder.open()
    #expect(store.notices == [])
    let big = [UInt8](repeating: 1, count: 1 << 20)
    try store.perform((2..<12).map { try accept("big\($0)", $0, payload: big) })
    #expect(try size() > 2 * StoreRoom.logBytes)
    for number: Int64 in 20..<23 { try store.perform([accept("b\(number)", number)]) }
    #expect(try size() == StoreRoom.logBytes)
    #expect(try store.unfinishedNames.count == 14)
  }

  @Test(
    "started on a full disk: no new update is accepted until the log has its room, and waiting updates are applied",
    .enabled(if: getuid() == 0, "needs root, to mount"))
  func begunOnFullDisk() throws {
    // Room for the log and not much more, or for a long queue and no log.
    try #require(mount("tmpfs", folder.path, "tmpfs", 0, "size=7m,mode=700") == 0, "errno \(errno)")
    let filler = try Filler("\(folder.path)/filler")
    try filler.fill()
    truncate("\(folder.path)/filler", off_t(5 << 20))
    let store = try folder.open()
    var names: [String] = []
    // As long as anything is taken.
    for number in 1...20_000 {
      let name = "new\(number)"
      do {
        try store.perform([accept(name, Int64(number), payload: .init(repeating: 1, count: 500))])
        names.append(name)
      } catch {
        break
      }
    }
    try apply(names, in: store)
    #expect(names.isEmpty, "\(names.count) were accepted, and the log has no room of its own")
    filler.remove()
    try store.perform([accept("again", 30_000)])
    try apply(["again"], in: store)
    try store.close()
  }

  @Test("on a small file system that is filled to its last byte", .enabled(if: getuid() == 0, "needs root, to mount"))
  func smallFileSystem() throws {
    try #require(mount("tmpfs", folder.path, "tmpfs", 0, "size=12m,mode=700") == 0, "errno \(errno)")
    var store = try folder.open()
    var names = (1...150).map { "early\($0)" }
    for (number, name) in names.enumerated() {
      try store.perform([accept(name, Int64(number + 1), payload: [1, 2, 3])])
    }
    #expect(!store.isFull)
    let filler = try Filler("\(folder.path)/filler")
    try filler.fill()
    names += try fill(store, from: 1000)
    try filler.fill()
    #expect(store.isFull)
    #expect(try store.unfinishedNames == names)
    try apply(names.prefix(100), before: Array(names.dropFirst(100)), in: store)
    // The service is stopped and started on the full disk.
    try store.close()
    unlink("\(folder.path)/queue.db-shm")
    try filler.fill()
    store = try folder.open()
    #expect(store.notices == [])
    try apply(names.dropFirst(100), in: store)
    filler.remove()
    #expect(!store.isFull)
    try store.perform([accept("again", 5000, payload: .init(repeating: 1, count: 1 << 20))])
    try store.close()
    #expect(try folder.ask("PRAGMA integrity_check") == ["ok"])
  }
}

/// A file that takes all that a file system has left.
private final class Filler {
  private let path: String
  private let descriptor: CInt

  init(_ path: String) throws {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
  }

  deinit { close(descriptor) }

  func fill() throws {
    for size in [65536, 4096, 1] {
      let bytes = [UInt8](repeating: 0, count: size)
      while write(descriptor, bytes, size) > 0 {}
      let reason = errno
      try #require(reason == ENOSPC)
    }
  }

  func remove() {
    ftruncate(descriptor, 0)
    unlink(path)
  }
}
