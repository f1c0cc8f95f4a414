import Timeline

/// Everything that waits, ordered so that the next to be applied is found without walking it: submit, cancel, start and
/// the next deadline cost O(log n), and a recheck costs O(number of different quiet periods).
///
/// An update is in exactly one place: in the lane of its quiet period, or among those that wait for a time. What was
/// removed from the middle of a heap is skipped when it comes up: its ticket is no longer the update's.
struct WaitingLine: Sendable {
  /// Order among those that may go: priority, then place.
  struct Rank: Comparable, Sendable {
    let priority: Int
    let place: Int64
    let id: WorkID
    let ticket: Int

    static func < (a: Rank, b: Rank) -> Bool { (b.priority, a.place) < (a.priority, b.place) }
    static func == (a: Rank, b: Rank) -> Bool { a.ticket == b.ticket }
  }

  /// Something that is due at a time; of the monotonic clock or of the wall clock, as its heap says.
  private struct Due: Comparable, Sendable {
    let time: Int64
    let id: WorkID
    let ticket: Int

    static func < (a: Due, b: Due) -> Bool { (a.time, a.ticket) < (b.time, b.ticket) }
    static func == (a: Due, b: Due) -> Bool { a.ticket == b.ticket }
  }

  /// What is due at times of the wall clock and of the steady clock, in milliseconds.
  private struct Times: Sendable {
    var wall = Heap<Due>()
    var steady = Heap<Due>()

    /// A time of day without a day comes again once it has one.
    mutating func push(_ moment: Moment, _ id: WorkID, _ ticket: Int) {
      switch moment {
      case .wall(let time): wall.push(Due(time: time.millisecondsSinceEpoch, id: id, ticket: ticket))
      case .steady(let time): steady.push(Due(time: time.milliseconds, id: id, ticket: ticket))
      case .daily: break
      }
    }

    /// What has come, the spans first.
    mutating func take(_ clocks: Clocks) -> [Due] {
      var taken: [Due] = []
      while let due = steady.first, due.time <= clocks.steady.milliseconds {
        _ = steady.pop()
        taken.append(due)
      }
      while clocks.isSet, let due = wall.first, due.time <= clocks.wall.millisecondsSinceEpoch {
        _ = wall.pop()
        taken.append(due)
      }
      return taken
    }

    mutating func tidy(_ isCurrent: (Due) -> Bool) {
      wall.tidy(isValid: isCurrent)
      steady.tidy(isValid: isCurrent)
    }
  }

  /// Those that wait for the same: one screen (nil: all), and how long nobody may have touched it.
  struct Lane: Hashable, Sendable {
    let screen: String?
    let quiet: Duration
  }

  private enum Spot: Equatable, Sendable {
    case lane(Lane)
    case forced
    /// Until somebody intervenes; the code says what blocks.
    case parked(Blocker.Code)
    case backoff(Instant)
    case notBefore(Moment)
  }

  private struct Member: Sendable {
    let work: Work
    let key: UpdateKey?
    let ticket: Int
    let spot: Spot
  }

  private var members: [WorkID: Member] = [:]
  private var lanes: [Lane: Heap<Rank>] = [:]
  /// Those that wait for nothing but the one that is being applied.
  private var forced = Heap<Rank>()
  private var backoffs = Heap<Due>()
  private var notBefores = Times()
  private var deadlines = Times()
  /// Those whose `notBefore` has come, the latest first: the clock may be set back.
  private var matured = Heap<Due>()
  private var ages = Heap<Rank>()
  private var byKey: [UpdateKey: UpdateID] = [:]
  private var byUser: [UInt32: Load] = [:]
  /// Of all updates.
  private(set) var load = Load()
  private var lastTicket = 0

  /// How many updates, and how large they are together.
  struct Load: Sendable {
    var count = 0
    /// Payloads and parameters.
    var bytes = 0

