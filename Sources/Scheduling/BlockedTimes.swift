import Timeline

/// For how long each blocker has blocked one update. Several can block at the same time, so the sum may exceed the time
/// that it waited.
public struct BlockedTimes: Equatable, Sendable {
  /// By code, in nanoseconds. A short list and no dictionary: there may be ten thousand of these.
  private var times: [(code: Blocker.Code, nanoseconds: Int64)] = []

  public init() {}

  /// From the form of the store and the socket: milliseconds by code. Unknown codes are ignored.
  public init(milliseconds: [String: Int64]) {
    for (name, value) in milliseconds {
      if let code = Blocker.Code(rawValue: name) { add(.milliseconds(value), code) }
    }
  }

  /// Total times in milliseconds, by the raw value of the code.
  public var milliseconds: [String: Int64] {
    var named: [String: Int64] = [:]
    for (code, nanoseconds) in times where nanoseconds >= 1_000_000 { named[code.rawValue] = nanoseconds / 1_000_000 }
    return named
  }

  /// Zero if it never blocked.
  public subscript(code: Blocker.Code) -> Duration {
    .nanoseconds(times.first { $0.code == code }?.nanoseconds ?? 0)
  }

  /// Those that blocked, longest first.
  public var all: [(code: Blocker.Code, time: Duration)] {
    times.sorted { ($1.nanoseconds, $0.code.rawValue) < ($0.nanoseconds, $1.code.rawValue) }
      .map { ($0.code, .nanoseconds($0.nanoseconds)) }
  }

  /// Adds to the total time of a code.
  public mutating func add(_ time: Duration, _ code: Blocker.Code) {
    let nanoseconds = time.wholeNanoseconds
    guard nanoseconds > 0 else { return }
    if let index = times.firstIndex(where: { $0.code == code }) {
      times[index].nanoseconds += nanoseconds
    } else {
      times.append((code, nanoseconds))
    }
  }

  public static func == (a: BlockedTimes, b: BlockedTimes) -> Bool {
    Blocker.Code.allCases.allSatisfy { a[$0] == b[$0] }
  }
}

/// What blocks all updates of one screen (or those for all screens) alike, added up as it changes. So an update only
/// notes the sums at the moment it begins to wait, and no recheck walks the queue.
struct SharedTimes: Sendable {
  private var sums = BlockedTimes()
  private var running: [Blocker.Code: Instant] = [:]
  /// Since when nobody has touched, and up to when `settling` is added up.
  private var clearSince: Instant?
  private var settledTo: Instant = .distantPast
  private var settling: [Duration: Duration] = [:]

  /// From now on these block. `clearSince`: since when nobody has touched, nil while somebody does.
  mutating func set(_ codes: Set<Blocker.Code>, clearSince: Instant?, at now: Instant) {
    for (code, since) in running where !codes.contains(code) {
      sums.add(now - since, code)
      running[code] = nil
    }
    for code in codes where running[code] == nil { running[code] = now }
    if clearSince != self.clearSince {
      for (quiet, time) in settling { settling[quiet] = time + unsettled(quiet, at: now) }
      self.clearSince = clearSince
      settledTo = now
    }
  }

  /// The sums for updates that wait for this quiet period.
  mutating func reading(_ quiet: Duration, at now: Instant) -> BlockedTimes {
    // Added up from its first reader on. Readings are only compared with each other, so it may begin with anything.
    if settling[quiet] == nil { settling[quiet] = .zero }
    return peek(quiet, at: now)
  }

  func peek(_ quiet: Duration, at now: Instant) -> BlockedTimes {
    var times = sums
    for (code, since) in running { times.add(now - since, code) }
    times.add((settling[quiet] ?? .zero) + unsettled(quiet, at: now), .settling)
    return times
  }

  /// The part of the time since `settledTo` that was within the quiet period.
  private func unsettled(_ quiet: Duration, at now: Instant) -> Duration {
    guard let since = clearSince else { return .zero }
    let begin = max(settledTo, since)
    let end = min(now, since + quiet)
    return end > begin ? end - begin : .zero
  }
}

extension BlockedTimes {
  /// What was added since `base`.
  func since(_ base: BlockedTimes) -> BlockedTimes {
    var difference = BlockedTimes()
    for (code, time) in all { difference.add(time - base[code], code) }
    return difference
  }

  func plus(_ other: BlockedTimes) -> BlockedTimes {
    var sum = self
    for (code, time) in other.all { sum.add(time, code) }
    return sum
  }
}
