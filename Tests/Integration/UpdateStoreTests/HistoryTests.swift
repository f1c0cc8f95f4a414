import Scheduling
import Testing
import Timeline

@testable import UpdateStore

@Suite("The history has bounds")
struct HistoryTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(_ limits: HistoryLimits) throws -> QueueStore {
    try QueueStore(path: folder.database, now: now, keep: limits)
  }

  private func after(_ span: Duration) -> WallTime { now + span }

  /// `count` updates that ended one second after the other, between two that wait.
  private func fill(_ store: QueueStore, _ count: Int64, _ state: FinalState = .applied, payload: Int = 10) throws {
    try store.perform([accept("first", 1)])
    for number in 1...count {
      try store.perform([
        accept("u\(number)", number + 1, payload: .init(repeating: 1, count: payload)),
        .finish(id("u\(number)"), result(state, after: number * 1000)),
      ])
    }
    try store.perform([accept("last", count + 2)])
  }

  private func names(_ store: QueueStore) throws -> [String] {
    try store.list(states: nil, limit: 1000).map(\.update.id.text)
  }

  @Test("beyond KeepHistoryEntries= each end removes the oldest; waiting updates stay, however old")
  func entries() throws {
    let store = try open(HistoryLimits(entries: 3))
    try fill(store, 10)
    #expect(try names(store) == ["last", "u10", "u9", "u8", "first"])
    #expect(store.counts["applied"] == 3 && store.counts["waiting"] == 2)
    #expect(try folder.ask("SELECT COUNT(*) FROM updates") == ["5"])
    #expect(try folder.ask("SELECT COUNT(*) FROM payloads") == ["2"])
  }

  @Test("after a limit is lowered the excess is removed in steps, without waiting for the next end")
  func lowered() throws {
    try fill(try open(HistoryLimits(entries: 1000)), 250)
    let store = try open(HistoryLimits(entries: 20))
    #expect(store.counts["applied"] == 250)
    #expect(try store.prune(now) == true)
    #expect(store.counts["applied"] == 150)
    #expect(try store.prune(now) == true)
    #expect(try store.prune(now) == false)
    #expect(store.counts["applied"] == 20)
    #expect(try store.find(id("u230")) == nil && store.find(id("u231")) != nil)
    #expect(try store.unfinishedNames == ["first", "last"])
  }

  @Test("updates that ended longer ago than KeepHistory= are removed, and the store reports when the next is due")
  func age() throws {
    let store = try open(HistoryLimits(age: .seconds(100)))
    #expect(try store.historyDue() == nil)
    try fill(store, 5)
    #expect(try store.historyDue() == after(.seconds(101)))
    #expect(try store.prune(after(.seconds(101))) == false)
    #expect(try names(store).count == 7, "not before it is older than that")
    #expect(try store.prune(after(.milliseconds(103_001))) == false)
    #expect(try names(store) == ["last", "u5", "u4", "first"])
    #expect(try store.historyDue() == after(.seconds(104)))
    let forever = try open(HistoryLimits(age: .forever))
    #expect(try forever.historyDue() == nil)
    #expect(try forever.prune(after(.seconds(1_000_000_000))) == false)
    #expect(try names(forever).count == 4)
  }

  @Test(
    "applied and superseded updates drop their payload; others keep it for a retry",
    arguments: FinalState.allCases)
  func payloads(_ state: FinalState) throws {
    let store = try open(HistoryLimits())
    try fill(store, 1, state)
    let keeps = state != .applied && state != .superseded
    #expect(try store.payload(of: id("u1")) == (keeps ? [UInt8](repeating: 1, count: 10) : nil))
    #expect(try store.payload(of: id("first")) == [])
  }

  @Test("beyond KeepPayloads= the oldest payloads are removed and their updates stay, also after reopening")
  func payloadBytes() throws {
    var store = try open(HistoryLimits(payloadBytes: 350))
    try fill(store, 5, .failed, payload: 100)
    func kept() throws -> [Int] { try (1...5).map { try store.payload(of: id("u\($0)"))?.count ?? -1 } }
    #expect(try kept() == [-1, -1, 100, 100, 100])
    #expect(try names(store).count == 7)
    try store.close()
    store = try open(HistoryLimits(entries: 4, payloadBytes: 150))
    #expect(try store.prune(now) == false)
    #expect(try kept() == [-1, -1, -1, -1, 100])
    #expect(store.counts["failed"] == 4)
    try store.close()
    store = try open(HistoryLimits(payloadBytes: 0))
    _ = try store.prune(now)
    #expect(try kept() == [-1, -1, -1, -1, -1])
  }

  @Test("a retried update has its payload, which no longer counts as history; without its payload it is refused")
  func reopened() throws {
    let store = try open(HistoryLimits(payloadBytes: 100))
    try fill(store, 2, .failed, payload: 60)
    #expect(try store.payload(of: id("u1")) == nil)
    #expect(throws: StoreError.payloadGone(try id("u1"))) { try store.perform([.reopen(update("u1", 2))]) }
    #expect(try store.find(id("u1"))?.state.name == "failed")
    try store.perform([.reopen(update("u2", 3))])
    #expect(store.counts["waiting"] == 3 && store.counts["failed"] == 1)
    #expect(try folder.ask("SELECT SUM(kept) FROM updates") == ["0"])
    try store.perform([.finish(id("u2"), result(.failed, after: 9000))])
    #expect(try store.payload(of: id("u2"))?.count == 60)
    #expect(try folder.ask("SELECT SUM(kept) FROM updates") == ["60"])
  }

  // MARK: Users

  /// `count` updates of a user that have failed, with payloads of 10 bytes.
  private func end(_ count: Int64, of uid: UInt32, from first: Int64, _ store: QueueStore) throws {
    for number in first..<first + count {
      let update = Update(
        id: try id("u\(number)"), handler: "page", parameters: [:], createdAt: now,
        submitter: Submitter(uid: uid, pid: 1), sequence: number, clientID: try id("c\(number)"))
      try store.perform([
        .accept(update, payload: .init(repeating: 1, count: 10)),
        .finish(update.id, result(.failed, after: number * 1000)),
      ])
    }
  }

  private func left(of uid: UInt32) throws -> Int {
    Int(try folder.ask("SELECT COUNT(*) FROM updates WHERE uid = \(uid)").first ?? "") ?? -1
  }

  @Test("at KeepHistoryEntries= the user who has most gives way: another user's ids are not forgotten, old as they are")
  func users() throws {
    var store = try open(HistoryLimits(entries: 20))
    try end(3, of: 1000, from: 1, store)
    try end(60, of: 1001, from: 100, store)
    #expect(try left(of: 1000) == 3 && left(of: 1001) == 17)
    #expect(try store.find(id("c1"), ofUser: 1000) != nil && store.find(id("c100"), ofUser: 1001) == nil)
    try end(15, of: 1002, from: 200, store)
    #expect(try left(of: 1000) == 3 && left(of: 1001) == 8 && left(of: 1002) == 9)
    try store.close()
    store = try open(HistoryLimits(entries: 6))
    #expect(try store.prune(now) == false)
    #expect(try left(of: 1000) == 2 && left(of: 1001) == 2 && left(of: 1002) == 2)
    #expect(try store.find(id("u214")) != nil && store.find(id("u3")) != nil, "the newest stay")
  }

  @Test("beyond KeepPayloads= the user whose payloads are largest together loses theirs first")
  func payloadsOfUsers() throws {
    let store = try open(HistoryLimits(payloadBytes: 100))
    try end(3, of: 1000, from: 1, store)
    try end(20, of: 1001, from: 100, store)
    #expect(try (1...3).allSatisfy { try store.payload(of: id("u\($0)"))?.count == 10 })
    #expect(try store.payload(of: id("u119"))?.count == 10 && store.payload(of: id("u100")) == nil)
    #expect(try folder.ask("SELECT SUM(kept) FROM updates") == ["100"])
  }

  @Test("a batch that fails leaves the counts as they were")
  func countsAfterFailure() throws {
    let store = try open(HistoryLimits(entries: 1))
    try fill(store, 2)
    let before = store.counts
    #expect(throws: StoreError.self) {
      try store.perform([accept("x", 50), .finish(id("first"), result(.failed)), .finish(id("none"), result(.failed))])
    }
    #expect(store.counts == before)
    #expect(try names(store) == ["last", "u2", "first"])
  }
}
