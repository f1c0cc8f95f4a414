import Testing
import Timeline

@testable import Scheduling

@Suite("A backoff that was stored")
struct StoredBackoffTests {
  private let now = SteadyTime(milliseconds: 5_000_000)

  private func end(_ until: SteadyTime) -> Instant? {
    Backoff(StoredBackoff(until: until, setbacks: 1, reason: "failed"), steady: now, at: at(100)).until(after: at(100))
  }

  @Test("a restart waits for the rest of it, and for nothing once it is over")
  func rest() {
    #expect(end(now + .seconds(30)) == at(130))
    #expect(end(now) == nil && end(now + .seconds(-30)) == nil)
  }

  @Test("whatever is stored, it never lasts longer than a backoff can")
  func longest() {
    #expect(end(now + year) == at(100) + HandlerPolicy.longestBackoff)
  }
}
