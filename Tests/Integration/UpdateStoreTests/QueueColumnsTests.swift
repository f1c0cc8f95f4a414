import CSQLite
import Scheduling
import Testing
import Timeline
import UpdateStore

@Suite("What an update asks of the queue, in the store")
struct QueueColumnsTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func keyed(_ name: String, _ sequence: Int64, place: Int64? = nil) throws -> Update {
    Update(
      id: try id(name), handler: "page", parameters: [:], createdAt: now, submitter: Submitter(uid: 1, pid: 2),
      sequence: sequence, place: place, key: "k")
  }

  private func superseded(by name: String) throws -> UpdateResult {
    UpdateResult(
      state: .superseded, exitCode: nil, message: "superseded by \(name)", finishedAt: now,
      releaseToStartMilliseconds: nil, successor: try id(name))
  }

  // MARK: Every column comes back

  @Test("all that an update asks comes back as it was, also at its bounds and after opening again")
  func roundTrip() throws {
    let asked = [
      Update(
        id: try id("all"), handler: "page", parameters: ["a": "b"], createdAt: now,
        submitter: Submitter(uid: 1000, pid: 1), sequence: 10, place: 3, key: "k'ü\"; --", priority: -100,
        quietPeriod: .milliseconds(12_340), notBefore: WallTime(millisecondsSinceEpoch: now.millisecondsSinceEpoch + 1),
        deadline: WallTime(millisecondsSinceEpoch: 253_402_300_799_999), onDeadline: .apply),
      Update(
        id: try id("bounds"), handler: "page", parameters: [:], createdAt: now, submitter: Submitter(uid: 0, pid: 1),
        sequence: 11, key: String(repeating: "x", count: 200), priority: 100, quietPeriod: .zero,
        notBefore: WallTime(millisecondsSinceEpoch: -1), deadline: WallTime(millisecondsSinceEpoch: .max),
        onDeadline: .expire),
      Update(
        id: try id("none"), handler: "page", parameters: [:], createdAt: now, submitter: Submitter(uid: 0, pid: 1),
        sequence: 12),
    ]
    let store = try folder.open()
    try store.perform(asked.map { .accept($0, payload: []) })
    #expect(try store.unfinished().map(\.update) == asked)
    try store.close()
    let again = try folder.open()
    #expect(try again.unfinished().map(\.update) == asked)
    let none = try #require(try again.find(id("none"))?.update)
    #expect(none.key == nil && none.quietPeriod == nil && none.notBefore == nil && none.deadline == nil)
    #expect(none.place == 12 && none.priority == 0)
    #expect(try again.find(id("bounds"))?.update.quietPeriod == .zero, "zero is not nothing")
  }

  @Test("every final state comes back by its name, and is counted and listed by it", arguments: FinalState.allCases)
  func finalStates(_ state: FinalState) throws {
    let store = try folder.open()
    try store.perform([accept("a", 1), accept("b", 2), .finish(id("a"), result(state, exitCode: nil))])
    #expect(try store.find(id("a"))?.state == .finished(result(state, exitCode: nil)))
    #expect(store.counts[state.rawValue] == 1)
    #expect(try store.list(states: [state.rawValue], limit: 10).map(\.update.id.text) == ["a"])
    #expect(try store.unfinishedNames == ["b"])
  }

  // MARK: Two in one write

  @Test("replace: the older ends and names the newer, which waits in its place; the payloads are each one's own")
  func replace() throws {
    let store = try folder.open()
    let (old, new) = (try keyed("old", 1), try keyed("new", 5, place: 1))
    try store.perform([.accept(old, payload: [1])])
    try store.perform([.replace(old.id, superseded(by: "new"), with: new, payload: [2])])
    #expect(try store.find(old.id) == StoredUpdate(update: old, attempts: 0, state: .finished(superseded(by: "new"))))
    #expect(try store.unfinished() == [StoredUpdate(update: new, attempts: 0, state: .waiting)])
    #expect(try store.payload(of: old.id) == nil && store.payload(of: new.id) == [2])
    #expect(try store.nextSequence() == 6)
  }

  @Test("replace: where the newer cannot be stored the older waits on, and nothing of the newer is there")
  func replaceFails() throws {
    let store = try folder.open()
    let old = try keyed("old", 1)
    try store.perform([.accept(old, payload: [1]), accept("taken", 2)])
    let before = try store.list(states: nil, limit: 10)
    for new in [try keyed("taken", 3, place: 1), try keyed("new", 2, place: 1)] {
      #expect(throws: StoreError.self) {
        try store.perform([.replace(old.id, superseded(by: new.id.text), with: new, payload: [2])])
      }
      #expect(try store.list(states: nil, limit: 10) == before)
    }
    #expect(try folder.ask("SELECT COUNT(*) FROM payloads") == ["2"])
  }

  @Test("replace: on a full disk the older waits on, and goes on to its end")
  func replaceOnFullDisk() throws {
    let store = try folder.open(pageLimit: 120)
    let old = try keyed("old", 1)
    try store.perform([.accept(old, payload: [])])
    #expect(throws: StoreError.diskFull(path: folder.database)) {
      try store.perform([
        .replace(
          old.id, superseded(by: "new"), with: keyed("new", 2, place: 1), payload: .init(repeating: 1, count: 400_000))
      ])
    }
    #expect(try store.unfinishedNames == ["old"])
    try store.perform([.beginApplying(old.id, attempt: 1), .finish(old.id, result(.applied))])
  }

  @Test("replace: nothing that has ended or is not there can be replaced, and then the newer is not stored either")
  func replaceNothing() throws {
    let store = try folder.open()
    let old = try keyed("old", 1)
    try store.perform([.accept(old, payload: []), .finish(old.id, result(.cancelled))])
    let new = try keyed("new", 2)
    #expect(throws: StoreError.self) {
      try store.perform([.replace(old.id, superseded(by: "new"), with: new, payload: [])])
    }
    #expect(throws: StoreError.unknownID(try id("never"))) {
      try store.perform([.replace(id("never"), superseded(by: "new"), with: new, payload: [])])
    }
    #expect(try store.find(new.id) == nil && store.unfinished() == [])
    #expect(try folder.ask("SELECT COUNT(*) FROM payloads") == ["1"])
  }

  @Test("replace: one that is being applied is never replaced")
  func replaceApplying() throws {
    let store = try folder.open()
    let old = try keyed("old", 1)
    try store.perform([.accept(old, payload: []), .beginApplying(old.id, attempt: 1)])
    #expect(throws: StoreError.self) {
      try store.perform([.replace(old.id, superseded(by: "new"), with: keyed("new", 2, place: 1), payload: [])])
    }
    #expect(try store.find(old.id)?.state == .applying)
  }

  @Test("accepted and ended at once: it is in the history with its successor, and never waits")
  func acceptEnded() throws {
    let store = try folder.open()
    let (first, second) = (try keyed("first", 1), try keyed("second", 2))
    try store.perform([.accept(first, payload: [])])
    try store.perform([.acceptEnded(second, payload: [2], superseded(by: "first"))])
    #expect(
      try store.find(second.id)
        == StoredUpdate(update: second, attempts: 0, state: .finished(superseded(by: "first"))))
    #expect(try store.payload(of: second.id) == nil)
    #expect(try store.unfinishedNames == ["first"])
    #expect(throws: StoreError.duplicateID(first.id)) {
      try store.perform([.acceptEnded(keyed("first", 3), payload: [], superseded(by: "second"))])
    }
    #expect(try store.unfinishedNames == ["first"])
  }

  @Test("a bad write after them undoes them too")
  func batch() throws {
    let store = try folder.open()
    try store.perform([.accept(keyed("old", 1), payload: [])])
    let before = try store.list(states: nil, limit: 10)
    #expect(throws: StoreError.unknownID(try id("never"))) {
      try store.perform([
        .replace(id("old"), superseded(by: "new"), with: keyed("new", 2, place: 1), payload: []),
        .acceptEnded(keyed("other", 3), payload: [], superseded(by: "new")),
        .beginApplying(id("never"), attempt: 1),
      ])
    }
    #expect(try store.list(states: nil, limit: 10) == before)
  }
}
