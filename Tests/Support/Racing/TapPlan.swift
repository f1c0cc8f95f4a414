import Seeded

/// What a busy visitor does, determined by a seed: bursts of up to 50 taps a second, and pauses.
///
/// With two fingers, one tap in three is made with both. As controllers do, a finger takes the lowest slot
/// that is free.
public struct TapPlan: Sequence, IteratorProtocol, Sendable {
  public enum Action: Equatable, Sendable {
    case down(slot: Int)
    case up(slot: Int)
  }

  /// An action, and the time since the one before.
  public struct Step: Equatable, Sendable {
    public var wait: Duration
    public var action: Action
    /// Nobody is on the glass after it.
    public var endsTap: Bool
  }

  private let fingers: Int
  private var random: SplitMix64
  private var tapsLeft = 0
  private var steps: [Step] = []

  /// `fingers`: 1 or 2.
  public init(seed: UInt64, fingers: Int) {
    random = SplitMix64(seed: seed)
    self.fingers = fingers
  }

  /// Never nil: it does not end.
  public mutating func next() -> Step? {
    if steps.isEmpty { steps = tap() }
    return steps.removeFirst()
  }

  private mutating func tap() -> [Step] {
    var gap = milliseconds(4, 40)
    if tapsLeft == 0 {
      tapsLeft = Int(below(36)) + 5
      gap = milliseconds(100, 900)
    }
    tapsLeft -= 1
    var steps = [Step(wait: gap, action: .down(slot: 0), endsTap: false)]
    if fingers > 1 && below(3) == 0 {
      let first = Int(below(2))
      steps.append(Step(wait: milliseconds(0, 8), action: .down(slot: 1), endsTap: false))
      steps.append(Step(wait: milliseconds(2, 15), action: .up(slot: first), endsTap: false))
      steps.append(Step(wait: milliseconds(0, 8), action: .up(slot: 1 - first), endsTap: true))
    } else {
      steps.append(Step(wait: milliseconds(4, 40), action: .up(slot: 0), endsTap: true))
    }
    return steps
  }

  private mutating func milliseconds(_ least: Int, _ most: Int) -> Duration {
    .microseconds(least * 1000 + Int(below(UInt64(most - least) * 1000 + 1)))
  }

  private mutating func below(_ limit: UInt64) -> UInt64 { random.next() % limit }
}
