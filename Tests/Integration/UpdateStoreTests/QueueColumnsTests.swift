import CSQLite
import Scheduling
import Testing
import Timeline
import UpdateStore

@Suite("The options of an update in the store")
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

  @Test("all options are read back unchanged, also at their limits and after reopening")
  func roundTrip() throws {
    let asked = [
      Update(
        id: try id("all"), handler: "page", parameters: ["a": "b"], createdAt: now,
        submitter: Submitter(uid: 1000, pid: 1), sequence: 10, place: 3, key: "k'ü\"; --", priority: -100,
        quietPeriod: .milliseconds(12_340),
        notBefore: .wall(WallTime(millisecondsSinceEpoch: now.millisecondsSinceEpoch + 1)),
        deadline: .wall(WallTime(millisecondsSinceEpoch: 253_402_300_799_999)), onDeadline: .apply),
      Update(
        id: try id("bounds"), handler: "page", parameters: [:], createdAt: now, submitter: Submitter(uid: 0, pid: 1),
        sequence: 11, key: String(repeating: "x", count: 200), priority: 100, quietPeriod: .zero,
        notBefore: .wall(WallTime(millisecondsSinceEpoch: -1)), deadline: .wall(WallTime(millisecondsSinceEpoch: .max)),
        onDeadline: .expire),
      Update(
        id: try id("spans"), handler: "page", parameters: [:], createdAt: now, submitter: Submitter(uid: 0, pid: 1),
        sequence: 12, notBefore: .steady(SteadyTime(milliseconds: -1)),
        deadline: .steady(SteadyTime(milliseconds: .max))),
      Update(
        id: try id("times"), handler: "page", parameters: [:], createdAt: now, submitter: Submitter(uid: 0, pid: 1),
        sequence: 13, notBefore: TimeOfDay("00:00").map(Moment.daily),
        deadline: TimeOfDay("23:59").map(Moment.daily)),
      Update(
        id: try id("none"), handler: "page", parameters: [:], createdAt: now, submitter: Submitter(uid: 0, pid: 1),
        sequence: 14),
    ]
    let store = try folder.open()
    try store.perform(asked.map { .accept($0, payload: []) })
    #expect(try store.unfinished().map(\.update) == asked)
    try store.close()
    let again = try folder.open()
    #expect(try again.unfinished().map(\.update) == asked)
    let none = try #require(try again.find(id("none"))?.update)
    #expect(none.key == nil && none.quietPeriod == nil && none.notBefore == nil && none.deadline == nil)
    #expect(none.place == 14 && none.priority == 0)
    #expect(try again.find(id("bounds"))?.update.quietPeriod == .zero, "zero is not nothing")
  }

  @Test("every final state is read back, counted and listed by its name", arguments: FinalState.allCases)
  func finalStates(_ state: FinalState) throws {
    let store = try folder.open()
    try store.perform([accept("a", 1), accept("b", 2), .finish(id("a"), result(state, exitCode: nil))])
    #expect(try store.find(id("a"))?.state == .finished(result(state, exitCode: nil)))
    #expect(store.counts[state.rawValue] == 1)
    #expect(try store.list(states: [state.rawValue], limit: 10).map(\.update.id.text) == ["a"])
    #expect(try store.unfinishedNames == ["b"])
  }

  // MARK: Two in one write

  @Test("replace: the older update ends and names the newer, which waits in its place; each has its own payload")
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

  @Test("replace: if the newer cannot be stored the older still waits, and nothing of the newer is stored")
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

  @Test("replace: on a full disk the older still waits, and can end")
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

  @Test("replace: an update that has ended or is unknown cannot be replaced, and the newer is not stored")
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

  @Test("replace: an update that is being applied is never replaced")
  func replaceApplying() throws {
    let store = try folder.open()
    let old = try keyed("old", 1)
    try store.perform([.accept(old, payload: []), .beginApplying(old.id, attempt: 1)])
    #expect(throws: StoreError.self) {
      try store.perform([.replace(old.id, superseded(by: "new"), with: keyed("new", 2, place: 1), payload: [])])
    }
    #expect(try store.find(old.id)?.state == .applying)
  }

  @Test("an update accepted and ended in one batch is in the history with its successor, and never waits")
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

  @Test("an invalid write later in the batch undoes them too")
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
