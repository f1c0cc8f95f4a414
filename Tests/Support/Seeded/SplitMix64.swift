/// Random numbers determined by a seed, the same on every machine, so that a failed test can be repeated. Separate from
/// the service's own, which the tests judge. Rule: Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators" (2014).
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// 0..<limit; 0 if `limit` is 0.
  public mutating func below(_ limit: Int) -> Int { limit <= 0 ? 0 : Int(next() % UInt64(limit)) }

  /// True once in `odds` times.
  public mutating func oneIn(_ odds: Int) -> Bool { below(odds) == 0 }
}
