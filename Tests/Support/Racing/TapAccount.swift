public import Timeline

/// What one reader saw of each tap of the tapper: from the first finger that lands on the empty glass to the last that
/// leaves it.
///
/// `Account` judges by slots. If a grab hides a change of slot, a reader uses the wrong one although it sees each beginning
/// and end: with two fingers it then takes one contact for two halves. This judges by the tapper's log instead.
public struct TapAccount: Equatable, Sendable {
  public struct Tap: Equatable, Sendable {
    /// Before the first event was written.
    public var first: Instant
    /// After the last was written.
    public var last: Instant
    public var fingers = 0
    public var begins = 0
    public var ends = 0
    /// What was seen of it, by the kernel's stamps.
    public var firstSeen = Instant.distantFuture
    public var lastSeen = Instant.distantPast
  }

  public private(set) var taps: [Tap] = []
  /// What was seen while the tapper touched nothing.
  public private(set) var strays = 0

  public init(made: [Sighting], seen: [Sighting]) {
    var down = 0
    for sighting in made {
      switch sighting.kind {
      case .begin:
        if down == 0 { taps.append(Tap(first: sighting.time, last: .distantFuture)) }
        taps[taps.count - 1].fingers += 1
        down += 1
      case .end:
        down -= 1
        if down == 0 { taps[taps.count - 1].last = sighting.time }
      case .press, .release, .loss:
        break
      }
    }
    var index = 0
    for sighting in seen {
      // The kernel's stamps have microseconds, the tapper's nanoseconds: the next tap counts from its microsecond on.
      while index + 1 < taps.count, taps[index + 1].first <= sighting.time + .microseconds(1) { index += 1 }
      guard index < taps.count, sighting.time <= taps[index].last else {
        strays += 1
        continue
      }
      taps[index].firstSeen = min(taps[index].firstSeen, sighting.time)
      taps[index].lastSeen = max(taps[index].lastSeen, sighting.time)
      switch sighting.kind {
      case .begin: taps[index].begins += 1
      case .end: taps[index].ends += 1
      case .press, .release, .loss: break
      }
    }
  }

  /// Only the service saw anything of them.
  public var swallowed: Int { taps.count { $0.begins == 0 && $0.ends == 0 } }
  public var halves: Int { taps.count { $0.begins != $0.ends } }
  /// Each finger that was seen was seen to land and to leave, and some of the same tap were not seen.
  public var split: Int { taps.count { $0.begins == $0.ends && $0.begins > 0 && $0.begins < $0.fingers } }

  /// How many of these instants lie inside a tap that the reader saw.
  public func hits(_ starts: [Instant]) -> Int {
    let seen = taps.filter { $0.begins > 0 }
    return starts.count { start in
      // The last that began before it.
      var (low, high) = (0, seen.count)
      while low < high {
        let middle = (low + high) / 2
        if seen[middle].firstSeen <= start { low = middle + 1 } else { high = middle }
      }
      return low > 0 && start < seen[low - 1].lastSeen
    }
  }
}
