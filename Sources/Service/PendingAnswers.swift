import HTTPTypes
import Scheduling
import Timeline

/// The requests that wait for an answer, for what, and until when. A value; its owner sends the answers.
///
/// A request is in here at most once. It leaves with its answer, or with its client (`gone`).
struct PendingAnswers {
  /// What a request waits for.
  private enum Subject: Equatable {
    /// The update is durable, or refused. `waitUntil`: it then waits for the update's end, up to that time.
    case acceptance(UpdateID, waitUntil: Instant?)
    /// The end that was asked for (cancel) is durable, or could not be stored.
    case requestedEnd(UpdateID)
    /// The change is durable, or could not be stored.
    case change(StoreWrite)
    /// The update has ended. `accepted`: this request also submitted it.
    case end(UpdateID, until: Instant?, accepted: Bool)
  }

  /// A request whose time is over.
  struct TimedOut: Equatable {
    let token: RequestToken
    let id: UpdateID
    /// This request also submitted the update, so it is told that it was accepted.
    let accepted: Bool
  }

  private var subjects: [RequestToken: Subject] = [:]
  /// In the order of arrival, because two requests may ask for equal changes.
  private var order: [RequestToken] = []

  // MARK: Asking

  /// `waitUntil` nil: answered as soon as the update is durable.
  mutating func awaitAcceptance(_ id: UpdateID, waitUntil: Instant? = nil, _ token: RequestToken) {
    add(.acceptance(id, waitUntil: waitUntil), token)
  }

  mutating func awaitRequestedEnd(_ id: UpdateID, _ token: RequestToken) { add(.requestedEnd(id), token) }

  mutating func awaitChange(_ write: StoreWrite, _ token: RequestToken) { add(.change(write), token) }

  /// `until` nil: for as long as it takes.
  mutating func awaitEnd(_ id: UpdateID, until: Instant?, accepted: Bool, _ token: RequestToken) {
    add(.end(id, until: until, accepted: accepted), token)
  }

  private mutating func add(_ subject: Subject, _ token: RequestToken) {
    subjects[token] = subject
    order.append(token)
  }

  // MARK: Queries

  /// Submissions on their way into the store.
  var arriving: [UpdateID] {
    subjects.values.compactMap { if case .acceptance(let id, waitUntil: _) = $0 { id } else { nil } }
  }

  /// When `timedOut` has something; nil: never.
  var nextDeadline: Instant? {
    subjects.values.compactMap { if case .end(_, let until, accepted: _) = $0 { until } else { nil } }.min()
  }

  // MARK: Answers that are due

  /// The update is durable: the request to be answered now. Nil: there is none, or it still waits for the end.
  mutating func accepted(_ id: UpdateID) -> RequestToken? {
    guard let token = first(where: { if case .acceptance(id, waitUntil: _) = $0 { true } else { false } }),
      case .acceptance(_, let until) = subjects[token]
    else { return nil }
    guard let until else { return remove(token) }
    subjects[token] = .end(id, until: until, accepted: true)
    return nil
  }

  mutating func refused(_ id: UpdateID) -> RequestToken? {
    first { if case .acceptance(id, waitUntil: _) = $0 { true } else { false } }.flatMap { remove($0) }
  }

  /// All requests that wait for the end of the update.
  mutating func ended(_ id: UpdateID) -> [RequestToken] {
    let waiting = order.filter { token in
      switch subjects[token] {
      case .requestedEnd(id), .end(id, until: _, accepted: _): true
      case .requestedEnd, .end, .acceptance, .change, nil: false
      }
    }
    return waiting.compactMap { remove($0) }
  }

  /// The end that was asked for could not be stored.
  mutating func notEnded(_ id: UpdateID) -> RequestToken? {
    first { $0 == .requestedEnd(id) }.flatMap { remove($0) }
  }

  /// The change is done, or could not be stored.
  mutating func changed(_ write: StoreWrite) -> RequestToken? {
    first { $0 == .change(write) }.flatMap { remove($0) }
  }

  /// Requests that have waited for an end until their timeout.
  mutating func timedOut(at now: Instant) -> [TimedOut] {
    var result: [TimedOut] = []
    for token in order {
      guard case .end(let id, let until?, let accepted) = subjects[token], until <= now else { continue }
      result.append(TimedOut(token: token, id: id, accepted: accepted))
    }
    for answer in result { _ = remove(answer.token) }
    return result
  }

  /// The client is gone.
  mutating func gone(_ token: RequestToken) { _ = remove(token) }

  private func first(where matches: (Subject) -> Bool) -> RequestToken? {
    order.first { subjects[$0].map(matches) == true }
  }

  private mutating func remove(_ token: RequestToken) -> RequestToken? {
    guard subjects.removeValue(forKey: token) != nil else { return nil }
    order.removeAll { $0 == token }
    return token
  }
}