    mutating func add(_ update: Update, _ sign: Int) {
      count += sign
      bytes += sign * update.size
    }
  }

  /// Updates and turns.
  var count: Int { members.count }
  func contains(_ id: WorkID) -> Bool { members[id] != nil }
  func load(of user: UInt32) -> Load { byUser[user] ?? Load() }
  var isAnyForced: Bool { forced.first != nil }
  /// The first update that came.
  var oldest: UpdateID? { ages.first?.id.update }

  /// The one that waits with this key.
  func member(_ key: UpdateKey) -> UpdateID? { byKey[key] }

  // MARK: Coming and going

  /// What an update waits for, of its own.
  enum Reason: Equatable {
    /// Its turn, once nobody has touched for so long.
    case turn(quiet: Duration)
    case backoff(until: Instant)
    case notBefore(Moment)
    case parked(Blocker.Code)
    /// Nothing but the one that is being applied.
    case nothing
  }

  /// `isExpedited`: `notBefore` does not count any more; `isDeadlineMet`: nothing more happens at its deadline.
  mutating func insert(
    _ work: Work, _ key: UpdateKey?, for reason: Reason, isExpedited: Bool = false, isDeadlineMet: Bool = false
  ) {
    lastTicket += 1
    let rank = Rank(priority: work.priority, place: work.place, id: work.id, ticket: lastTicket)
    let spot: Spot
    switch reason {
    case .backoff(let until):
      spot = .backoff(until)
      backoffs.push(Due(time: until.nanoseconds, id: work.id, ticket: lastTicket))
    case .notBefore(let time):
      spot = .notBefore(time)
      notBefores.push(time, work.id, lastTicket)
    case .turn(let quiet):
      let lane = Lane(screen: work.screen, quiet: quiet)
      spot = .lane(lane)
      lanes[lane, default: Heap()].push(rank)
      if case .wall(let time) = work.update?.notBefore, !isExpedited {
        matured.push(Due(time: -time.millisecondsSinceEpoch, id: work.id, ticket: lastTicket))
      }
    case .nothing:
      spot = .forced
      forced.push(rank)
    case .parked(let code):
      spot = .parked(code)
    }
    members[work.id] = Member(work: work, key: key, ticket: lastTicket, spot: spot)
    guard case .update(let update) = work else { return }
    byUser[update.submitter.uid, default: Load()].add(update, 1)
    load.add(update, 1)
    if let key { byKey[key] = update.id }
    if let deadline = update.deadline, !isDeadlineMet {
      deadlines.push(deadline, work.id, lastTicket)
    }
    ages.push(Rank(priority: 0, place: update.place, id: work.id, ticket: lastTicket))
  }

  /// - Returns: whether it was there.
  @discardableResult mutating func remove(_ id: WorkID) -> Bool {
    guard let member = members.removeValue(forKey: id) else { return false }
    if case .update(let update) = member.work { uncount(update, member.key) }
    if case .lane(let lane) = member.spot { tidy(lane) }
    tidy()
    return true
  }

  private mutating func uncount(_ update: Update, _ key: UpdateKey?) {
    let user = update.submitter.uid
    byUser[user]?.add(update, -1)
    if byUser[user]?.count == 0 { byUser[user] = nil }
    load.add(update, -1)
    if let key, byKey[key] == update.id { byKey[key] = nil }
  }

  // MARK: Who is next

  /// The first of those that are forced, else of those whose quiet period is over, by priority and place. `opens` says
  /// when a quiet period is over; nil: not before something else happens.
  func next(at now: Instant, opens: (Lane) -> Instant?) -> WorkID? {
    if let first = forced.first { return first.id }
    var best: Rank?
    for (lane, ranks) in lanes {
      guard let rank = ranks.first, let time = opens(lane), time <= now else { continue }
      best = min(best ?? rank, rank)
    }
    return best?.id
  }

