import Scheduling
import Testing
import Timeline
import UpdateStore

@Suite("Pauses, holds, retries and expedites in the store")
struct ControlRowsTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func later(_ milliseconds: Int64) -> WallTime {
    WallTime(millisecondsSinceEpoch: now.millisecondsSinceEpoch + milliseconds)
  }

  @Test("screen, urgency, backoff, boot, interruptions and overridden blockers survive reopening")
  func standing() throws {
    let store = try folder.open()
    let a = Update(
      id: try id("a"), handler: "page", parameters: [:], createdAt: now, submitter: Submitter(uid: 1, pid: 2),
      sequence: 1, screen: "till \"1\"")
    let backoff = StoredBackoff(until: steady(5000), setbacks: 3, reason: "exit 1; it's \"broken\"")
    try store.perform([
      .accept(a, payload: []), .expedite(a.id, .force),
      .beginApplying(a.id, attempt: 1, boot: "b-1", overrode: [.touched]),
      .backToWaiting(a.id, attempts: 1, backoff: backoff, interruptions: 2),
    ])
    try store.close()
    #expect(
      try folder.open().unfinished() == [
        StoredUpdate(
          update: a, attempts: 1, state: .waiting, expedited: .force, backoff: backoff, interruptions: 2, boot: "b-1",
          overrode: [.touched])
      ])
  }

  @Test("a failure ends an expedite by apply, not one by force; apply ends a backoff, and never weakens force")
  func urgency() throws {
    let store = try folder.open()
    let backoff = StoredBackoff(until: steady(5000), setbacks: 1, reason: "")
    for (number, expedited) in [(1, Expedited.apply), (2, .force)] as [(Int64, Expedited)] {
      let name = "\(expedited)"
      try store.perform([
        accept(name, number), .expedite(id(name), expedited), .beginApplying(id(name), attempt: 1),
        .backToWaiting(id(name), attempts: 0),
      ])
      #expect(try store.find(id(name))?.expedited == expedited, "a touch came in between")
      try store.perform([
        .beginApplying(id(name), attempt: 1), .backToWaiting(id(name), attempts: 1, backoff: backoff),
      ])
    }
    #expect(try store.find(id("apply"))?.expedited == Expedited.none)
    #expect(try store.find(id("force"))?.expedited == .force)
    try store.perform([.expedite(id("force"), .apply)])
    #expect(try store.find(id("force"))?.expedited == .force)
    #expect(try store.find(id("force"))?.backoff == nil)
  }

  @Test("a retried update starts afresh, and keeps its place, its payload and its options")
  func reopen() throws {
    let store = try folder.open()
    var a = Update(
      id: try id("a"), handler: "page", parameters: ["x": "y"], createdAt: now, submitter: Submitter(uid: 1, pid: 2),
      sequence: 7, place: 3, key: "k", priority: 5, deadline: .wall(later(1)))
    var ended = result(.expired)
    ended.blocked = BlockedTimes(milliseconds: ["touched": 41_000])
    try store.perform([.accept(a, payload: [1, 2]), .finish(a.id, ended)])
    #expect(try store.find(a.id)?.state == .finished(ended))
    a.deadline = nil
    try store.perform([.reopen(a)])
    #expect(try store.find(a.id) == StoredUpdate(update: a, attempts: 0, state: .waiting))
    #expect(try store.payload(of: a.id) == [1, 2])
    try store.perform([.finish(a.id, result(.applied))])
    #expect(throws: StoreError.self, "applied") { try store.perform([.reopen(a)]) }
  }

  @Test("blocked times of waiting updates survive reopening; those of ended ones do not change")
  func blocked() throws {
    let store = try folder.open()
    try store.perform([accept("waits", 1), accept("ended", 2)])
    var ended = result(.failed)
    ended.blocked = BlockedTimes(milliseconds: ["hold": 5])
    try store.perform([.finish(id("ended"), ended)])
    let times = BlockedTimes(milliseconds: ["touched": 41_000, "settling": 3])
    try store.keep(blocked: [id("waits"): times, id("ended"): times, id("never"): times])
    try store.close()
    let again = try folder.open()
    #expect(try again.find(id("waits"))?.blocked == times)
    #expect(try again.find(id("ended"))?.state == .finished(ended))
    #expect(try again.find(id("ended"))?.blocked == ended.blocked)
  }

  @Test("there is one pause, the latest, and it is removed on resume")
  func pause() throws {
    let store = try folder.open()
    #expect(try store.pause() == nil)
    let first = OperatorPause(since: now, by: Submitter(uid: 4_294_967_295, pid: 4711), reason: "inventory")
    let second = OperatorPause(since: later(1), by: Submitter(uid: 0, pid: 1), reason: "")
    try store.perform([.pause(first)])
    #expect(try store.pause() == first)
    try store.perform([.pause(second)])
    try store.close()
    let again = try folder.open()
    #expect(try again.pause() == second)
    try again.perform([.pause(nil), .pause(nil)])
    #expect(try again.pause() == nil)
  }

  @Test("holds with an expiry survive reopening, holds without are not stored, and released ones are removed")
  func holds() throws {
    let store = try folder.open()
    let owner = Submitter(uid: 7, pid: 8)
    let full = Hold(
      id: try id("a"), screen: "till", owner: owner, unit: "shop.service", reason: "sale", since: now, until: steady(9))
    let bare = Hold(id: try id("b"), owner: owner, reason: "", since: later(1), until: steady(9))
    let bound = Hold(id: try id("c"), owner: owner, reason: "", since: now, until: nil)
    try store.perform([.hold(bare), .hold(full), .hold(bound)])
    try store.close()
    let again = try folder.open()
    #expect(try again.holds() == [full, bare])
    try again.perform([.release(full.id), .release(id("never"))])
    #expect(try again.holds() == [bare])
  }

  @Test(
    "holds and turns that are bound to a connection survive reopening with their owner's process, until they are released"
  )
  func boundHolds() throws {
    let store = try folder.open()
    let owner = Submitter(uid: 7, pid: 8)
    let full = BoundHold(
      hold: Hold(
        id: try id("a"), screen: "till", owner: owner, unit: "shop.service", reason: "sale", since: now, until: nil),
      startTicks: .max, boot: "b")
    let bare = BoundHold(
      hold: Hold(id: try id("b"), owner: owner, reason: "", since: later(1), until: nil), startTicks: nil, boot: "")
    try store.perform([.bind(bare), .bind(full)])
    try store.close()
    let again = try folder.open()
    #expect(try again.boundHolds() == [full, bare] && again.holds() == [])
    let other = BoundHold(hold: full.hold, startTicks: 9, boot: "b")
    try again.perform([.bind(other), .release(bare.hold.id)])
    #expect(try again.boundHolds() == [other], "taken again by another process")
  }

  @Test("reboots are counted as applied updates of these handlers since a time")
  func reboots() throws {
    let store = try folder.open()
    for (number, state) in [FinalState.applied, .applied, .failed, .applied].enumerated() {
      let update = Update(
        id: try id("a\(number)"), handler: number == 3 ? "page" : "os", parameters: [:], createdAt: now,
        submitter: Submitter(uid: 1, pid: 2), sequence: Int64(number + 1), key: number == 0 ? nil : "k")
      try store.perform([.accept(update, payload: []), .finish(update.id, result(state, after: Int64(number)))])
    }
    let all = [
      Reboot(handler: "os", at: now), Reboot(handler: "os", at: later(1)),
    ]
    #expect(try store.reboots(of: ["os", "other"], since: now) == all)
    #expect(try store.reboots(of: ["os"], since: later(1)) == [all[1]])
    #expect(try store.reboots(of: [], since: now) == [])
  }

  @Test("a newer update with the same key is one that came later and is waiting, being applied, or applied")
  func newer() throws {
    let store = try folder.open()
    func keyed(_ name: String, _ sequence: Int64, handler: String = "page", key: String? = "k") throws -> Update {
      Update(
        id: try id(name), handler: handler, parameters: [:], createdAt: now, submitter: Submitter(uid: 1, pid: 2),
        sequence: sequence, key: key)
    }
    let a = try keyed("a", 1)
    try store.perform([.accept(a, payload: []), .accept(try keyed("b", 2, handler: "other"), payload: [])])
    try store.perform([
      .accept(try keyed("c", 3, key: "l"), payload: []), .accept(try keyed("d", 4, key: nil), payload: []),
    ])
    #expect(try store.newer(than: a, ofUser: 1) == nil)
    let e = try keyed("e", 5)
    try store.perform([.accept(e, payload: [])])
    #expect(try store.newer(than: a, ofUser: 1) == e.id)
    #expect(try store.newer(than: e, ofUser: 1) == nil)
    #expect(try store.newer(than: a, ofUser: 2) == nil && store.newer(than: a, ofUser: nil) == e.id)
    try store.perform([.finish(e.id, result(.failed))])
    #expect(try store.newer(than: a, ofUser: 1) == nil)
    #expect(try store.newer(than: try keyed("d", 4, key: nil), ofUser: 1) == nil)
  }
}
