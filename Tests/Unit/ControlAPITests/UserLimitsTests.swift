import Testing
import TouchgateAPI

@Suite("Limits per user and in total")
struct UserLimitsTests {
  private let limits = UserLimits(all: 6, perUser: 3)

  /// `owners`: how many each user has.
  private func verdict(_ owners: [UInt32: Int], _ uid: UInt32) -> UserLimits.Verdict {
    limits.verdict(owners.flatMap { Array(repeating: $0.key, count: $0.value) }, adding: uid)
  }

  @Test("a user has no more than its own limit, whoever else has what; root is bound by the total only")
  func perUser() {
    #expect(verdict([:], 1) == .admitted && verdict([1: 2], 1) == .admitted)
    #expect(verdict([1: 3], 1) == .tooManyOfUser && verdict([1: 3, 2: 3], 1) == .tooManyOfUser)
    #expect(verdict([0: 5], 0) == .admitted && verdict([0: 6], 0) == .tooMany)
  }

  @Test("at the total limit the user who has the most gives way, and nobody who has as many as the newcomer then has")
  func total() {
    #expect(verdict([1: 3, 2: 2, 3: 1], 4) == .givesWay(1))
    #expect(verdict([1: 3, 2: 2, 3: 1], 3) == .givesWay(1))
    #expect(verdict([1: 2, 2: 2, 3: 2], 3) == .tooMany)
    #expect(verdict([0: 6], 1) == .givesWay(0))
    #expect(verdict([1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1], 7) == .tooMany)
  }

  @Test("root is never locked out while others have something")
  func root() {
    #expect(verdict([1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1], 0) == .givesWay(6))
    #expect(verdict([0: 5, 1: 1], 0) == .givesWay(1))
  }
}