  /// Who is before this one: the first of those that are forced, or that need no longer quiet period of the same
  /// screen. Nil: nobody, or it waits for a time.
  func ahead(of id: WorkID) -> WorkID? {
    guard let member = members[id] else { return nil }
    let first: Rank?
    switch member.spot {
    case .forced: first = forced.first
    case .lane(let own):
      let before = lanes.filter { $0.key.quiet <= own.quiet && ($0.key.screen == own.screen || own.screen == nil) }
      first = forced.first ?? before.values.compactMap(\.first).min()
    case .backoff, .notBefore, .parked: return nil
    }
    return first.flatMap { $0.id == id ? nil : $0.id }
  }

  func waiting(_ id: WorkID) -> Reason? {
    members[id].map {
      switch $0.spot {
      case .lane(let lane): .turn(quiet: lane.quiet)
      case .backoff(let until): .backoff(until: until)
      case .notBefore(let time): .notBefore(time)
      case .forced: .nothing
      case .parked(let code): .parked(code)
      }
    }
  }

  // MARK: Times

  /// Those whose time has come, removed: to be inserted again without it.
  mutating func takeRipe(at now: Instant, _ clocks: Clocks) -> [WorkID] {
    var ripe: [WorkID] = []
    while let due = backoffs.first, due.time <= now.nanoseconds {
      _ = backoffs.pop()
      if members[due.id]?.ticket == due.ticket, remove(due.id) { ripe.append(due.id) }
    }
    for due in notBefores.take(clocks) {
      if members[due.id]?.ticket == due.ticket, remove(due.id) { ripe.append(due.id) }
    }
    return ripe
  }

  /// Those whose time is to come again, because the wall clock was set back; removed, to be inserted with it.
  mutating func takeUnripe(wall: WallTime) -> [WorkID] {
    var unripe: [WorkID] = []
    while let due = matured.first, -due.time > wall.millisecondsSinceEpoch {
      _ = matured.pop()
      if remove(due.id) { unripe.append(due.id) }
    }
    return unripe
  }

  /// Those whose deadline has come; each is returned once.
  mutating func takeOverdue(_ clocks: Clocks) -> [Update] {
    var overdue: [Update] = []
    for due in deadlines.take(clocks) {
      if let member = members[due.id], member.ticket == due.ticket, let update = member.work.update {
        overdue.append(update)
      }
    }
    return overdue
  }

  /// The earliest of all times, on the monotonic clock; `wall` and `steady`: those clocks minus the monotonic one. `ends`: whether
  /// deadlines count.
  func nextDeadline(
    wall: Duration, steady: Duration, isClockSet: Bool, ends: Bool, opens: (Lane) -> Instant?
  ) -> Instant? {
    var times = lanes.keys.compactMap(opens)
    if let due = backoffs.first { times.append(Instant(nanoseconds: due.time)) }
    for heaps in ends ? [notBefores, deadlines] : [notBefores] {
      for (due, offset) in [(heaps.steady.first, steady), (isClockSet ? heaps.wall.first : nil, wall)] {
        if let due { times.append(Instant(nanoseconds: 0) + (.milliseconds(due.time) - offset)) }
      }
    }
    return times.min()
  }

  // MARK: Keeping the heads true

  private mutating func tidy(_ lane: Lane) {
    lanes[lane]?.tidy { members[$0.id]?.ticket == $0.ticket }
    if lanes[lane]?.first == nil { lanes[lane] = nil }
  }

  private mutating func tidy() {
    let members = members
    forced.tidy { members[$0.id]?.ticket == $0.ticket }
    ages.tidy { members[$0.id]?.ticket == $0.ticket }
    backoffs.tidy { members[$0.id]?.ticket == $0.ticket }
    notBefores.tidy { members[$0.id]?.ticket == $0.ticket }
    deadlines.tidy { members[$0.id]?.ticket == $0.ticket }
    matured.tidy { members[$0.id]?.ticket == $0.ticket }
  }
}
