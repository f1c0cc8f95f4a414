/// How many of something there may be: for each user, and for all users together. Root is bound by the total only.
public struct UserLimits: Equatable, Sendable {
  public let all: Int
  public let perUser: Int

  public init(all: Int, perUser: Int) {
    self.all = all
    self.perUser = perUser
  }

  /// Whether a user may have one more.
  public enum Verdict: Equatable, Sendable {
    case admitted
    /// One of this user, who has the most, ends for it.
    case givesWay(UInt32)
    case tooManyOfUser
    case tooMany
  }

  /// - Parameters:
  ///   - owners: the user of each that there is
  ///   - uid: who wants one more
  public func verdict(_ owners: some Sequence<UInt32>, adding uid: UInt32) -> Verdict {
    let counts = owners.reduce(into: [UInt32: Int]()) { $0[$1, default: 0] += 1 }
    let own = counts[uid, default: 0]
    if uid != 0 && own >= perUser { return .tooManyOfUser }
    if counts.values.reduce(0, +) < all { return .admitted }
    let others = counts.filter { $0.key != uid }
    guard let most = others.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return .tooMany }
    // Two users with as many as each other would end each other's for ever. Root is never locked out.
    return uid == 0 || most.value > own + 1 ? .givesWay(most.key) : .tooMany
  }
}
