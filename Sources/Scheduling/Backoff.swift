public import Timeline

/// How long an update waits after failures in a row, or after its handler asked to be tried later.
///
/// The wait doubles with every setback, up to `HandlerPolicy.longestBackoff`, and varies by a fifth, so that many
/// machines do not strike together.
struct Backoff: Equatable, Sendable {
  /// Failures, and requests to be tried later, in a row; at least 1.
  private(set) var setbacks: Int
  private(set) var since: Instant
  /// Nil: somebody has cut it short.
  private var end: Instant?
  /// What the handler said last.
  private(set) var lastFailure: String

  /// The backoff after another setback.
  init(after previous: Backoff?, failure: String, _ policy: HandlerPolicy, _ random: inout SplitMix64, at now: Instant)
  {
    setbacks = (previous?.setbacks ?? 0) + 1
    since = now
    lastFailure = failure
    let whole = min(policy.backoff * (1 << min(setbacks - 1, 20)), HandlerPolicy.longestBackoff)
    let jitter = Double(random.next() >> 11) / Double(1 << 53)
    end = now + min(whole * (0.8 + 0.4 * jitter), HandlerPolicy.longestBackoff)
  }

  /// The backoff of a former run.
  init(_ stored: StoredBackoff, steady: SteadyTime, at now: Instant) {
    setbacks = stored.setbacks
    since = now
    lastFailure = stored.reason
    end = now + min(max(stored.until - steady, .zero), HandlerPolicy.longestBackoff)
  }

  /// When it ends; nil if it is over.
  func until(after now: Instant) -> Instant? { end.flatMap { $0 > now ? $0 : nil } }

  /// It is over at once; a further setback counts on from here.
  mutating func cutShort() { end = nil }

  /// What a restart needs; nil if it is over.
  func stored(steady: (Instant) -> SteadyTime, at now: Instant) -> StoredBackoff? {
    until(after: now).map { StoredBackoff(until: steady($0), setbacks: setbacks, reason: lastFailure) }
  }
}

/// A backoff as the store holds it: no start of the update before it ends.
public struct StoredBackoff: Equatable, Sendable {
  /// When it ends.
  public let until: SteadyTime
  /// Failures, and requests to be tried later, in a row.
  public let setbacks: Int
  /// What the handler said.
  public let reason: String

  public init(until: SteadyTime, setbacks: Int, reason: String) {
    self.until = until
    self.setbacks = setbacks
    self.reason = reason
  }
}
