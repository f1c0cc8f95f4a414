import Scheduling
import Testing
import Timeline
import UpdateStore

@Suite("The queue in the store")
struct QueueStoreTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("a new store is empty, counts every state as 0, and begins with sequence 1")
  func empty() throws {
    let store = try folder.open()
    #expect(store.notices == [])
    #expect(try store.unfinished() == [])
    let none = ["waiting": 0, "applying": 0, "applied": 0, "failed": 0, "superseded": 0, "cancelled": 0, "expired": 0]
    #expect(store.counts == none)
    #expect(try store.lastFinished() == nil)
    #expect(try store.nextSequence() == 1)
    #expect(try store.find(id("a")) == nil)
    #expect(try store.payload(of: id("a")) == nil)
  }

  @Test("an update goes from waiting to applied and keeps all its fields")
  func life() throws {
    let store = try folder.open()
    let asked = try update("a", 7, parameters: ["url": "https://example.org"])
    try store.perform([.accept(asked, payload: [1, 2, 3])])
    #expect(try store.find(asked.id) == StoredUpdate(update: asked, attempts: 0, state: .waiting))
    try store.perform([.beginApplying(asked.id, attempt: 1)])
    #expect(try store.find(asked.id) == StoredUpdate(update: asked, attempts: 1, state: .applying))
    try store.perform([.backToWaiting(asked.id, attempts: 0)])
    #expect(try store.find(asked.id) == StoredUpdate(update: asked, attempts: 0, state: .waiting))
    try store.perform([.beginApplying(asked.id, attempt: 1)])
    let end = UpdateResult(
      state: .failed, exitCode: nil, message: "killed after 5 min:\n'✗'", finishedAt: now,
      releaseToStartMilliseconds: 3)
    try store.perform([.finish(asked.id, end)])
    #expect(try store.find(asked.id) == StoredUpdate(update: asked, attempts: 1, state: .finished(end)))
    #expect(try store.payload(of: asked.id) == [1, 2, 3])
    #expect(store.counts.filter { $0.value > 0 } == ["failed": 1])
    #expect(try store.nextSequence() == 8)
  }

  @Test("a waiting update may end without having been applied")
  func endsWaiting() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1), .finish(id("a"), result(.failed, exitCode: nil))])
    #expect(try store.find(id("a"))?.state == .finished(result(.failed, exitCode: nil)))
  }

  @Test("unfinished updates are returned in the order of their sequence, the list newest first")
  func order() throws {
    let store = try folder.open()
    try store.perform([accept("third", 30), accept("first", 10), accept("fourth", 40), accept("second", 20)])
    try store.perform([.beginApplying(id("third"), attempt: 1), .finish(id("second"), result(.applied))])
    #expect(try store.unfinishedNames == ["first", "third", "fourth"])
    func list(_ states: Set<String>?, _ limit: Int) throws -> [String] {
      try store.list(states: states, limit: limit).map(\.update.id.text)
    }
    #expect(try list(nil, 10) == ["fourth", "third", "second", "first"])
    #expect(try list(nil, 2) == ["fourth", "third"])
    #expect(try list(["waiting", "applied"], 10) == ["fourth", "second", "first"])
    #expect(try list(["waiting", "applied"], 2) == ["fourth", "second"])
    #expect(try list([], 10) == [])
    #expect(try list(["'; DROP TABLE updates; --"], 10) == [])
    #expect(try list(nil, 0) == [])
    #expect(try list(nil, -1) == [])
  }

  @Test("the last finished update is the one that ended last, not the newest")
  func lastFinished() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1), accept("b", 2), accept("c", 3)])
    try store.perform([.finish(id("a"), result(.applied, after: 500)), .finish(id("b"), result(.failed, after: 200))])
    #expect(try store.lastFinished()?.update.id == id("a"))
  }

  @Test("every wrong order of states is refused and changes nothing")
  func wrongState() throws {
    let store = try folder.open()
    try store.perform([accept("waiting", 1), accept("applying", 2), accept("applied", 3)])
    try store.perform([.beginApplying(id("applying"), attempt: 1), .finish(id("applied"), result(.applied))])
    let before = try store.list(states: nil, limit: 10)
    let wrong: [(StoreWrite, String, [String])] = [
      (.backToWaiting(try id("waiting"), attempts: 0), "waiting", ["applying"]),
      (.beginApplying(try id("applying"), attempt: 2), "applying", ["waiting"]),
      (.beginApplying(try id("applied"), attempt: 2), "applied", ["waiting"]),
      (.backToWaiting(try id("applied"), attempts: 0), "applied", ["applying"]),
      (.finish(try id("applied"), result(.failed)), "applied", ["waiting", "applying"]),
    ]
    for (write, state, allowed) in wrong {
      #expect(throws: StoreError.wrongState(try #require(write.id), state: state, allowed: allowed)) {
        try store.perform([write])
      }
    }
    #expect(throws: StoreError.unknownID(try id("none"))) {
      try store.perform([.beginApplying(id("none"), attempt: 1)])
    }
    #expect(try store.list(states: nil, limit: 10) == before)
  }

  @Test("an id or a sequence that already exists is refused")
  func duplicates() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1, payload: [1])])
    #expect(throws: StoreError.duplicateID(try id("a"))) { try store.perform([accept("a", 2, payload: [2])]) }
    #expect(throws: StoreError.self) { try store.perform([accept("b", 1)]) }
    #expect(try store.unfinishedNames == ["a"])
    #expect(try store.payload(of: id("a")) == [1])
  }

  @Test("one invalid write in a batch undoes the others, which are never visible")
  func allOrNothing() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1)])
    #expect(throws: StoreError.unknownID(try id("none"))) {
      try store.perform([
        accept("b", 2, payload: [7]), .beginApplying(id("a"), attempt: 1), .finish(id("none"), result(.applied)),
      ])
    }
    #expect(try store.unfinished() == [StoredUpdate(update: update("a", 1), attempts: 0, state: .waiting)])
    #expect(try folder.ask("SELECT id || state FROM updates") == ["awaiting"])
    #expect(try folder.ask("SELECT COUNT(*) FROM payloads") == ["1"])
    try store.perform([accept("b", 2)])
    #expect(try store.unfinishedNames == ["a", "b"])
    try store.perform([])
  }

  @Test("a payload of a mebibyte with every byte value is read back unchanged")
  func payload() throws {
    let store = try folder.open()
    let payload = (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) }
    #expect(Set(payload).count == 256)
    try store.perform([accept("big", 1, payload: payload), accept("none", 2)])
    #expect(try store.payload(of: id("big")) == payload)
    #expect(try store.payload(of: id("none")) == [])
    try store.close()
    #expect(try folder.open().payload(of: id("big")) == payload)
  }

  @Test("unusual characters in names and values are read back byte for byte")
  func oddCharacters() throws {
    let store = try folder.open()
    let parameters = [
      "quote": "'; DROP TABLE updates; --", "double\"": "\"\\\"{}[]:,", "unicode": "Ärger 触摸 👆🏽 \u{202e}",
      "composed": "\u{e9}", "decomposed": "e\u{301}", "control": "\u{1}\t\r\n\u{7f}\u{2028}", "slash": "a/b\\/c",
      "empty": "", "": "no name",
    ]
    let id = try id("9._-Z")
    let odd = Update(
      id: id, handler: "a'b\"ü", parameters: parameters, createdAt: WallTime(millisecondsSinceEpoch: -1),
      submitter: Submitter(uid: 0, pid: -1), sequence: .max - 1)
    try store.perform([.accept(odd, payload: [])])
    let found = try #require(try store.find(id)?.update)
    #expect(found == odd)
    // Swift's == takes composed and decomposed letters for the same.
    for (name, value) in parameters {
      #expect(found.parameters[name].map { Array($0.utf8) } == Array(value.utf8))
    }
  }

  @Test("every call on a closed store throws closed")
  func closed() throws {
    let store = try folder.open()
    try store.perform([accept("a", 1)])
    try store.close()
    try store.close()
    #expect(throws: StoreError.closed) { try store.unfinished() }
    #expect(throws: StoreError.closed) { try store.perform([accept("b", 2)]) }
    #expect(folder.names == ["queue.db", "queue.db-shm", "queue.db-wal"])
  }

  // MARK: Clients' ids

  private func named(
    _ name: String, _ sequence: Int64, uid: UInt32, groups: [UInt32]? = nil, client: String = "c"
  ) throws -> Update {
    Update(
      id: try id(name), handler: "page", parameters: [:], createdAt: now,
      submitter: Submitter(uid: uid, pid: 1, groups: groups), sequence: sequence, clientID: try id(client))
  }

  @Test("a client's id is unique among the updates of its user, and found by both")
  func clientIDs() throws {
    let store = try folder.open()
    let (a, b) = (try named("a", 1, uid: 1000, groups: [100, 27]), try named("b", 2, uid: 1001, groups: []))
    try store.perform([.accept(a, payload: []), .accept(b, payload: [])])
    #expect(throws: StoreError.duplicateClientID(try id("c"), uid: 1000)) {
      try store.perform([.accept(named("d", 3, uid: 1000), payload: [])])
    }
    #expect(try store.find(id("c"), ofUser: 1000)?.update == a && store.find(id("c"), ofUser: 1001)?.update == b)
    #expect(try store.find(id("c"), ofUser: 1002) == nil && store.find(id("d")) == nil)
    #expect(try store.named(id("c"), limit: 10).map(\.update) == [a, b])
    #expect(try store.named(id("c"), limit: 1).map(\.update) == [a] && store.named(id("x"), limit: 1) == [])
    try store.close()
    #expect(try folder.open().unfinished().map(\.update) == [a, b], "groups are stored: none, some and unknown differ")
  }
}
