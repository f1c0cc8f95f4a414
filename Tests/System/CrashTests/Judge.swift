/// What a client knows about one of its updates.
struct Wanted: Sendable {
  enum Kind: String, CaseIterable {
    /// Succeeds at once.
    case once
    /// Fails at first, and is tried again.
    case retry
    /// Asks once to be tried later (exit status 75).
    case later
    /// Fails, and is not tried again.
    case fail
    /// As `once`, but not again after an interruption (OnInterrupted=fail).
    case atMostOnce
    /// As `once`, with a key: a newer update replaces it.
    case keyed
  }

  let id: String
  let kind: Kind
  /// The service has answered 202.
  var isAccepted = false
  /// It was submitted more than once.
  var isRepeated = false
  /// A client has asked to cancel it, whatever came of that.
  var cancelTried = false
  /// Length of the handlers' log, in lines, when a client learned that the update has ended: no start may follow.
  var endedAt: Int?
}

/// What the service finally reports about one update.
struct Outcome: Equatable {
  let state: String
  var successor: String?
  /// Given up after too many interruptions in a row (`HandlerPolicy.mostInterruptions`).
  var isGivenUp = false
  /// Interrupted, and not started again (OnInterrupted=fail).
  var isInterrupted = false
}

/// Finds accepted updates that were lost, and updates that were applied more often than their policy allows.
struct Judge {
  private(set) var lost: [String] = []
  private(set) var doubled: [String] = []
  /// Any other fault.
  private(set) var wrong: [String] = []
  private(set) var givenUp = 0

  /// How often handlers with `Kind.retry` are started at most, without crashes.
  static let attempts = 3

  /// `historyGivesWay`: on a full disk the service may have forgotten what has ended; then the handlers' word counts.
  private let historyGivesWay: Bool

  init(_ wanted: [Wanted], _ outcomes: [String: Outcome], _ log: HandlerLog, historyGivesWay: Bool = false) {
    self.historyGivesWay = historyGivesWay
    let starts = Self.starts(log)
    for item in wanted {
      judgeEnd(item, outcomes, starts[item.id] ?? [])
      judgeStarts(item, starts[item.id] ?? [], log)
    }
    for id in starts.keys.sorted() where !wanted.contains(where: { $0.id == id }) {
      wrong.append("\(id) was applied, and nobody wanted it")
    }
    judgeOrder(log)
  }

  private struct Start {
    let line: Int
    let life: Int
    let payload: String
    let isLastOfLife: Bool
    var status: Int?
  }

  private static func starts(_ log: HandlerLog) -> [String: [Start]] {
    var last: [Int: Int] = [:]
    for (number, line) in log.lines.enumerated() {
      if case .begin(_, let life, _, _, _) = line { last[life] = number }
    }
    var starts: [String: [Start]] = [:]
    for (number, line) in log.lines.enumerated() {
      switch line {
      case .begin(let id, let life, _, _, let payload):
        starts[id, default: []].append(
          Start(line: number, life: life, payload: payload, isLastOfLife: last[life] == number))
      case .end(let id, _, let status):
        guard let count = starts[id]?.count else { continue }
        starts[id]?[count - 1].status = status
      }
    }
    return starts
  }

  private mutating func judgeEnd(_ item: Wanted, _ outcomes: [String: Outcome], _ starts: [Start]) {
    guard let outcome = outcomes[item.id] else {
      let isDone = item.kind == .fail ? starts.contains { $0.status == 1 } : starts.contains { $0.status == 0 }
      let mayBeForgotten = historyGivesWay && (isDone || item.cancelTried || item.kind == .keyed)
      if item.isAccepted && !mayBeForgotten {
        lost.append("\(item.id) was accepted, and the service does not know it")
      }
      return
    }
    let successes = starts.filter { $0.status == 0 }.count
    switch outcome.state {
    case "applied":
      if successes == 0 { lost.append("\(item.id) is said to be applied, and no handler has done it") }
      if item.kind == .fail { wrong.append("\(item.id) is said to be applied, and its handler fails") }
    case "failed" where outcome.isGivenUp:
      givenUp += 1
    case "failed" where outcome.isInterrupted && item.kind == .atMostOnce:
      break
    case "failed":
      if item.kind != .fail || !starts.contains(where: { ($0.status ?? 0) != 0 }) {
        lost.append("\(item.id) is said to have failed, and its handler succeeds")
      }
    case "cancelled":
      if !item.cancelTried { lost.append("\(item.id) is cancelled, and nobody asked for that") }
    case "superseded":
      var seen: Set<String> = []
      var next = outcome
      while next.state == "superseded", let id = next.successor, seen.insert(id).inserted, let other = outcomes[id] {
        next = other
      }
      let isReplaced = next.state == "applied" || next.state == "cancelled" || next.isGivenUp
      if item.kind != .keyed || !isReplaced { lost.append("\(item.id) is superseded by nothing that was applied") }
    default:
      lost.append("\(item.id) is \(outcome.state) for ever")
    }
  }

  /// Between two starts of one update there must be a reason: its handler failed or put it off, as its policy allows; or
  /// the service died when this was the last thing that it had started.
  private mutating func judgeStarts(_ item: Wanted, _ starts: [Start], _ log: HandlerLog) {
    // What was forgotten is new when it is submitted again.
    if historyGivesWay && item.isRepeated { return }
    var failures = 0
    for (first, second) in zip(starts, starts.dropFirst()) {
      if second.life > first.life && first.isLastOfLife && item.kind != .atMostOnce { continue }
      if item.kind == .retry, first.status == 1, failures < Self.attempts - 1 {
        failures += 1
      } else if item.kind == .later, first.status == 75 {
        continue
      } else {
        doubled.append("\(item.id) was started in life \(first.life) and again in life \(second.life)")
      }
    }
    if let end = item.endedAt, let late = starts.first(where: { $0.line >= end }) {
      doubled.append("\(item.id) was started in life \(late.life), after it was said to have ended")
    }
    for start in starts where start.payload != item.id {
      wrong.append("\(item.id) was applied with the payload \(start.payload)")
    }
  }

  private mutating func judgeOrder(_ log: HandlerLog) {
    var running: String?
    for line in log.lines {
      switch line {
      case .begin(let id, _, _, _, _):
        if let running { wrong.append("\(id) was started while \(running) ran") }
        running = id
      case .end(let id, _, _):
        if running != id { wrong.append("\(id) ended, and did not run") }
        running = nil
      }
    }
  }
}
